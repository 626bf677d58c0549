"""Engines with one mistake each: fuzzing finds the mistake, and shrinks the case that shows it.

An engine evaluates the definitions, or the production engine, on a changed case, or the definitions
with one function replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from unittest import mock

import pytest
from rdflib import BNode

from denota.oracle.cases.case import Case, Task
from denota.oracle.cases.case_reader import read_case
from denota.oracle.checking.case_checker import check_case
from denota.oracle.checking.levels import Level
from denota.oracle.checking.verdicts import Outcome
from denota.oracle.engines.builtin import Oracle, Production
from denota.oracle.fuzzing.clusters import Discrepancy
from denota.oracle.fuzzing.differential import fuzz
from denota.oracle.inputs.streams import SECOND, instant
from denota.oracle.languages.registry import language as language_named
from denota.oracle.languages.registry import part_of
from denota.semantics.ceql.syntax import tree as ceql
from denota.semantics.cqels import denotation as cqels
from denota.semantics.cqels import operators
from denota.semantics.model.interval_solutions import IntervalSolution
from denota.semantics.model.items import TimeKind
from denota.semantics.model.mappings import Solutions
from denota.semantics.rdf.syntax import tree as s
from denota.semantics.rdf.syntax.variables import mentioned_variables, possible_variables
from denota.semantics.rsepql import consumption_history, dataset, event_patterns
from denota.semantics.rsepql import window_functions as windows
from denota.semantics.rsepql.syntax import tree as r
from denota.semantics.spaseq import denotation as spaseq
from denota.semantics.spaseq import stateful_filters
from denota.semantics.spaseq.syntax.readings import Readings
from denota.semantics.spaseq.syntax.tree import (
    Conjunction,
    Disjunction,
    KleenePlus,
    Negation,
    Operator,
    Step,
)

Change: TypeAlias = Callable[[Case], Case]

SEEDS = range(1, 6)


class Size(NamedTuple):
    """The numbers of items and of operators that a shrunk case has at most.

    In CEQL, formulas count as operators; in CQELS-CEP, nothing counts operators.
    """

    items: int
    operators: int | None = None


SMALL = {"spaseq": Size(3, 2), "rsepql": Size(4, 2), "cqels": Size(3), "ceql": Size(3, 3)}


@dataclass(frozen=True)
class Planted:
    """An engine that evaluates a changed case, with functions of the definitions replaced.

    Attributes:
        change: the change of the case.
        replaced: functions to replace: module or class, name, replacement.
        production: the production engine evaluates the changed case, not the definitions.
        small: the largest shrunk case, where it is not that of the language.
        slow: only `make test-all` looks for the mistake.
        crashes: the engine raises an exception instead of returning other results.
    """

    name: str
    language: str
    change: Change = lambda case: case
    replaced: tuple[tuple[Any, str, Any], ...] = ()
    production: bool = False
    small: Size | None = None
    slow: bool = False
    crashes: bool = False
    version: str = ""

    @property
    def languages(self) -> tuple[str, ...]:
        return (self.language,)

    @property
    def level(self) -> Level:
        return language_named(self.language).levels[0]

    def run(self, task: Task) -> Iterable[Any]:
        case = self.change(Case(
            task.language_name, task.tree,
            {name: tuple(items) for name, items in task.streams.items()},
            dict(task.kb), task.readings, task.evaluation,
        ))
        with ExitStack() as patches:
            for module, name, replacement in self.replaced:
                patches.enter_context(mock.patch.object(module, name, replacement))
            return list(case.matches() if self.production else case.denotation())


def _query(**changes: Any) -> Change:
    return lambda case: case.but(query=replace(case.query, **changes))


def _readings(**changes: Any) -> Change:
    return lambda case: case.but(readings=replace(case.readings, **changes))


# --- SPAseq --------------------------------------------------------------------------------------


def _with_atoms(change: Callable[[Any], Any]) -> Change:
    def changed(case: Case) -> Case:
        sequence = case.query.sequence
        steps = tuple(Step(step.operator, change(step.atom)) for step in sequence.steps)
        sequence = replace(sequence, first=change(sequence.first), steps=steps)
        return case.but(query=replace(case.query, sequence=sequence))

    return changed


def _with_operator(wrong: Operator, instead: Operator) -> Change:
    def changed(case: Case) -> Case:
        sequence = case.query.sequence
        steps = tuple(
            Step(instead if step.operator is wrong else step.operator, step.atom)
            for step in sequence.steps
        )
        return case.but(query=replace(case.query, sequence=replace(sequence, steps=steps)))

    return changed


def _default_reading(**instead: Any) -> Change:
    """Change each named reading that has its default."""

    def changed(case: Case) -> Case:
        default = Readings()
        values = {
            name: value for name, value in instead.items()
            if getattr(case.readings, name) == getattr(default, name)
        }
        return case.but(readings=replace(case.readings, **values))

    return changed


_skip_till_next = spaseq.skip_till_next


def _mappings_blocked_one_by_one(sigma: stateful_filters.Pairs, psi: Any, joined: Any) -> Any:
    """In `;`, let the pair (τ', X) go on with the mappings of X that were not joined yet."""
    found: dict[Any, Solutions] = {}
    for past in sigma:
        for mu in past.omega:
            alone = stateful_filters.TimedSolutions(past.time, frozenset({mu}))
            for time, omega in _skip_till_next(frozenset({alone}), psi, joined):
                found[past, time] = found.get((past, time), frozenset()) | omega
    return frozenset(
        stateful_filters.TimedSolutions(time, omega) for (_, time), omega in found.items()
    )


def _start(case: Case) -> int | None:
    times = [item.time for stream in case.streams.values() for item in stream]
    start: int | None = case.evaluation.get("from", min(times, default=None))
    return start


def _named_streams_alone(case: Case) -> Case:
    named = {clause.iri for clause in case.query.streams}
    known = {name: stream for name, stream in case.streams.items() if name in named}
    start = _start(case)
    return case.but(streams=known, evaluation={} if start is None else {"from": start})


def _join_of_everything(X: Solutions, Y: Solutions) -> Solutions:
    """Join mappings whose shared variables differ; the later value wins."""
    return frozenset(
        mu for mu1 in X for mu2 in Y
        for mu in stateful_filters.join(frozenset({mu1.without(mu2)}), frozenset({mu2}))
    )


def _without_deferred_filters(case: Case) -> Case:
    """Drop every filter that mentions a variable of an earlier GPM."""

    def kept(element: s.Element, own: frozenset[Any]) -> bool:
        return not isinstance(element, s.Filter) or mentioned_variables(element.condition) <= own

    local = []
    for definition in case.query.definitions:
        own = possible_variables(definition.pattern)
        elements = tuple(e for e in definition.pattern.elements if kept(e, own))
        local.append(replace(definition, pattern=s.GroupGraphPattern(elements)))
    return case.but(query=replace(case.query, definitions=tuple(local)))


def _half_open(case: Case) -> Case:
    if case.readings.window != "tumbling" or case.query.within.unit == "events":
        return case
    return case.but(readings=replace(case.readings, window="tumbling-half-open"))


_kleene_plus_after = spaseq.kleene_plus_after
_union_of_powers = spaseq.union_of_powers


def _iterations_by_next(*given: Any) -> Any:
    """After an operand, link the iterations by `;` where Def. 14 says `,`."""

    def lenient(sigma: Any, psi: Any, joined: Any, _: Any) -> Any:
        return spaseq.skip_till_next(sigma, psi, joined)

    def repeated(first: Any, next_power: Any) -> Any:
        with mock.patch.object(spaseq, "strict_contiguity", lenient):
            return _union_of_powers(first, next_power)

    with mock.patch.object(spaseq, "union_of_powers", repeated):
        return _kleene_plus_after(*given)


def _first_alternative(atom: Any) -> Any:
    match atom:
        case Disjunction(operands):
            return _first_alternative(operands[0])
        case Conjunction(operands):
            return Conjunction(tuple(map(_first_alternative, operands)))
        case KleenePlus(operand):
            inner = _first_alternative(operand)
            return inner if isinstance(inner, Negation) else KleenePlus(inner)
        case _:
            return atom


def _crashes_on_blank_nodes(case: Case) -> Case:
    for stream in case.streams.values():
        for item in stream:
            if any(isinstance(term, BNode) for triple in item.graph for term in triple):
                raise RuntimeError("a blank node")
    return case


SPASEQ = (
    Planted("next_as_any", "spaseq", _with_operator(Operator.NEXT, Operator.ANY), production=True),
    Planted(
        "strict_as_next", "spaseq", _with_operator(Operator.STRICT, Operator.NEXT),
        production=True, slow=True,
    ),
    Planted(
        "any_as_next", "spaseq", _with_operator(Operator.ANY, Operator.NEXT), production=True,
        slow=True,
    ),
    Planted(
        "blocks_mappings_one_by_one", "spaseq",
        replaced=((spaseq, "skip_till_next", _mappings_blocked_one_by_one),), slow=True,
    ),
    Planted(
        "strict_among_named_streams", "spaseq", _named_streams_alone, production=True, slow=True
    ),
    Planted(
        "shared_variables_ignored", "spaseq", replaced=((spaseq, "join", _join_of_everything),),
        slow=True,
    ),
    Planted(
        "deferred_filters_dropped", "spaseq", _without_deferred_filters, production=True, slow=True
    ),
    Planted(
        "background_forgotten", "spaseq", lambda case: case.but(kb={}), production=True, slow=True
    ),
    Planted("windows_half_open", "spaseq", _half_open, production=True, slow=True),
    Planted(
        "windows_from_zero", "spaseq",
        lambda case: case.but(evaluation={"from": case.evaluation.get("from", 0)}),
        production=True, slow=True,
    ),
    Planted("kleene_joins", "spaseq", _default_reading(kleene="join"), production=True, slow=True),
    Planted(
        "kleene_once", "spaseq",
        _with_atoms(lambda atom: atom.operand if isinstance(atom, KleenePlus) else atom),
        production=True, slow=True,
    ),
    # Iterations that are not contiguous need one event before them, two of them, one in between.
    Planted(
        "kleene_strict_after_an_operand_forgotten", "spaseq",
        replaced=((spaseq, "kleene_plus_after", _iterations_by_next),), small=Size(4, 2), slow=True,
    ),
    Planted(
        "first_alternative_only", "spaseq", _with_atoms(_first_alternative), production=True,
        slow=True,
    ),
    # A • B! • C are three operators.
    Planted(
        "absences_unguarded", "spaseq",
        replaced=((spaseq, "is_absent", lambda *_: True),), small=Size(3, 3), slow=True,
    ),
    Planted("crashes_on_blank_nodes", "spaseq", _crashes_on_blank_nodes, crashes=True, slow=True),
)


# --- RSEP-QL -------------------------------------------------------------------------------------


def _unbounded(case: Case) -> Case:
    def plain(function: r.WindowFunction) -> r.WindowFunction:
        match function:
            case r.TimeBasedWindow():
                return replace(function, bounds=r.Bounds.OPEN_CLOSED)
            case r.NestedWindow(outer, inner):
                return r.NestedWindow(plain(outer), plain(inner))
        return function

    changed = tuple(replace(c, function=plain(c.function)) for c in case.query.windows)
    return case.but(query=replace(case.query, windows=changed))


def _same_time(t3: int, active: windows.Window) -> windows.Window:
    return windows.Nested(windows.Interval(None, t3), active)


def _new_units_alone(history: consumption_history.EventHistory, i: int) -> Any:
    return history.delta(i) if i else history.content(i)


RSEPQL = (
    Planted("rivals_any", "rsepql", _readings(rivals="any"), slow=True),  # its shrinking is long
    Planted("consumes_triples", "rsepql", _readings(consumption="triple")),
    Planted(
        "forgets_consumption", "rsepql", _query(consumption=r.ConsumptionPolicy.UNRESTRICTED)
    ),
    Planted("reports_everything", "rsepql", _query(operator=r.StreamOperator.RSTREAM)),
    Planted("bounds_ignored", "rsepql", _unbounded),
    Planted(
        "steps_ignored", "rsepql", replaced=((windows.TimeBased, "last_step", lambda self, t: t),)
    ),
    Planted("ties_in_sequence", "rsepql", replaced=((event_patterns, "up_to", _same_time),)),
    Planted(
        "naive_is_unrestricted", "rsepql",
        replaced=((event_patterns, "naive_sequence", event_patterns.sequence),),
    ),
    Planted(
        "sees_the_future", "rsepql", replaced=((dataset, "arrived", lambda stream, t: stream),)
    ),
    Planted(
        "consumes_forever", "rsepql",
        replaced=((consumption_history.EventHistory, "available", _new_units_alone),),
    ),
)


# --- CQELS-CEP -----------------------------------------------------------------------------------


def _seq_that_touches(one: Any, two: Any) -> Any:
    return operators.seq(one, two) | frozenset(
        IntervalSolution(a.start, b.end, a.mapping.merge(b.mapping))
        for a in one for b in two
        if a.end == b.start and a.mapping.compatible(b.mapping)
    )


def _never_between(first: Any, second: Any, third: Any, inside: str) -> bool:
    return inside == "closed" and first.end < second.start and second.end < third.start


def _unclipped(stream: Any, t: int, width: int) -> Any:
    return (each for each in stream if each.start <= t and each.end >= t - width)


def _join_that_covers(one: Any, other: Any) -> IntervalSolution:
    start, end = min(one.start, other.start), max(one.end, other.end)
    return IntervalSolution(start, end, one.mapping.merge(other.mapping))


def _head_is_tail(absent: Any, rows: Any) -> Any:
    return operators.no_tail(rows, absent, 1 << 80)


_background_pattern = cqels.background_pattern


def _since_ever(pattern: Any, context: Any) -> Any:
    found = _background_pattern(pattern, context)
    return frozenset(replace(each, start=cqels.SINCE_EVER) for each in found)


CQELS = tuple(
    Planted(name, "cqels", replaced=((module, function, changed),), slow=slow)
    for name, module, function, changed, slow in (
        ("sequences that touch", cqels, "seq", _seq_that_touches, False),
        ("closed is open", operators, "lies_between", _never_between, True),
        ("no clipping", cqels, "w_range", _unclipped, True),
        ("joins that cover", operators, "joined", _join_that_covers, True),
        ("NO_HEAD is NO_TAIL", cqels, "no_head", _head_is_tail, True),
        ("changes are not noticed", cqels, "background_pattern", _since_ever, True),
    )
)


# --- CEQL ----------------------------------------------------------------------------------------


def _next_is_last(case: Case) -> Case:
    last = case.query.strategy is ceql.Strategy.NEXT
    return _query(strategy=ceql.Strategy.LAST)(case) if last else case


def _windows_too_short(case: Case) -> Case:
    within = case.query.within
    if within is None or within.unit is not ceql.WindowUnit.EVENTS:
        return case
    return _query(within=replace(within, value=within.value - 1))(case)


def _missing_is_zero(case: Case) -> Case:
    return case.but(streams={
        name: tuple(replace(each, attributes={"n": 0, **each.attributes}) for each in stream)
        for name, stream in case.streams.items()
    })


CEQL = (
    Planted("forgets_consumption", "ceql", _query(consume=ceql.Consumption.NONE)),
    Planted("next_is_last", "ceql", _next_is_last, slow=True),
    Planted("windows_too_short", "ceql", _windows_too_short, slow=True),
    Planted("missing_is_zero", "ceql", _missing_is_zero, slow=True),
    Planted("one_partition", "ceql", _query(partition=()), slow=True),
)


def first_found(engine: Planted, examples: int, save: Path) -> Discrepancy:
    """Return the first discrepancy within `examples` cases under any of the seeds."""
    for seed in SEEDS:
        report = fuzz(
            engine, [engine.language], examples=examples, seed=seed, save=save, stop_after=1
        )
        if report.discrepancies:
            return report.discrepancies[0]
    raise AssertionError(f"not found in {examples} cases under any of {len(SEEDS)} seeds")


@pytest.mark.parametrize(
    "planted",
    [pytest.param(each, marks=[pytest.mark.slow] if each.slow else [],
                  id=f"{each.language}-{each.name}")
     for each in (*SPASEQ, *RSEPQL, *CQELS, *CEQL)],
)
def test_a_planted_bug_is_found_and_shrunk(planted: Planted, tmp_path: Path) -> None:
    language = planted.language
    found = first_found(planted, 1_500 if language == "rsepql" else 1_000, tmp_path)
    case = found.case.parsed()
    items = [item for stream in case.streams.values() for item in stream]
    most = planted.small or SMALL[language]
    assert len(items) <= most.items
    if most.operators is not None:
        assert part_of(language, "features").operator_count(case.query) <= most.operators
    if language == "cqels":
        assert sum(len(item.graph) for item in items) <= 3
        assert all(abs(_ticks(item)) <= 12 for item in items)
    assert found.path is not None
    saved = read_case(found.path)
    for right in (Oracle(), Production()):
        assert check_case(saved, right).ok, found.path.read_text()
    verdict = check_case(saved, planted)
    assert verdict.is_failure, found.path.read_text()
    assert (verdict.outcome is Outcome.CRASH) == planted.crashes, verdict


def _ticks(item: Any) -> int:
    """Return the end of an item: units or, of dateTimes, seconds after the generator's origin."""
    after: int = item.end - instant(0, item.kind)
    return after // SECOND if item.kind is TimeKind.DATETIME else after
