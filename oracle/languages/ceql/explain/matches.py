"""Why a complex event is one: its events in order, what FILTER asks, and every later clause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .....semantics.ceql.denotation import asked, is_within, valuations
from .....semantics.ceql.later_language import Moment, moments
from .....semantics.ceql.syntax.analysis import conjuncts
from .....semantics.ceql.syntax.printing import condition_to_text, formula_to_text, selected_to_text
from .....semantics.ceql.syntax.readings import Readings
from .....semantics.ceql.syntax.results import ComplexEvent
from .....semantics.ceql.syntax.tree import CeqlQuery, Consumption, NotFormula, Strategy
from .....semantics.ceql.valuations import (
    Stream,
    Valuation,
    complex_event,
    projected,
    with_bindings,
)
from .....semantics.model.tuples import EventTuple
from .derivations import Derivations, Step
from .wording import Words, conjoined, positions_shown

_LINKS = {
    ";": "It comes after {before}: ';'",
    ":": "It is next to {before}: ':'",
    "+": "It begins another iteration, after {before}: '+'",
    ":+": "It begins another iteration, next to {before}: ':+'",
}


def explain_ceql_match(
    query: CeqlQuery, stream: Sequence[EventTuple], readings: Readings, event: ComplexEvent
) -> Iterator[str]:
    """One derivation of a result of the query, and why no clause throws it away."""
    words = Words(query, stream)
    moment = next(m for m in moments(words.evaluated, stream, readings) if event in m.results)
    s = moment.stream
    v = next(v for v in valuations(words.evaluated.projected, s) if _is(v, event))
    derivations = Derivations(s)
    made = next(w for w in derivations.of(query.formula) if _leads_to(w, v, query))
    derivation = derivations.derivation(query.formula, made)
    before: Step | None = None
    for number, step in enumerate(derivation.steps, start=1):
        yield from _step(words, number, step, before, s)
        before = step
    for held in derivation.held:
        for condition in conjuncts(held.condition):
            said = words.verdict(condition, held.of, s)
            if len(said) == 1:
                yield f"FILTER: {said[0]}."
            else:
                yield f"FILTER: {condition_to_text(condition)} holds: {'; '.join(said)}."
    yield from _clauses(words, moment, v, made, readings)


def _is(v: Valuation, event: ComplexEvent) -> bool:
    result = complex_event if event.bindings is None else with_bindings
    return result(v) == event


def _leads_to(w: Valuation, v: Valuation, query: CeqlQuery) -> bool:
    if query.select is None:
        return w == v
    return projected(w, [str(each.variable) for each in query.select]) == v


def _step(
    words: Words, number: int, step: Step, before: Step | None, s: Stream
) -> Iterator[str]:
    names = f", as {conjoined(step.variables)}" if step.variables else ""
    yield f"{number}. {words.tuple(step.position)}{names}"
    if isinstance(step.atom, NotFormula):
        shown = formula_to_text(step.atom.formula)
        yield f"   {shown} does not match it: NOT(…), which takes the event and no data."
    if before is None:
        yield "   It begins the match (Table 2, event types)."
        return
    said = _LINKS[step.link].format(before=before.position)
    passed = [i for i, _ in s if before.position < i < step.position]
    over = ""
    if passed:
        over = f" {conjoined(list(map(str, passed)))} {'is' if len(passed) == 1 else 'are'}" \
            " passed over."
    yield f"   {said} (Table 2).{over}"


def _clauses(
    words: Words, moment: Moment, v: Valuation, made: Valuation, readings: Readings
) -> Iterator[str]:
    query = words.query
    if query.partition:
        first = words.stream[v.start]
        values = words.values(first, asked(first, query.partition, readings.partition))
        yield f"PARTITION BY: all of it is in the partition of {values} (section 2.2)."
    if query.select is not None:
        chosen = ", ".join(map(selected_to_text, query.select)) or "NONE"
        forgotten = made.data - v.data
        if forgotten:
            yield f"SELECT {chosen} forgets {positions_shown(forgotten)} (π, Table 2)."
        else:
            yield f"SELECT {chosen} forgets none of its data (π, Table 2)."
    if query.within is not None:
        span = words.span(v.start, v.end)
        yield f"{words.window(readings.within)} lets it be: {span} (section 2.2)."
    if query.strategy is not Strategy.ALL:
        yield _strategy(words, moment, v, readings)
    if query.consume is not Consumption.NONE:
        where = "" if query.consume is Consumption.ANY else " of its partition"
        yield (
            f"CONSUME BY {query.consume}: it triggers output, and the events{where} up to"
            f" {moment.end} are forgotten."
        )
    if query.limit is not None:
        yield (
            f"LIMIT {query.limit} leaves it, one of {len(moment.results)} that the event at"
            f" {moment.end} triggers (limit={readings.limit})."
        )


def rivals(query: CeqlQuery, moment: Moment, readings: Readings) -> list[Valuation]:
    """The matches among which a strategy chooses at an end position."""
    matched = [v for v in valuations(query.projected, moment.stream) if v.end == moment.end]
    within = query.within
    if within is None or readings.strategy == "before-within":
        return matched
    return [v for v in matched if is_within(v, within, moment.stream, readings.within)]


_UNBEATEN = {
    Strategy.NEXT: "none has the smallest position in which it differs from this one",
    Strategy.LAST: "none has the largest position in which it differs from this one",
    Strategy.MAX: "none has all of its data and more",
}


def _strategy(words: Words, moment: Moment, v: Valuation, readings: Readings) -> str:
    query = words.query
    others = len({w.data for w in rivals(words.evaluated, moment, readings)} - {v.data})
    told = f"SELECT {query.strategy} (COR-4, strategy={readings.strategy})"
    if query.strategy is Strategy.STRICT:
        return f"{told} takes it: nothing stands between its positions {positions_shown(v.data)}."
    if query.strategy is Strategy.ANY:
        return f"{told} takes some one of the {others + 1} that end at {v.end}: this one here."
    if not others:
        return f"{told} takes it: no other match ends at {v.end}."
    other = "1 other match ends" if others == 1 else f"{others} other matches end"
    return f"{told} takes it: {other} at {v.end}, and {_UNBEATEN[query.strategy]}."
