"""Why an RSEP-QL query has an answer or has it not: the equations of its patterns (section 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

from rdflib.term import URIRef, Variable

from ....semantics.model.items import TimestampedGraph
from ....semantics.model.mappings import EMPTY_MAPPING, SolutionMapping
from ....semantics.model.shown import text_of
from ....semantics.model.stream_operator import StreamOperator
from ....semantics.model.terms import EMPTY_GRAPH, Dataset
from ....semantics.model.trees import find
from ....semantics.rdf import evaluation as sparql
from ....semantics.rdf.expressions.context import Execution
from ....semantics.rdf.syntax.scoping import is_grouped
from ....semantics.rdf.syntax.tree import (
    Element,
    GroupGraphPattern,
    SelectQuery,
)
from ....semantics.rdf.syntax.variables import possible_variables
from ....semantics.rdf.translation import translate
from ....semantics.rsepql.clauses import streaming_dataset
from ....semantics.rsepql.dataset import StreamingDataset, WindowName
from ....semantics.rsepql.denotation import answers, formed
from ....semantics.rsepql.evaluation_times import evaluation_times
from ....semantics.rsepql.event_mappings import EventMapping, Events, distinct, joined
from ....semantics.rsepql.event_patterns import event_pattern, match_pattern, preceding, up_to
from ....semantics.rsepql.graph_patterns import at_instant
from ....semantics.rsepql.history import History
from ....semantics.rsepql.scene import Scene
from ....semantics.rsepql.stream_operators import difference
from ....semantics.rsepql.syntax import tree as s
from ....semantics.rsepql.syntax.evaluation import Evaluation
from ....semantics.rsepql.syntax.readings import Readings
from ....semantics.rsepql.syntax.results import Solutions
from ....semantics.rsepql.syntax.tree import RsepqlQuery
from ....semantics.rsepql.window_functions import Identity, Window
from ...explanations.asked import AskedRow, FoundRow, comparable
from ...explanations.derivations import Event, Frame, Goal, Premise, Step, Way, checked
from ...explanations.patterns import OnGraph, Patterns
from ...explanations.telling import Explainer
from ...explanations.triples import grounds
from ...explanations.wording import Words, counted
from ...results.json_objects import sort_key
from .language import varying

_CHOICES: Mapping[s.SequenceOperator, tuple[type[s.First] | type[s.Last], str, str]] = {
    s.SequenceOperator.CHRONOLOGICAL: (s.First, "first", "(10)"),
    s.SequenceOperator.RECENT: (s.Last, "last", "(11)"),
}
Agrees = Callable[[EventMapping], bool]


class RsepqlExplainer(Explainer):
    """What can be said of one case's answers: rows are the results."""

    noun = "answer"

    @cached_property
    def results(self) -> list[Any]:
        case = self.case
        found = []
        for answer in self.evaluated():
            if isinstance(answer.content, bool):
                found.append(FoundRow(0, EMPTY_MAPPING, self.when(answer.time, answer.content)))
            else:
                for _, mu in case.language.flat_rows(answer, case.tree, case.readings):
                    found.append(FoundRow(0, mu, self.when(answer.time)))
        return found

    @staticmethod
    def when(at: int, boolean: bool | None = None) -> dict[str, Any]:
        told = {"at": at, "time": at}
        return told if boolean is None else {**told, "boolean": boolean}

    def rows_of(self, number: int, result: FoundRow) -> Iterable[FoundRow]:
        return [replace(result, number=number)]

    @cached_property
    def replayed(self) -> Replayed:
        case = self.case
        evaluation = Evaluation.of(case.evaluation)
        query, streams, kb = varying(evaluation.applied_to(case.tree), case.streams, case.kb)
        return Replayed(
            self.words, query, {iri: tuple(stream) for iri, stream in streams.items()}, kb,
            case.readings, evaluation,
        )

    def presence(self, number: int) -> Goal:
        row = self.results[number - 1]
        copy = self.results[: number - 1].count(row)
        return Goal(lambda: [Way("", self.replayed.answer(row.when["at"], row.mu, copy))])

    def absence(self, asked: AskedRow) -> Goal:
        at = asked.when.get("at", asked.when.get("time"))
        times = list(self.replayed.moments)
        if not times:
            return Goal(list, "The query is never evaluated (Def. 5)")
        if at is None:
            at = times[-1]
        if at not in times:
            shown = ", ".join(map(self.words.instant, times[:10]))
            return Goal(list, f"The query is not evaluated at {self.words.instant(at)} (Def. 5):"
                        f" it is at {shown}")
        when = f"At {self.words.instant(at)}"

        def premises() -> Iterator[Premise]:
            yield from self.replayed.answer(at, comparable(asked.mu), None)
            yield checked(False, false="The patterns have it; what else the query says (its form,"
                       " modifiers) drops it")

        return Goal(lambda: [Way(premises=premises(), supposing=when)])


class Replayed:
    """One query on its streams, replayed from evaluation to evaluation."""

    def __init__(
        self, words: Words, query: RsepqlQuery, streams: Any, kb: Any, readings: Readings,
        evaluation: Evaluation,
    ) -> None:
        self.words, self.query, self.readings = words, query, readings
        self.sds: StreamingDataset = streaming_dataset(query, streams, kb)
        patterns = [each.event for each in find(query.form, s.MatchPattern)]
        history = History(query, self.sds, readings)
        omegas = {t: omega for t, _, omega in answers(query, streams, kb, readings, evaluation)}
        self.moments: dict[int, At] = {}
        for t in evaluation_times(self.sds, evaluation):
            at = self.moments[t] = At(self, t, self.sds.at(t), omegas[t], {}, {})
            for e in dict.fromkeys(patterns):
                scene = at.scenes[e] = history.scene(e, t, at.dataset)
                found = event_pattern(e, Identity(), scene)
                history.remember(e, scene, found)
                at.found[e] = distinct(found)

    def answer(self, t: int, row: SolutionMapping, copy: int | None) -> Iterator[Premise]:
        """What makes a row an answer at t, as far as the patterns go; of equal ones the `copy`-th.
        """
        form, operator = self.query.form, self.query.operator
        times = list(self.moments)
        now, place = self.moments[t], times.index(t)
        before = self.moments[times[place - 1]] if place else None
        told, other = now, None
        if operator is StreamOperator.ISTREAM:
            other = before
        elif operator is StreamOperator.DSTREAM:
            told, other = before or now, now
        yield from told.windows()
        if form.where is None:
            return
        reported = told.omega if other is None else difference(told.omega, other.omega)
        reported_so = self.giving(row, reported, now)
        so = reported_so or self.giving(row, told.omega, now)
        mu = so[0] if so else row if isinstance(form, SelectQuery) else EMPTY_MAPPING
        whole = told.patterns(copy).group(form.where, mu.project(possible_variables(form.where)))
        if is_grouped(form) and copy is not None and not whole.proof.holds:
            yield Step("WHERE has no solution: the aggregate is that of none (18.5.1)")
            return
        yield whole
        if operator is not StreamOperator.RSTREAM:
            at = "before" if other is None else f"at {self.words.instant(other.t)}"
            yield checked(
                reported_so, true=f"{operator} reports it: it is not there {at}",
                false=f"{operator} does not report it: it is there {at}, too",
            )

    def giving(
        self, row: SolutionMapping, omega: Iterable[SolutionMapping], at: At
    ) -> list[SolutionMapping]:
        """The solutions of which the query form makes the row; first those that are the row."""
        known = comparable(row)

        def gives(mu: SolutionMapping) -> bool:
            content = formed(self.query.form, (mu,), at.dataset)
            if isinstance(content, frozenset):
                return any(set(known.values()) <= set(triple) for triple in content)
            return isinstance(content, bool) or mu.compatible(known)

        return sorted(filter(gives, omega), key=lambda mu: mu != row)


@dataclass(frozen=True)
class At:
    """An evaluation time: the snapshots, the bag of solutions, and what every MATCH found."""

    replayed: Replayed
    t: int
    dataset: Dataset
    omega: Solutions
    scenes: dict[s.EventPattern, Scene]
    found: dict[s.EventPattern, Events]

    def patterns(self, copy: int | None) -> AtPatterns:
        return AtPatterns(self, copy)

    def windows(self) -> Iterator[Step]:
        """What the windows hold."""
        words = self.replayed.words
        for name, windowed in self.replayed.sds.windows.items():
            times = [item.time for item in windowed.at(self.t)]
            shown = ", ".join(map(words.instant, times[:10])) + (", …" if len(times) > 10 else "")
            held = f"the graphs at {shown}" if times else "no graph"
            at = f"{words.term(name)} at {words.instant(self.t)}"
            frames = (Frame(at, min(times), max(times)),) if times else ()
            yield Step(f"The window {words.term(name)} holds {held} (Def. 3)", frames=frames)


class AtPatterns(Patterns[SolutionMapping]):
    """Graph patterns at an evaluation time, (1) to (3), and MATCH, (8)."""

    def __init__(self, at: At, copy: int | None) -> None:
        super().__init__(at.replayed.words)
        self.at, self.copy = at, copy
        self.replayed = at.replayed

    def solutions(self, group: GroupGraphPattern) -> Sequence[SolutionMapping]:
        form = at_instant(
            SelectQuery(None, group, prologue=self.replayed.query.form.prologue),
            list(self.replayed.sds.windows), lambda e: match_pattern(self.at.found[e]),
        )
        dataset, readings = self.at.dataset, self.replayed.readings
        execution = Execution(form.prologue.base, readings.exists == "substituted")
        active = sparql.Evaluation(dataset, dataset.default, execution)
        return sparql.evaluate_algebra(translate(form.where), active)

    def mapping(self, found: SolutionMapping) -> SolutionMapping:
        return found

    def grounds(self, element: Element, found: SolutionMapping) -> Iterable[Step]:
        dataset = self.at.dataset
        group = GroupGraphPattern((element,))
        return grounds(self.words, group, found, dataset.default, dataset.named)

    def own(self, element: Element, mu: SolutionMapping) -> Goal | None:
        match element:
            case s.MatchPattern(event):
                return self.matching(event, mu)
            case s.WindowPattern(URIRef() as name, pattern):
                return InWindow(self, name).group(pattern, mu)
            case s.WindowPattern(Variable() as variable, pattern):
                return Goal(lambda: [
                    Way("", (InWindow(self, name).group(pattern, mu),))
                    for found in self.agreeing([element], mu)[:1]
                    for name in [cast(URIRef, found[variable])]
                ], self.nowhere(element))
        return None

    def matching(self, e: s.EventPattern, mu: SolutionMapping) -> Goal:
        """(8): that MATCH has a solution; of equal answers each has an interval of its own."""
        def agrees(event: EventMapping) -> bool:
            return event.mu.compatible(mu)

        events = EventRules(self.words, self.replayed, self.at.scenes[e], mu)
        found = in_order(filter(agrees, self.at.found[e]))
        if self.copy is not None and len(self.at.found) == 1 and self.copy < len(found):
            found = found[self.copy : self.copy + 1]

        def ways() -> Iterator[Way]:
            for event in found:
                yield Way(
                    f"MATCH finds it over {events.span(event)} (8)",
                    (events.goal(e, Identity(), EMPTY_MAPPING, event.__eq__),),
                )
            if not found:
                yield Way("", (events.goal(e, Identity(), EMPTY_MAPPING, agrees),))

        return Goal(ways)


class InWindow(OnGraph):
    """Graph patterns, and MATCH, on what a window holds."""

    def __init__(self, outside: AtPatterns, name: URIRef) -> None:
        named = outside.at.dataset.named
        super().__init__(
            outside.words,
            lambda group, _: outside.solutions(GroupGraphPattern((s.WindowPattern(name, group),))),
            named.get(WindowName(name), EMPTY_GRAPH),
            f" in the window {outside.words.term(name)}", named,
        )
        self.outside = outside

    def own(self, element: Element, mu: SolutionMapping) -> Goal | None:
        return self.outside.own(element, mu)


def in_order(events: Iterable[EventMapping]) -> list[EventMapping]:
    return sorted(events, key=lambda each: (each.end, each.start, sort_key(each.mu)))


class EventRules:
    """Equations (4) to (11), and what a consumption policy leaves for (4), at one time."""

    def __init__(
        self, words: Words, replayed: Replayed, scene: Scene, asked: SolutionMapping
    ) -> None:
        self.words, self.replayed, self.scene, self.asked = words, replayed, scene, asked
        self.free = replace(scene, input=None)

    def goal(
        self, e: s.EventPattern, active: Window, mu: SolutionMapping, agrees: Agrees
    ) -> Goal:
        """That ⟨⟨μ(E)⟩⟩_W has an event as is wanted."""
        match e:
            case s.Event():
                return Goal(lambda: self.basic(e, active, mu, agrees),
                            f"{self.text(e)} matches no graph of its window (4)")
            case s.First(operand) | s.Last(operand):
                return Goal(lambda: self.chosen(e, operand, active, mu, agrees))
            case s.Sequence():
                return Goal(lambda: self.sequence(e, active, mu, agrees))

    def events(
        self, e: s.EventPattern, active: Window, mu: SolutionMapping, agrees: Agrees,
        scene: Scene | None = None,
    ) -> list[EventMapping]:
        found = distinct(event_pattern(e, active, scene or self.scene, mu))
        return in_order(filter(agrees, found))

    def basic(
        self, e: s.Event, active: Window, mu: SolutionMapping, agrees: Agrees
    ) -> Iterator[Way]:
        """(4), and (12) under a consumption policy"""
        stream = self.replayed.query.window(e.window).stream
        for found in self.events(e, active, mu, agrees):
            yield Way(
                f"{self.text(e)} matches {self.item(e, found.start)} at"
                f" {self.words.instant(found.start)}, with {self.words.mapping(found.mu)} (4)",
                self.grounds(e, found),
                event=Event(str(stream or ""), found.start, found.end),
            )
        gone = self.events(e, active, mu, agrees, self.free)
        if gone:
            times = ", ".join(dict.fromkeys(self.words.instant(each.start) for each in gone))
            yield Way(premises=(Step(), Step(), checked(
                False, false=f"{self.text(e)} matched at {times}, but that was consumed (12)"
            )))
            return
        for item in active(self.scene.contents[e.window], self.scene.t):
            on = OnGraph(
                self.words, lambda P, G: sparql.solutions(P, G, self.scene.dataset.named),
                item.graph,
                f" by {self.named(e, item)} at {self.words.instant(item.time)} (4)",
                self.scene.dataset.named,
            )
            wanted = self.asked.merge(mu.without(self.asked))
            yield Way(premises=(
                on.group(e.pattern, wanted.project(possible_variables(e.pattern))),
                checked(False, false="it is followed by nothing that agrees"),
            ))

    def grounds(self, e: s.Event, found: EventMapping) -> list[Step]:
        """The triples of the graph that an EVENT matches."""
        named = self.scene.dataset.named
        for item in self.scene.contents[e.window]:
            if item.time == found.start:
                rests = grounds(self.words, e.pattern, found.mu, item.graph, named)
                if rests:
                    return rests
        return []

    def chosen(
        self, e: s.First | s.Last, operand: s.EventPattern, active: Window, mu: SolutionMapping,
        agrees: Agrees,
    ) -> Iterator[Way]:
        """(5) and (6)"""
        word, number = ("first", "(5)") if isinstance(e, s.First) else ("last", "(6)")
        every = self.events(operand, active, mu, lambda event: True)
        those = self.events(e, active, mu, lambda event: True)
        for found in filter(agrees, every):
            yield Way("", (
                self.goal(operand, active, mu, found.__eq__),
                checked(
                    found in those,
                    true=f"It is the {word} of {counted(len(every), 'event')}"
                    f" (order={self.replayed.readings.order}) {number}",
                    false=f"There is one over {self.span(found)}, but {word.upper()} chooses"
                    f" another {number}: {self.several(those)}",
                ),
            ))
        if not any(map(agrees, every)):
            yield Way("", (self.goal(operand, active, mu, agrees),))

    def sequence(
        self, e: s.Sequence, active: Window, mu: SolutionMapping, agrees: Agrees
    ) -> Iterator[Way]:
        """(7), (9), (10) and (11)"""
        for two in self.events(e.right, active, mu, lambda two: True):
            for one in self.before(e, two, active, mu):
                if agrees(joined(one, two)):
                    yield Way("", self.linked(e, one, two, active, mu))
        # Where nothing that is wanted precedes: why not, for each later event that may be it.
        later = self.events(e.right, active, mu, agrees)
        for two in later:
            inner, given = up_to(two.start, active), mu.merge(two.mu)
            yield Way(premises=(
                self.goal(e.right, active, mu, two.__eq__),
                self.goal(
                    e.left, inner, given, lambda one, two=two: agrees(joined(one, two))  # type: ignore[misc]
                ),
                checked(False, false=f"{e.operator} chooses nothing that precedes it"),
            ))
        if not later:
            yield Way("", (self.goal(e.right, active, mu, agrees),))

    def before(
        self, e: s.Sequence, two: EventMapping, active: Window, mu: SolutionMapping
    ) -> list[EventMapping]:
        """What may come before the later event, whatever the operator chooses."""
        if e.operator is s.SequenceOperator.NAIVE:
            return self.events(e.left, active, mu, lambda one: one.mu.compatible(two.mu))
        return in_order(distinct(preceding(e.left, two, active, self.scene, mu)))

    def linked(
        self, e: s.Sequence, one: EventMapping, two: EventMapping, active: Window,
        mu: SolutionMapping,
    ) -> Iterator[Premise]:
        """That one event is followed by the other, and that the operator chooses both."""
        naive = e.operator is s.SequenceOperator.NAIVE
        inner, given = (active, mu) if naive else (up_to(two.start, active), mu.merge(two.mu))
        yield self.goal(e.left, inner, given, one.__eq__)
        yield self.goal(e.right, active, mu, two.__eq__)
        rule = _CHOICES[e.operator][2] if e.operator in _CHOICES else "(9)" if naive else "(7)"
        yield checked(
            one.end < two.start,
            true=f"The one ends at {self.words.instant(one.end)}, before the other begins:"
            f" {e.operator} {rule}" + ", both are last" * naive,
            false=f"{self.span(one)} does not end before {self.span(two)} begins {rule}",
        )
        if naive:
            for side, event in ((e.left, one), (e.right, two)):
                last = self.events(s.Last(side), active, mu, lambda event: True)
                yield checked(event in last, false=f"{e.operator} asks for the last of all (9),"
                           f" {self.several(last)}, not for {self.span(event)}")
        if e.operator in _CHOICES:
            yield from self.choice(e, one, two, active, mu)

    def choice(
        self, e: s.Sequence, one: EventMapping, two: EventMapping, active: Window,
        mu: SolutionMapping,
    ) -> Iterator[Step]:
        """Which of several the policy takes, of the earlier and of the later events."""
        choose, word, rule = _CHOICES[e.operator]
        among = self.before(e, two, active, mu)
        taken = distinct(preceding(choose(e.left), two, active, self.scene, mu))
        yield checked(
            one in taken,
            true=f"Of what precedes the other ({counted(len(among), 'event')}) it is the {word}",
            false=f"{self.span(one)} precedes it, but {e.operator} asks for the {word} {rule}:"
            f" {self.several(in_order(taken))}",
        )
        rivals = self.rivals(e, two, active, mu)
        reading = f"rivals={self.replayed.readings.rivals}"
        known = self.scene.precedes
        better = [
            each for each in rivals
            if (known(each.span, two.span) if word == "first" else known(two.span, each.span))
        ]
        yield checked(
            not better,
            true=f"Of its rivals ({counted(len(rivals), 'event')}, {reading}) the other is the"
            f" {word}",
            false=f"{e.operator} asks for the {word} {rule} of its rivals ({reading}):"
            f" {self.several(better)}",
        )

    def rivals(
        self, e: s.Sequence, two: EventMapping, active: Window, mu: SolutionMapping
    ) -> list[EventMapping]:
        same = self.replayed.readings.rivals == "same"
        return self.events(
            e.right, active, mu,
            lambda each: (not same or each.mu == two.mu)
            and bool(preceding(e.left, each, active, self.scene, mu)),
        )

    # --- words ----------------------------------------------------------------------------------

    def text(self, e: s.EventPattern) -> str:
        return self.words.shorten(text_of(e))

    def span(self, event: EventMapping) -> str:
        return self.words.interval(event.span)

    def several(self, events: Iterable[EventMapping]) -> str:
        return " or ".join(dict.fromkeys(map(self.span, list(events)[:3])))

    def item(self, e: s.Event, time: int) -> str:
        at = [item for item in self.scene.contents[e.window] if item.time == time]
        return self.named(e, at[0]) if len(at) == 1 else "a graph"

    def named(self, e: s.Event, item: TimestampedGraph) -> str:
        return self.words.term(item.name) if isinstance(item.name, URIRef) else "a graph"


EXPLAINER = RsepqlExplainer
