"""RDF graph streams and streamsets (SPAseq Defs. 1 to 3), and profiles of difficult streams.

A language's generator scripts events that its query asks for. `arranged` arranges them: it lets
them tie, expire, return, come on the bounds of windows, in great numbers, or not at all. It knows
nothing of the language: an event is a tick, a stream, and anything else.

    events = arranged(choices, "cqels/stream", scripted, widths=[10], slides=[2])

What comes back is in the order in which it is to arrive: sort it by tick, if at all, by a stable
sort. `boundary_ticks` says at which ticks an evaluation is worth asking for.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Final, Generic, TypeAlias, TypeVar

from rdflib.term import URIRef

from ...semantics.model.items import IntervalGraph, Item, TimeKind, TimestampedGraph
from ...semantics.model.terms import EMPTY_GRAPH, Graph
from .choices import Choices, Decided, several
from .graphs import STREAMS, any_graph

# 2026-01-01T00:00:00Z, in microseconds.
NEW_YEAR = 1_767_225_600_000_000
SECOND = 1_000_000


def instant(tick: int, kind: TimeKind) -> int:
    """Return the instant `tick` units after the origin: a number, or seconds into 2026."""
    return tick if kind is TimeKind.INTEGER else NEW_YEAR + tick * SECOND


def lasting(end: int, graph: Graph, ticks: int, kind: TimeKind) -> Item:
    """Return an item that ends at a tick after that many ticks; an instant for none."""
    if not ticks:
        return TimestampedGraph(instant(end, kind), graph, kind)
    return IntervalGraph(instant(end - ticks, kind), instant(end, kind), graph, kind)


_ORIGINS: Final[Mapping[TimeKind, Decided[int]]] = {
    TimeKind.INTEGER: ("origin of numbers", (0,) * 6 + (-5,)),
    TimeKind.DATETIME: ("origin of dates", (0, SECOND // 4)),
}


def origin(choices: Choices, kind: TimeKind) -> int:
    """Draw the offset of a case's times from the default origin, in its unit of time.

    With an offset, numbers may be negative, and dates have fractions of a second.
    """
    return choices.among(*_ORIGINS[kind])


def stream(
    choices: Choices,
    *,
    document: URIRef = STREAMS[0],
    kind: TimeKind = TimeKind.INTEGER,
    ties: str = "error",
    max_size: int = 5,
) -> tuple[TimestampedGraph, ...]:
    """Draw a stream of at most `max_size` items in time order, which may be empty.

    Several items share a timestamp only where `ties` says what that means.
    """
    ticks = several(choices, range(2 * max_size + 1), max_size, least=0, again=ties != "error")
    return tuple(
        TimestampedGraph(instant(tick, kind), any_graph(choices, document), kind)
        for tick in sorted(ticks)
    )


def streamset(
    choices: Choices,
    *,
    names: Sequence[URIRef] = STREAMS,
    kind: TimeKind = TimeKind.INTEGER,
    ties: str = "error",
    max_size: int = 5,
) -> dict[URIRef, tuple[TimestampedGraph, ...]]:
    """Draw a streamset with some of these names; timestamps are often equal across streams."""
    return {
        name: stream(choices, document=name, kind=kind, ties=ties, max_size=max_size)
        for name in sorted(several(choices, names, len(names)))
    }


def streamset_of(
    events: Sequence[tuple[int, URIRef, Graph]],
    names: Sequence[URIRef],
    *,
    kind: TimeKind = TimeKind.INTEGER,
    ties: str = "error",
) -> dict[URIRef, tuple[TimestampedGraph, ...]]:
    """Return the streamset of these events (tick, stream, graph), a stream for each of `names`.

    Under `ties="error"` events of one stream at one tick become one event with both graphs.
    """
    together: dict[URIRef, list[TimestampedGraph]] = {name: [] for name in names}
    for tick, name, graph in events:
        item = TimestampedGraph(instant(tick, kind), graph, kind)
        together.setdefault(name, []).append(item)
    for items in together.values():
        items.sort(key=attrgetter("time"))
    streamset: Mapping[URIRef, list[TimestampedGraph]] = together
    if ties == "error":
        streamset = {name: _united(items) for name, items in together.items()}
    return {name: tuple(items) for name, items in streamset.items()}


def _united(items: Sequence[TimestampedGraph]) -> list[TimestampedGraph]:
    return [
        TimestampedGraph(time, EMPTY_GRAPH.union(*(item.graph for item in tied)), tied[0].kind)
        for time, tied in ((t, list(g)) for t, g in groupby(items, key=attrgetter("time")))
    ]


S = TypeVar("S", bound=Hashable)
P = TypeVar("P")
C = TypeVar("C")

Event: TypeAlias = tuple[int, S, P]
"""(tick, stream, whatever an item of this stream is)"""

PROFILES: Final = (
    "usual",  # as scripted
    "ties",  # several at one tick, in script order or another
    "shuffled",  # the script's ticks with its events in another order
    "boundary",  # on, one before and one after the bounds of windows
    "expiry",  # the script again, or a part of it, when windows have let go of the first
    "returning",  # an event has left, or is just about to, and comes again
    "duplicates",  # an event comes twice while the first is still there
    "long",  # fifty events and more, or as many as may be
    "burst",  # all at nearly the same tick, a silence, and all again
    "empty",  # none
    "starved",  # none in one stream, or nothing more from some tick on
)

WEIGHTED: Final = (
    *("usual",) * 5, *("ties", "shuffled", "boundary", "expiry", "returning", "duplicates") * 2,
    "long", "burst", "starved", "empty",
)
"""The profiles as often as they are drawn where nothing else is said; the simplest first."""

MOST: Final = 60
"""The maximum number of events of a profile."""

MOST_REMEMBERED: Final = 12
"""The maximum number if nothing expires, so that every event counts."""

DENSE: Final = 6
"""The number of events that a profile with many events puts into the widest window."""


def arranged(
    choices: Choices,
    name: str,
    events: Sequence[Event[S, P]],
    *,
    widths: Sequence[int] = (),
    slides: Sequence[int] = (),
    bounds: Sequence[int] = (),
    fresh: Callable[[Event[S, P]], P] | None = None,
    options: Sequence[str] = WEIGHTED,
    most: int | None = None,
    dense: int = DENSE,
) -> list[Event[S, P]]:
    """Return these events, arranged by one profile or by two, one after the other.

    `name` begins the names of the decisions. `widths` and `slides` are
    those of the query's windows, in ticks; `bounds` are ticks at which something begins or ends by
    itself (a landmark, the origin of windows that slide). `fresh` makes what a further event holds
    that is like a given one; without it further events hold the same. `options` are the profiles
    that make sense, repeated as often as they weigh. At most `most` events are made (by default
    `MOST`, or `MOST_REMEMBERED` without widths), and where many are, `dense` a widest window.
    """
    if most is None:
        most = MOST if widths else MOST_REMEMBERED
    made = _Arranging(
        choices, tuple(widths), tuple(slides), tuple(bounds), fresh, max(most, len(events)), dense
    )
    first = choices.among(f"{name}/profile", options)
    others = [option for option in options if option != "empty"]
    seconds = ("usual",) * 3 * len(others) + (*others,)
    second = choices.among(f"{name}/second profile", seconds)
    made_once = made.by(first, list(events))
    return made_once if second == first else made.by(second, made_once)


def boundary_ticks(
    events: Sequence[Event[S, P]],
    *,
    widths: Sequence[int] = (),
    slides: Sequence[int] = (),
    bounds: Sequence[int] = (),
) -> list[int]:
    """Return each tick at which an event enters or leaves a window, and the ticks beside it."""
    last = max((event[0] for event in events), default=0)
    at = {event[0] for event in events} | set(bounds)
    at |= {event[0] + width for event in events for width in widths}
    at |= set(_opened(last + max(widths, default=0), widths, slides, bounds))
    return sorted({tick + near for tick in at for near in (-1, 0, 1)})


def _opened(
    last: int, widths: Sequence[int], slides: Sequence[int], bounds: Sequence[int]
) -> Iterator[int]:
    """Yield the bounds, up to a tick, of windows that slide from `bounds` on, or from 0."""
    for slide in slides:
        for start in bounds or (0,):
            for tick in range(start, last + 1, max(slide, 1)):
                yield tick
                yield from (tick + width for width in widths)


@dataclass
class _Arranging(Generic[S, P]):
    choices: Choices
    widths: tuple[int, ...]
    slides: tuple[int, ...]
    bounds: tuple[int, ...]
    fresh: Callable[[Event[S, P]], P] | None
    most: int
    dense: int

    def by(self, profile: str, events: list[Event[S, P]]) -> list[Event[S, P]]:
        if not events:
            return events
        events = sorted(events, key=_tick)
        match profile:
            case "ties":
                return self.ties(events)
            case "shuffled":
                return self.shuffled(events)
            case "boundary":
                return self.boundary(events)
            case "expiry":
                return self.expiry(events)
            case "returning":
                return self.returning(events)
            case "duplicates":
                return self.duplicates(events)
            case "long":
                return self.long(events)
            case "burst":
                return self.burst(events)
            case "empty":
                return []
            case "starved":
                return self.starved(events)
        return events

    # --- profiles ---

    def ties(self, events: list[Event[S, P]]) -> list[Event[S, P]]:
        """Close some gaps, or all; ties then are in script order, in reverse or in between."""
        closed = self.digits(len(events) - 1, 3)
        if not any(closed):
            closed[:] = [1] * len(closed)
        made, back = [events[0]], 0
        for (before, event), gone in zip(pairwise(events), closed, strict=True):
            back += event[0] - before[0] if gone else 0
            made.append(_at(event, event[0] - back))
        return self.among_ties(made)

    def shuffled(self, events: list[Event[S, P]]) -> list[Event[S, P]]:
        """Return the events in another order at the same ticks."""
        order = self.order(len(events))
        return [_at(events[k], event[0]) for k, event in zip(order, events, strict=True)]

    def boundary(self, events: list[Event[S, P]]) -> list[Event[S, P]]:
        """Move one event, or two, to a bound, or next to it; later ones move along."""
        made = events
        for _ in range(self.choices.among("", _MOVES)):
            k = self.choices.among("", range(len(made)))
            tick = made[k][0]
            first = made[0][0]
            earlier = [event[0] for event in made[:k]]
            at = {start + width for start in earlier for width in self.widths}
            reach = tick + max(self.widths, default=1)
            at |= {*self.bounds, *_opened(reach, self.widths, self.slides, self.bounds)}
            before = max(earlier, default=first)
            near = {t for bound in at for t in (bound - 1, bound, bound + 1) if t >= before}
            if near:
                nearest = tuple(sorted(near, key=lambda t: abs(t - tick))[:9])
                target = self.choices.among("", nearest)
                made = [*made[:k], *(_at(event, event[0] + target - tick) for event in made[k:])]
        return made

    def expiry(self, events: list[Event[S, P]]) -> list[Event[S, P]]:
        """Repeat the expired script once or twice, sometimes without parts of it.

        Or just before all of it has: then what remains has to do.
        """
        made = list(events)
        for _ in range(self.choices.among("", _AGAIN)):
            room = self.most - len(made)
            if room <= 0:
                break
            gap = self.beyond()
            if self.choices.among("", _COIN):  # after the first of them, not the last
                start = max(made[-1][0], made[0][0] + gap)
            else:
                start = made[-1][0] + gap
            kept = self.digits(len(events), 4)
            again = [e for e, left_out in zip(events, kept, strict=True) if left_out < 3]
            made += [
                self.like(_at(e, e[0] - events[0][0] + start)) for e in (again or events)[:room]
            ]
        return made

    def returning(self, events: list[Event[S, P]]) -> list[Event[S, P]]:
        """Repeat one to three of the events when they have left or are about to."""
        made = list(events)
        for _ in range(min(self.choices.among("", _MOVES), max(self.most - len(made), 0))):
            event = events[self.choices.among("", range(len(events)))]
            made.append(_at(event, event[0] + self.beyond()))
        return sorted(made, key=_tick)

    def duplicates(self, events: list[Event[S, P]]) -> list[Event[S, P]]:
        """Repeat some of the events, or all: at once, or one or two ticks later."""
        twice = self.digits(len(events), 4)
        if not any(twice):
            twice[:] = [1] * len(twice)
        room = max(self.most - len(events), 0)
        again = [
            _at(event, event[0] + later - 1)
            for event, later in zip(events, twice, strict=True) if later
        ]
        return sorted([*events, *again[:room]], key=_tick)

    def long(self, events: list[Event[S, P]]) -> list[Event[S, P]]:
        """Repeat the script, with new gaps and omissions each time.

        Or slowly at first, so that next to nothing is in a window, and then ever faster: what has
        been let go of over and over must grow.
        """
        wide = max(self.widths, default=0)
        faster = self.choices.among("", _FASTER)
        least = min(self.most, 50)
        count = self.choices.among("", range(least, self.most + 1))
        gaps, looks = self.digits(count, 5), self.digits(count, 8)
        made: list[Event[S, P]] = []
        tick, place = events[0][0], 0
        for k in range(count):
            if looks[k] == 1:
                place += 1  # this one is left out
            event = events[place % len(events)]
            place += 1
            tick += (1, 0, 1, 2, 1)[gaps[k]]
            dense = 1 + k * 2 * self.dense // count if faster else self.dense
            if wide and k >= dense:
                tick = max(tick, made[k - dense][0] + wide + (looks[k] == 2))
            moved = _at(event, tick)
            made.append(self.like(moved) if place > len(events) else moved)
        return made

    def burst(self, events: list[Event[S, P]]) -> list[Event[S, P]]:
        """Return all events at two ticks, a gap, and some of them again."""
        start = events[0][0]
        halves = self.digits(len(events), 3)
        at_once = [_at(e, start + (half == 1)) for e, half in zip(events, halves, strict=True)]
        at_once = self.among_ties(sorted(at_once, key=_tick))
        room = max(self.most - len(events), 0)
        later = start + self.beyond()
        again = [_at(e, later) for e in events[: min(room, self.choices.among("", _FEW))]]
        return [*at_once, *again]

    def starved(self, events: list[Event[S, P]]) -> list[Event[S, P]]:
        """Empty one of several streams, or one stream from a tick on."""
        streams = list(dict.fromkeys(event[1] for event in events))
        dry = self.choices.among("", tuple(streams))
        since = self.choices.among("", tuple(sorted({event[0] for event in events})))
        if len(streams) > 1 and self.choices.among("", _COIN):
            since = events[0][0]
        return [event for event in events if event[1] != dry or event[0] < since]

    # --- what they are made of ---

    def beyond(self) -> int:
        """Return a gap after which an event has left a window, or just not yet."""
        width = self.choices.among("", self.widths) if self.widths else 3
        slide = max(self.slides, default=1)
        return max(width + self.choices.among("", (1, 0, -1, slide, width, 2 * slide)), 0)

    def like(self, event: Event[S, P]) -> Event[S, P]:
        """Return a further event like this one: often the same, else a fresh one."""
        if self.fresh is None or self.choices.among("", _COIN):
            return event
        return event[0], event[1], self.fresh(event)

    def among_ties(self, events: list[Event[S, P]]) -> list[Event[S, P]]:
        """Return events in time order, those of one tick in any order."""
        order = self.order(len(events))
        return [event for _, event in sorted(
            zip(order, events, strict=True), key=lambda placed: (placed[1][0], placed[0])
        )]

    def order(self, count: int) -> list[int]:
        """Return the places in some order; the simplest is the one they have."""
        keys = self.digits(count, 16)
        return sorted(range(count), key=lambda k: (keys[k], k))

    def digits(self, count: int, base: int) -> list[int]:
        """Draw `count` numbers below `base`, in few draws; the simplest are zeros."""
        chunk = _CHUNKS[base]
        digits: list[int] = []
        while len(digits) < count:
            size = min(chunk, count - len(digits))
            number = self.choices.among("", range(base**size))
            for _ in range(size):
                number, digit = divmod(number, base)
                digits.append(digit)
        return digits


# Hypothesis favours small numbers where there are more than 24 bits.
_CHUNKS: Final = {3: 15, 4: 12, 5: 10, 8: 8, 16: 6}
_COIN = (False, True)
_FASTER = (False, False, True)
_MOVES = (1, 2, 3)
_AGAIN = (1, 1, 2)
_FEW = (1, 2, 3, 0)


def _tick(event: Event[S, P]) -> int:
    return event[0]


def _at(event: Event[S, P], tick: int) -> Event[S, P]:
    return tick, event[1], event[2]


# --- cases that have results ---------------------------------------------------------------------

FEW_TO_WIDEN: Final = 12
"""The most items of a case whose windows are widened: no item leaves a wide window, so the number
of combinations grows with all of them."""


def first_with_results(cases: Iterable[C], has_results: Callable[[C], bool]) -> C:
    """Return the first of some cases that has results, or the first case if none has.

    Equal cases are evaluated once; cases after the returned one are not made.

    Args:
        cases: at least one case, the most wanted first.
        has_results: evaluates a case by the definitions.
    """
    tried: list[C] = []
    for case in cases:
        if case not in tried and has_results(case):
            return case
        tried.append(case)
    return tried[0]
