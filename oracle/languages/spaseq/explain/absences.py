"""Why something is not a result: how far the sequence comes, and what stops it there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from .....semantics.model.items import TimeKind
from .....semantics.model.mappings import EMPTY_MAPPING, SolutionMapping, Solutions
from .....semantics.spaseq.absence import is_absent
from .....semantics.spaseq.chains import Following, chains
from .....semantics.spaseq.context import Context, contexts
from .....semantics.spaseq.deferral import OwingSolutions, TimedSolutions
from .....semantics.spaseq.denotation import evaluate
from .....semantics.spaseq.syntax.printing import atom_to_text
from .....semantics.spaseq.syntax.results import Pair
from .....semantics.spaseq.syntax.scope import references
from .....semantics.spaseq.syntax.tree import (
    Extent,
    KleenePlus,
    Negation,
    Operator,
    SequenceExpression,
    SpaseqQuery,
    WithinUnit,
)
from ....cases.tasks import Task
from ....explanations.asked import comparable, covers
from ....explanations.wording import Words
from .derivations import Element, Node, elements, levels

_MOST = 6
_EVER = 1 << 62


@dataclass(frozen=True, slots=True)
class Asked:
    """A row that somebody misses: μ at τ in a window, each as far as it is given."""

    time: int | None = None
    mu: SolutionMapping = EMPTY_MAPPING
    window: tuple[int, int] | None = None
    rank: int | None = None

    def is_in(self, pair: Pair) -> bool:
        """Whether the pair has such a row."""
        return (
            self.time in (None, pair.time)
            and self.rank in (None, pair.rank)
            and self.window in (None, pair.window)
            and any(covers(self.mu, mu) for mu in pair.solutions)
        )


@dataclass(frozen=True, slots=True)
class _Stop:
    """Where the sequence stops in one window: after `reached` elements.

    `past` are the nodes that come so far, `here` those of the element where it stops.
    """

    reached: int
    boundaries: tuple[int, int] | None
    parts: list[Element]
    past: list[Node]
    here: list[Node]
    context: Context


def explain_absence(task: Task, asked: Asked) -> list[str]:
    """Lines that say why the task has no such row."""
    words = Words(task)
    start = task.evaluation.get("from")
    time = task.shown_instant(asked.time)
    items = [item for stream in task.streams.values() for item in stream]
    if not any(asked.time in (None, item.time) for item in items):
        if asked.time is None:
            return ["There is no event."]
        return [f"No event has time {time}, and a match has the time of its last event (Def. 7)."]
    stops = [
        stop
        for boundaries, context in contexts(
            task.tree, task.streams, task.kb, task.readings, start
        )
        if asked.window in (None, boundaries)
        and any(asked.time in (None, event.time[0]) for event in context.streamset.events)
        for stop in _stops(task.tree.sequence, boundaries, context, asked)
    ]
    lines = list(_across_windows(task, asked, words))
    if not stops:
        at = "" if asked.time is None else f" at {time}"
        return lines or [f"No window holds an event{at} (Def. 16)."]
    stop = max(stops, key=lambda each: each.reached)
    return lines + list(_told(stop, asked, task, words))


def _stops(
    sequence: SequenceExpression,
    boundaries: tuple[int, int] | None,
    context: Context,
    asked: Asked,
) -> Iterator[_Stop]:
    for chain in chains(sequence, context.readings.negation):
        parts = elements(chain, context)
        past: list[Node] = []
        for number, nodes in enumerate(levels(parts, context)):
            last = number == len(parts) - 1
            fitting = [node for node in nodes if _fits(node.pair, asked, last=last)]
            if not fitting:
                yield _Stop(number, boundaries, parts, past, nodes, context)
                break
            past = fitting
        else:
            yield _Stop(len(parts), boundaries, parts, past, [], context)


def _fits(pair: TimedSolutions | OwingSolutions, asked: Asked, *, last: bool) -> bool:
    time, rank = pair.time
    if last and (asked.time not in (None, time) or asked.rank not in (None, rank)):
        return False
    return _in_time(time, asked) and _compatible(pair.omega, asked.mu)


def _in_time(time: int, asked: Asked) -> bool:
    return asked.time is None or time <= asked.time


def _compatible(omega: Solutions, mu: SolutionMapping) -> bool:
    asked = comparable(mu)
    return any(asked.compatible(nu) for nu in omega)


def _across_windows(task: Task, asked: Asked, words: Words) -> Iterator[str]:
    """If windows alone keep the row away, a line that says so."""
    kinds = {item.kind for stream in task.streams.values() for item in stream}
    unit = (
        WithinUnit.MICROSECONDS if TimeKind.DATETIME in kinds else WithinUnit.INTEGER
    )
    unbounded: SpaseqQuery = replace(task.tree, within=Extent(_EVER, unit), slide=None)
    readings = replace(task.readings, window="match")
    start = task.evaluation.get("from")
    anywhere = replace(asked, window=None)
    if any(
        anywhere.is_in(pair)
        for pair in evaluate(unbounded, task.streams, task.kb, readings, start)
    ):
        yield (
            "Without windows it would be a match, but no one window holds all its events"
            f" (Def. 16, window={task.readings.window}). In the window that comes closest:"
        )


# --- telling where it stops ----------------------------------------------------------------------


def _told(stop: _Stop, asked: Asked, task: Task, words: Words) -> Iterator[str]:
    if stop.boundaries is not None:
        positional = task.tree.within.unit is WithinUnit.EVENTS
        bounds = stop.boundaries if positional else map(task.shown_instant, stop.boundaries)
        what = "items" if positional else "window"
        yield f"In the {what} [{', '.join(map(str, bounds))}]:"
    shown = " ".join(_sequence_text(stop.parts[: stop.reached]))
    if stop.reached:
        but = ", but not with all that is asked for" if stop.reached == len(stop.parts) else (
            ", compatibly with what is asked for"
        )
        yield f"  {shown} is matched{but}:"
        for node in stop.past[:_MOST]:
            bound = words.bindings(node.pair.omega)
            yield f"    at {words.instant(node.pair.time)} with {bound}"
    if stop.reached == len(stop.parts):
        return
    part = stop.parts[stop.reached]
    last = stop.reached == len(stop.parts) - 1
    candidates = sorted(
        (match for match in part.matches if _fits(match, asked, last=last)),
        key=lambda match: match.time,
    )
    if not candidates:
        yield from (f"  {line}" for line in _no_candidate(part, asked, stop.context, words, last))
        return
    lines = list(_no_iteration(stop, part, candidates, words))
    if stop.reached:
        lines += _no_link(stop, part, candidates, words)
    else:
        lines += [_not_a_head(part, match, words) for match in candidates]
    for line in list(dict.fromkeys(lines))[: 2 * _MOST]:
        yield f"  {line}"


def _sequence_text(parts: list[Element]) -> Iterator[str]:
    for part in parts:
        operator = part.operator
        yield f"{operator} {atom_to_text(part.atom)}" if operator else atom_to_text(part.atom)


def _no_candidate(
    part: Element, asked: Asked, context: Context, words: Words, last: bool
) -> Iterator[str]:
    when = ""
    if asked.time is not None:
        when = f" {'at' if last else 'up to'} {words.task.shown_instant(asked.time)}"
    psi = atom_to_text(part.atom)
    yield f"{psi} has no match{when} that is compatible with what is asked for:"
    for reference in dict.fromkeys(references(SequenceExpression(part.psi))):
        expression = context.gpms[reference.name]
        events = [
            event for event in context.streamset(expression.stream)
            if (asked.time in (None, event.time[0]) if last else _in_time(event.time[0], asked))
        ]
        if not events:
            yield f"  {words.stream(expression.stream)} has no event{when} in this window (Def. 7)"
        for event in events[-_MOST:]:
            omega = context.graph_pattern(expression, event.graph)
            if isinstance(part.psi, Negation):
                yield f"  {words.event(event)} matches {reference.name} (Appendix B)"
            elif not omega:
                yield f"  {reference.name} has no solution on {words.event(event)} (Def. 7)"
            else:
                yield (
                    f"  {reference.name} matches {words.event(event)}, with"
                    f" {words.bindings(omega)}"
                )


def _not_a_head(part: Element, match: OwingSolutions, words: Words) -> str:
    at = words.instant(match.time)
    nothing: Solutions = frozenset({EMPTY_MAPPING})
    why = words.clash(nothing, match.omega, match.conditions, frozenset())
    return f"{atom_to_text(part.atom)} at {at} has no past to look at: {why}"


def _no_iteration(
    stop: _Stop, part: Element, candidates: list[OwingSolutions], words: Words
) -> Iterator[str]:
    """Why no iteration of a Kleene plus goes on to what would fit."""
    if not isinstance(part.atom, KleenePlus):
        return
    operator = Operator.STRICT if stop.reached else Operator.NEXT
    for match in candidates:
        before = [node for node in stop.here if node.pair.time < match.time]
        if not before:
            continue
        latest = max(node.pair.time for node in before)
        for node in before:
            if node.pair.time == latest:
                why = _why_not(node, match, part, stop.context, words, operator)
                yield (
                    f"{atom_to_text(part.psi)} at {words.instant(match.time)}, as an iteration"
                    f" after the one at {words.instant(latest)}: {why}"
                )


def _no_link(
    stop: _Stop, part: Element, candidates: list[OwingSolutions], words: Words
) -> Iterator[str]:
    for match in candidates:
        here = f"{atom_to_text(part.psi)} at {words.instant(match.time)}"
        for node in stop.past:
            assert part.operator is not None
            yield f"{here}, after {words.instant(node.pair.time)}: " + _why_not(
                node, match, part, stop.context, words, part.operator, part.link
            )


def _why_not(
    node: Node,
    match: OwingSolutions,
    part: Element,
    context: Context,
    words: Words,
    operator: Operator,
    link: Following | None = None,
) -> str:
    """Why a match does not follow a node; without a link it would be an iteration."""
    since, now = node.pair.time, match.time
    if since >= now:
        return "not later than what comes before it (Defs. 10–12)"
    joined = part.joined(node.pair.omega, match.omega, match.conditions)
    if not joined:
        why = words.clash(node.pair.omega, match.omega, match.conditions, part.local)
        return f"does not join: {why}"
    between = [words.event(e) for e in context.streamset.events if since < e.time < now]
    if operator is Operator.STRICT and between:
        rule = "iterations are contiguous, Def. 14" if link is None else "Def. 12"
        return f"not contiguous, there is {' and '.join(between[:3])} ({rule})"
    if operator is Operator.NEXT:
        earlier = min(
            (m.time for m in part.matches
             if since < m.time < now
             and part.joined(node.pair.omega, m.omega, m.conditions)),
            default=None,
        )
        if earlier is not None:
            return (
                f"{atom_to_text(part.psi)} at {words.instant(earlier)} joins before and takes its"
                f" place ({'Def. 13' if link is None else 'Def. 11'})"
            )
    absent = link.absent if link is not None else ()
    for operand in absent:
        if not all(is_absent(operand, mu, since, now, context) for mu in joined):
            return f"an event between them matches {operand.name} (negation=absence)"
    if isinstance(part.atom, KleenePlus):
        return "joins, but with other values than those asked for in the last iteration"
    return "joins, but with other values than those asked for"
