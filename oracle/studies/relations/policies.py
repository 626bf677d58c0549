"""What engines are said to do for sequences, written down as they would do it, as items arrive.

These models know nothing of RSEP-QL's equations: claims compare the two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeAlias

from ....semantics.model.items import TimestampedGraph
from ....semantics.model.mappings import SolutionMapping
from ....semantics.rdf.evaluation import solutions
from ....semantics.rdf.syntax.parse import parse_group
from ....semantics.rdf.syntax.tree import Prologue
from .rows import Answering, Events, Row, Rows

Detected: TypeAlias = tuple[SolutionMapping, int]
"""A mapping with the time of the event that has it (of a sequence, that of its last event)."""


def matches(body: str, prologue: Prologue) -> Callable[[Events], list[Detected]]:
    """The events of a basic event pattern, in time order."""
    group = parse_group(body, prologue=prologue)

    def found(events: Events) -> list[Detected]:
        graphs = [item for item in events if isinstance(item, TimestampedGraph)]
        return [(mu, item.time) for item in graphs for mu in solutions(group, item.graph)]

    return found


def consuming(
    patterns: Sequence[str],
    prologue: Prologue,
    which: Literal["earliest", "latest"],
    *,
    each_by_itself: bool = False,
) -> Answering:
    """ETALIS's policies chronological (`earliest`) and recent (`latest`).

    Sequences are detected two at a time, from the left, as ETALIS binarises its rules. Each event
    of E1 waits. An event of E2 takes the earliest, or the latest, of those that wait since before
    it and agree with it; whatever takes part in an answer waits no longer. The instant is the unit:
    what arrives at one instant sees the same that waits, and takes all that came at an instant; or
    each event goes by itself, in the order of arrival, and takes one.
    """
    detectors = [matches(body, prologue) for body in patterns]

    def answered(events: Events) -> Rows:
        sequence, *later = (detector(events) for detector in detectors)
        for arrivals in later:
            sequence = _taken(sequence, arrivals, min if which == "earliest" else max,
                              each_by_itself)
        return Counter({(time, mu) for mu, time in sequence})

    return answered


def _taken(
    waiting: list[Detected],
    arrivals: list[Detected],
    choose: Callable[[Iterable[int]], int],
    each_by_itself: bool,
) -> list[Detected]:
    """E1 SEQ E2, by time."""
    found: list[Detected] = []
    if each_by_itself:
        turns = [(now, [mu]) for mu, now in arrivals]
    else:
        turns = [
            (now, list(dict.fromkeys(mu for mu, time in arrivals if time == now)))
            for now in sorted({time for _, time in arrivals})
        ]
    for now, mappings in turns:
        taken: list[Detected] = []
        for mu2 in mappings:
            agreeing = [each for each in waiting if each[1] < now and each[0].compatible(mu2)]
            if not agreeing:
                continue
            since = choose(time for _, time in agreeing)
            chosen = [each for each in agreeing if each[1] == since]
            chosen = chosen[:1] if each_by_itself else chosen
            found += [(mu1.merge(mu2), now) for mu1, _ in chosen]
            taken += chosen
        waiting = _without(waiting, taken, once=each_by_itself)
    return found


def _without(waiting: list[Detected], taken: list[Detected], *, once: bool) -> list[Detected]:
    if not once:
        return [each for each in waiting if each not in taken]
    left = list(waiting)
    for each in taken:
        left.remove(each)
    return left


def by_timestamps(
    patterns: Sequence[str], prologue: Prologue, of: Literal["solution", "pattern"]
) -> Answering:
    """C-SPARQL's idiom, over all that is in the window: FILTER(timestamp(P1) < timestamp(P2)).

    timestamp() is the time of the most recent occurrence of what matched: of the triples of this
    `solution`, or of whatever matches the `pattern`.
    """
    of_first, of_second = (matches(body, prologue) for body in patterns)

    def answered(events: Events) -> Rows:
        left, right = of_first(events), of_second(events)
        end = max((item.time for item in events if isinstance(item, TimestampedGraph)), default=0)
        rows: set[Row] = set()
        for mu1, _ in left:
            for mu2, _ in right:
                if mu1.compatible(mu2) and _latest(left, mu1, of) < _latest(right, mu2, of):
                    rows.add((end, mu1.merge(mu2)))
        return Counter(rows)

    return answered


def _latest(
    detected: list[Detected], mu: SolutionMapping, of: Literal["solution", "pattern"]
) -> int:
    return max(time for each, time in detected if of == "pattern" or each == mu)
