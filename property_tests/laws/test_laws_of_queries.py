"""Laws of queries over RDF streams that hold in every language, whatever its patterns mean.

They are checked on the definitions and on the engine: what both get wrong breaks one. What is a law
of one language alone is in its own folder.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from rdflib.term import URIRef, Variable

from denota.oracle.cases.case import Case
from denota.semantics.cqels.syntax import tree as c
from denota.semantics.model.interval_solutions import Reported
from denota.semantics.model.items import IntervalGraph, Item
from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.temporal_graphs import TemporalGraph
from denota.semantics.model.trees import changed, has
from denota.semantics.rdf.syntax.tree import (
    Bind,
    Element,
    Filter,
    GroupGraphPattern,
    MinusPattern,
    OptionalPattern,
    SelectQuery,
    UnionPattern,
)
from denota.semantics.rsepql.syntax import tree as r
from denota.strategies import cqels_cases, rsepql_cases

from ..examples import examples

Answers: TypeAlias = "Counter[tuple[tuple[int, ...], frozenset[tuple[Any, Any]]]]"
"""How often each solution is told, with its times"""

MOST = 80


class Asked(ABC):
    """How the laws ask a language's cases."""

    bags = False
    """Whether a solution may be told more than once."""
    beat = 1
    """Times are moved by so many ticks, or a multiple: as many as steps of windows divide."""
    asked_at_items = False
    """Whether a query is asked when an item of any stream comes, where no times are given."""

    @abstractmethod
    def cases(self) -> SearchStrategy[Any]:
        """The language's cases."""

    @abstractmethod
    def elements(self, case: Case) -> tuple[Element, ...]:
        """Of its group."""

    @abstractmethod
    def selecting(self, case: Case, *elements: Element) -> Case:
        """The case with SELECT *, of these elements if any are given."""

    @abstractmethod
    def told(self, result: Any) -> Iterable[tuple[tuple[int, ...], SolutionMapping]]:
        """The solutions of a result, with their times."""

    @abstractmethod
    def names(self, case: Case) -> Iterable[URIRef]:
        """Names that say nothing, those of streams aside."""

    def later(self, query: Any, shift: int) -> Any:
        """The query with the instants that it names moved."""
        return query

    def is_timeless(self, case: Case) -> bool:
        """Whether it has answers that rest on no item, which have no time to be moved."""
        return False

    def counts(self, case: Case) -> bool:
        """Whether an item that comes twice counts twice."""
        return False

    # --- both sides ---

    def by_definition(self, case: Case) -> Answers:
        return self._counted(case.denotation())

    def by_engine(self, case: Case) -> Answers:
        return self._counted(case.matches())

    def _counted(self, results: Iterable[Any]) -> Answers:
        found = Counter(
            (times, frozenset(mu.items())) for each in results for times, mu in self.told(each)
        )
        assert self.bags or max(found.values(), default=1) == 1
        return found


class Rsepql(Asked):
    bags = True
    beat = 60

    def cases(self) -> SearchStrategy[Any]:
        return rsepql_cases()

    def elements(self, case: Case) -> tuple[Element, ...]:
        where = case.query.form.where
        return () if where is None else where.elements

    def selecting(self, case: Case, *elements: Element) -> Case:
        where = GroupGraphPattern(elements or self.elements(case))
        form = SelectQuery(None, where, dataset=case.query.form.dataset)
        return case.but(query=replace(case.query, form=form))

    def told(self, result: Any) -> Iterator[tuple[tuple[int, ...], SolutionMapping]]:
        return (((result.time,), mu) for mu in result.content)

    def names(self, case: Case) -> Iterator[URIRef]:
        return (w.name for w in case.query.windows if w.name is not None)

    def later(self, query: Any, shift: int) -> Any:
        def at(moment: r.Moment) -> r.Moment:
            return replace(moment, value=moment.value + shift)

        def moved(part: Any) -> Any:
            match part:
                case r.LandmarkWindow(start):
                    return r.LandmarkWindow(at(start))
                case r.IntervalWindow(first, last):
                    return r.IntervalWindow(at(first), at(last))
                case r.TimeBasedWindow(start=r.Moment() as start):
                    return replace(part, start=at(start))
            return part

        return replace(query, windows=changed(query.windows, moved))

    def counts(self, case: Case) -> bool:
        return has(case.query.windows, r.CountWindow)


class Cqels(Asked):
    beat = 12
    asked_at_items = True

    def cases(self) -> SearchStrategy[Any]:
        return cqels_cases()

    def elements(self, case: Case) -> tuple[Element, ...]:
        elements: tuple[Element, ...] = case.query.where.elements
        return elements

    def selecting(self, case: Case, *elements: Element) -> Case:
        where = GroupGraphPattern(elements or self.elements(case))
        return case.but(query=replace(
            case.query, where=where, select=None, template=None, output=None,
        ))

    def told(self, result: Any) -> Iterator[tuple[tuple[int, ...], SolutionMapping]]:
        when: tuple[int, ...] = ()
        if isinstance(result, Reported):
            when, result = (result.time,), result.element
        yield (*when, result.start, result.end), result.mapping

    def names(self, case: Case) -> Iterator[URIRef]:
        return (w.name for w in case.query.windows)

    def is_timeless(self, case: Case) -> bool:
        return not _rests_on_items(case.query.where)

    def counts(self, case: Case) -> bool:
        return has(case.query.windows, c.TriplesWindow)


def _rests_on_items(group: GroupGraphPattern) -> bool:
    """Whether whatever answers the group is joined with an item, which limits its interval.

    OPTIONAL and MINUS keep what they find before them, be it the background, or nothing at all.
    """
    return any(
        all(map(_rests_on_items, element.alternatives)) if isinstance(element, UnionPattern)
        else isinstance(element, c.WindowPattern | c.WindowSequence)
        for element in group.elements
    )


every_language = pytest.mark.parametrize("language", [Rsepql(), Cqels()], ids=["rsepql", "cqels"])
both = pytest.mark.parametrize("answers", [Asked.by_definition, Asked.by_engine])
Evaluate: TypeAlias = Callable[[Asked, Case], Answers]


# --- names and time ------------------------------------------------------------------------------


@every_language
@both
@examples(MOST)
@given(data=st.data())
def test_names_say_nothing(language: Asked, answers: Evaluate, data: st.DataObject) -> None:
    """Other variables, other windows and streams, and two resources changed for one another."""
    case = language.selecting(data.draw(language.cases()))
    a, b = (URIRef(f"http://example.org/{name}") for name in "ab")
    named = {*language.names(case), *case.streams}
    others = {a: b, b: a, **{name: URIRef(f"{name}-0") for name in named}}

    def other(part: Any) -> Any:
        if isinstance(part, Variable):
            return Variable(f"{part}0")
        return others.get(part, part) if isinstance(part, URIRef) else part

    renamed = case.but(
        query=changed(case.query, other),
        streams={
            other(name): tuple(changed(item, other) for item in items)
            for name, items in case.streams.items()
        },
        kb={name: changed(graph, other) for name, graph in case.kb.items()},
    )
    assert answers(language, renamed) == Counter({
        (times, frozenset((other(v), other(term)) for v, term in mu)): count
        for (times, mu), count in answers(language, case).items()
    })


@every_language
@both
@examples(MOST)
@given(data=st.data())
def test_time_has_no_origin(language: Asked, answers: Evaluate, data: st.DataObject) -> None:
    """Everything a while later, by as much as windows step: so are the answers."""
    case = language.selecting(data.draw(language.cases()))
    if language.is_timeless(case):
        return
    shift = data.draw(st.integers(-2, 4)) * language.beat * (1_000_000 if case.dated else 1)
    evaluation = dict(case.evaluation)
    if "at" in evaluation:
        evaluation["at"] = [t + shift for t in evaluation["at"]]
    for bound in ("first", "last"):
        if evaluation.get(bound) is not None:
            evaluation[bound] += shift
    later = case.but(
        query=language.later(case.query, shift),
        streams={
            name: tuple(moved(item, shift) for item in items)
            for name, items in case.streams.items()
        },
        kb={
            name: TemporalGraph(tuple((t + shift, g) for t, g in graph.changes), graph.kind)
            if isinstance(graph, TemporalGraph) else graph
            for name, graph in case.kb.items()
        },
        evaluation=evaluation,
    )
    assert answers(language, later) == Counter({
        (tuple(t + shift for t in times), mu): count
        for (times, mu), count in answers(language, case).items()
    })


def moved(item: Item, shift: int) -> Item:
    if isinstance(item, IntervalGraph):
        return replace(item, start=item.start + shift, end=item.end + shift)
    return replace(item, time=item.time + shift)


# --- streams -------------------------------------------------------------------------------------


@every_language
@both
@examples(MOST)
@given(data=st.data())
def test_a_stream_that_nobody_names_changes_nothing(
    language: Asked, answers: Evaluate, data: st.DataObject
) -> None:
    case = language.selecting(data.draw(language.cases()))
    items = [item for stream in case.streams.values() for item in stream]
    if items and ("at" in case.evaluation or not language.asked_at_items):
        early, late = moved(items[0], -items[0].end), moved(items[0], 1 << 60)
        streams = {**case.streams, URIRef("urn:noise"): (early, late)}
        assert answers(language, case.but(streams=streams)) == answers(language, case)


@every_language
@both
@examples(MOST)
@given(data=st.data())
def test_an_item_twice_says_nothing_more(
    language: Asked, answers: Evaluate, data: st.DataObject
) -> None:
    """Items are matched as a set is; only windows by count do count."""
    case = language.selecting(data.draw(language.cases()))
    names = sorted(name for name, items in case.streams.items() if items)
    if not names or language.counts(case):
        return
    name = data.draw(st.sampled_from(names))
    items = case.streams[name]
    k = data.draw(st.integers(0, len(items) - 1))
    twice = {**case.streams, name: (*items[:k], items[k], *items[k:])}
    assert answers(language, case.but(streams=twice)) == answers(language, case)


# --- the algebra ---------------------------------------------------------------------------------


def joined(language: Asked, case: Case) -> tuple[Element, ...]:
    """The elements of a group that are joined with the others wherever they stand."""
    apart = OptionalPattern | MinusPattern | Bind | Filter
    return tuple(each for each in language.elements(case) if not isinstance(each, apart))


@every_language
@both
@examples(MOST)
@given(data=st.data())
def test_joins_commute_and_distribute_over_union(
    language: Asked, answers: Evaluate, data: st.DataObject
) -> None:
    case = data.draw(language.cases())
    elements = joined(language, case)
    if not elements:
        return
    expected = answers(language, language.selecting(case, *elements))
    assert answers(language, language.selecting(case, *elements[::-1])) == expected
    for union in (each for each in elements if isinstance(each, UnionPattern)):
        rest = tuple(each for each in elements if each is not union)
        apart = UnionPattern(tuple(
            GroupGraphPattern((*rest, UnionPattern((alternative,))))
            for alternative in union.alternatives
        ))
        backwards = UnionPattern(union.alternatives[::-1])
        assert answers(language, language.selecting(case, apart)) == expected
        assert answers(language, language.selecting(case, *rest, backwards)) == expected


@every_language
@both
@examples(MOST)
@given(data=st.data())
def test_union_adds_up(language: Asked, answers: Evaluate, data: st.DataObject) -> None:
    """Bags add up; of sets, the union with itself is the same."""
    case = data.draw(language.cases())
    elements = joined(language, case)
    if elements:
        group = GroupGraphPattern(elements)
        doubled = answers(language, language.selecting(case, UnionPattern((group, group))))
        once = answers(language, language.selecting(case, *elements))
        assert doubled == (once + once if language.bags else once)
