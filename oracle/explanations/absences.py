"""Why something is not a result: how far the sequence comes, and what stops it there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...semantics.rdf.mappings import EMPTY_MAPPING, SolutionMapping, Solutions
from ...semantics.spaseq.absence import chains, is_absent
from ...semantics.spaseq.context import Context
from ...semantics.spaseq.deferral import TimedSolutions
from ...semantics.spaseq.denotation import contexts, evaluate
from ...semantics.spaseq.gpm import graph_pattern
from ...semantics.spaseq.printing import atom_to_text
from ...semantics.spaseq.results import Pair
from ...semantics.spaseq.scope import references
from ...semantics.spaseq.syntax import (
    Extent,
    KleenePlus,
    Negation,
    Operator,
    SequenceExpression,
    SpaseqQuery,
    WithinUnit,
)
from ...semantics.streams.items import TimeKind
from ..tasks import Task
from .derivations import Element, Node, elements, levels
from .wording import Words

_MOST = 6
_EVER = 1 << 62


@dataclass(frozen=True, slots=True)
class Asked:
    """A row that somebody misses: μ (as far as it is given) at τ, in a window if one is given."""

    time: int
    mu: SolutionMapping = EMPTY_MAPPING
    window: tuple[int, int] | None = None
    rank: int | None = None

    def is_in(self, pair: Pair) -> bool:
        """Whether the pair has such a row."""
        return (
            pair.time == self.time
            and self.rank in (None, pair.rank)
            and self.window in (None, pair.window)
            and any(self.mu.items() <= mu.items() for mu in pair.solutions)
        )


@dataclass(frozen=True, slots=True)
class _Stop:
    """Where the sequence stops in one window: after `reached` elements."""

    reached: int
    boundaries: tuple[int, int] | None
    parts: list[Element]
    past: list[Node]
    context: Context


def explain_absence(task: Task, asked: Asked) -> list[str]:
    """Lines that say why the task has no such row."""
    words = Words(task)
    start = task.evaluation.get("from")
    time = task.shown_instant(asked.time)
    if not any(item.time == asked.time for stream in task.streams.values() for item in stream):
        return [f"No event has time {time}, and a match has the time of its last event (Def. 7)."]
    stops = [
        stop
        for boundaries, context in contexts(
            task.tree, task.streams, task.kb, task.readings, start
        )
        if asked.window in (None, boundaries)
        and any(event.time[0] == asked.time for event in context.sigma.events)
        for stop in _stops(task.tree.sequence, boundaries, context, asked)
    ]
    lines = list(_across_windows(task, asked, words))
    if not stops:
        return lines or [f"No window holds an event at {time} (Def. 16)."]
    stop = max(stops, key=lambda each: each.reached)
    return lines + list(_told(stop, asked, task, words))


def _stops(
    sequence: SequenceExpression,
    boundaries: tuple[int, int] | None,
    context: Context,
    asked: Asked,
) -> Iterator[_Stop]:
    for chain in chains(sequence, context):
        parts = elements(chain, context)
        past: list[Node] = []
        for number, nodes in enumerate(levels(parts, context)):
            last = number == len(parts) - 1
            fitting = [node for node in nodes if _fits(node.pair, asked, last=last)]
            if not fitting:
                yield _Stop(number, boundaries, parts, past, context)
                break
            past = fitting
        else:
            yield _Stop(len(parts), boundaries, parts, past, context)


def _fits(pair: TimedSolutions, asked: Asked, *, last: bool) -> bool:
    time, rank = pair.time
    if last and (time != asked.time or asked.rank not in (None, rank)):
        return False
    return time <= asked.time and _compatible(pair.omega, asked.mu)


def _compatible(omega: Solutions, mu: SolutionMapping) -> bool:
    # A list that is still being collected is not yet what was asked for.
    asked = mu.without(v for v, value in mu.items() if isinstance(value, tuple))
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
    if not stop.reached:
        for match in candidates[:_MOST]:
            yield f"  {_not_a_head(part, match, words)}"
        return
    for line in list(_no_link(stop, part, candidates, words))[: 2 * _MOST]:
        yield f"  {line}"


def _sequence_text(parts: list[Element]) -> Iterator[str]:
    for part in parts:
        operator = part.operator
        yield f"{operator} {atom_to_text(part.atom)}" if operator else atom_to_text(part.atom)


def _no_candidate(
    part: Element, asked: Asked, context: Context, words: Words, last: bool
) -> Iterator[str]:
    when = f"at {words.task.shown_instant(asked.time)}" if last else (
        f"up to {words.task.shown_instant(asked.time)}"
    )
    psi = atom_to_text(part.atom)
    yield f"{psi} has no match {when} that is compatible with what is asked for:"
    for reference in dict.fromkeys(references(SequenceExpression(part.psi))):
        expression = context.gpms[reference.name]
        events = [
            event for event in context.sigma(expression.stream)
            if (event.time[0] == asked.time if last else event.time[0] <= asked.time)
        ]
        if not events:
            yield f"  {words.stream(expression.stream)} has no event {when} in this window (Def. 7)"
        for event in events[-_MOST:]:
            omega = graph_pattern(expression, event.graph, context)
            if isinstance(part.psi, Negation):
                yield f"  {words.event(event)} matches {reference.name} (Appendix B)"
            elif not omega:
                yield f"  {reference.name} has no solution on {words.event(event)} (Def. 7)"
            else:
                yield (
                    f"  {reference.name} matches {words.event(event)}, with"
                    f" {words.bindings(omega)}"
                )


def _not_a_head(part: Element, match: TimedSolutions, words: Words) -> str:
    at = words.instant(match.time)
    if match.conditions:
        nothing: Solutions = frozenset({EMPTY_MAPPING})
        why = words.clash(nothing, match.omega, match.conditions, frozenset())
        return f"{atom_to_text(part.atom)} at {at} has no past to look at: {why}"
    return f"{atom_to_text(part.atom)} at {at} does not begin where the window does"


def _no_link(
    stop: _Stop, part: Element, candidates: list[TimedSolutions], words: Words
) -> Iterator[str]:
    for match in candidates:
        here = f"{atom_to_text(part.psi)} at {words.instant(match.time)}"
        for node in stop.past:
            yield f"{here}, after {words.instant(node.pair.time)}: " + _why_not(
                node, match, part, stop.context, words
            )


def _why_not(
    node: Node, match: TimedSolutions, part: Element, context: Context, words: Words
) -> str:
    since, now = node.pair.time, match.time
    if since >= now:
        return "not later than what comes before it (Defs. 10–12)"
    joined = part.joined(node.pair.omega, match.omega, match.conditions)
    if not joined:
        why = words.clash(node.pair.omega, match.omega, match.conditions, part.local)
        return f"does not join: {why}"
    if part.operator is Operator.STRICT and not context.sigma.contiguous(since, now):
        between = [words.event(e) for e in context.sigma.events if since < e.time < now]
        return f"not contiguous, there is {' and '.join(between[:3])} (Def. 12)"
    if part.operator is Operator.NEXT:
        earlier = min(
            (m.time for m in part.matches
             if since < m.time < now
             and part.joined(node.pair.omega, m.omega, m.conditions)),
            default=None,
        )
        if earlier is not None:
            return (
                f"{atom_to_text(part.psi)} at {words.instant(earlier)} joins before and takes its"
                " place (Def. 11)"
            )
    absent = part.link.absent if part.link is not None else ()
    for operand in absent:
        if not all(is_absent(operand, mu, since, now, context) for mu in joined):
            return f"an event between them matches {operand.name} (negation=absence)"
    if isinstance(part.atom, KleenePlus):
        return "joins, but with other values than those asked for in the last iteration"
    return "joins, but with other values than those asked for"
