"""Explanations of RSEP-QL answers: a replay of windows, patterns and MATCH at each evaluation.

Rules of event patterns are those of equations (4) to (11), and of consumption (12).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

from rdflib.term import URIRef, Variable

from ....semantics.model.items import TimestampedGraph
from ....semantics.model.mappings import EMPTY_MAPPING, SolutionMapping
from ....semantics.model.pretty_printing import text_of
from ....semantics.model.stream_operator import StreamOperator
from ....semantics.rdf import evaluation as sparql
from ....semantics.rdf.evaluation import evaluate_algebra
from ....semantics.rdf.expressions.context import Execution
from ....semantics.rdf.syntax.scoping import is_grouped
from ....semantics.rdf.syntax.tree import Element, GroupGraphPattern, SelectQuery
from ....semantics.rdf.syntax.variables import possible_variables
from ....semantics.rdf.translation import translate
from ....semantics.rsepql.clauses import streaming_dataset
from ....semantics.rsepql.consumption_history import History
from ....semantics.rsepql.context import EvaluationContext
from ....semantics.rsepql.dataset import Snapshots, StreamingDataset
from ....semantics.rsepql.denotation import answers, difference, formed
from ....semantics.rsepql.evaluation_times import evaluation_times
from ....semantics.rsepql.event_mappings import EventMapping, Events, distinct, joined
from ....semantics.rsepql.event_patterns import event_pattern, match_pattern, preceding, up_to
from ....semantics.rsepql.graph_patterns import over
from ....semantics.rsepql.syntax import tree as s
from ....semantics.rsepql.syntax.evaluation import Evaluation
from ....semantics.rsepql.syntax.readings import Readings
from ....semantics.rsepql.syntax.results import Solutions
from ....semantics.rsepql.syntax.tree import RsepqlQuery
from ....semantics.rsepql.window_functions import Identity, Window
from ...explanations.derivations import Event, Frame, Goal, Premise, Step, Way, check
from ...explanations.explainer import Explainer, FoundRow, RequestedRow, comparable
from ...explanations.patterns import OnGraph, Patterns
from ...explanations.plurals import counted
from ...explanations.triples import grounds
from ...explanations.wording import Words
from ...results.json_objects import sort_key
from .language import varying

_CHOICES: Mapping[s.SequenceOperator, tuple[type[s.First] | type[s.Last], str, str]] = {
    s.SequenceOperator.CHRONOLOGICAL: (s.First, "first", "(10)"),
    s.SequenceOperator.RECENT: (s.Last, "last", "(11)"),
}
Agrees = Callable[[EventMapping], bool]


def in_order(events: Iterable[EventMapping]) -> list[EventMapping]:
    return sorted(events, key=lambda each: (each.end, each.start, sort_key(each.mu)))


class EventRules:
    """Equations (4) to (11), on the events that are not consumed, at one time."""

    def __init__(
        self, words: Words, query: RsepqlQuery, readings: Readings, context: EvaluationContext,
        requested: SolutionMapping,
    ) -> None:
        self.words, self.query, self.readings = words, query, readings
        self.context, self.requested = context, requested
        self.free = replace(context, input=None)

    def goal(
        self, e: s.EventPattern, active: Window, mu: SolutionMapping, agrees: Agrees
    ) -> Goal:
        """Return the goal of an event of ⟨⟨μ(E)⟩⟩_W that agrees."""
        match e:
            case s.Event():
                return Goal(lambda: self.basic(e, active, mu, agrees),
                            f"{self.text(e)} matches no graph of its window (4)")
            case s.First(operand) | s.Last(operand):
                return Goal(lambda: self.first_or_last(e, operand, active, mu, agrees))
            case s.Sequence():
                return Goal(lambda: self.sequence(e, active, mu, agrees))

    def events(
        self, e: s.EventPattern, active: Window, mu: SolutionMapping, agrees: Agrees,
        context: EvaluationContext | None = None,
    ) -> list[EventMapping]:
        found = distinct(event_pattern(e, active, context or self.context, mu))
        return in_order(filter(agrees, found))

    def basic(
        self, e: s.Event, active: Window, mu: SolutionMapping, agrees: Agrees
    ) -> Iterator[Way]:
        """Yield the matches of EVENT: (4), and (12) under a consumption policy."""
        stream = self.query.window(e.window).stream
        for found in self.events(e, active, mu, agrees):
            yield Way(
                f"{self.text(e)} matches {self.item(e, found.start)} at"
                f" {self.words.instant(found.start)}, with {self.words.mapping(found.mu)} (4)",
                self.grounds(e, found),
                event=Event(str(stream or ""), found.start, found.end),
            )
        consumed = self.events(e, active, mu, agrees, self.free)
        if consumed:
            times = dict.fromkeys(self.words.instant(each.start) for each in consumed)
            those = "that event was" if len(times) == 1 else "those events were"
            yield Way(premises=(Step(), Step(), check(False, false=f"{self.text(e)} matched at"
                                f" {', '.join(times)}, but {those} already consumed (12)")))
            return
        for item in active(self.context.contents[e.window], self.context.t):
            on = OnGraph(
                self.words, lambda P, G: sparql.solutions(P, G, self.context.named),
                item.graph,
                f" {self.graph_name(e, item)} at {self.words.instant(item.time)} (4)",
                self.context.named,
            )
            wanted = self.requested.merge(mu.without(self.requested))
            yield Way(premises=(
                on.group(e.pattern, wanted.project(possible_variables(e.pattern))),
                check(False, false="no compatible event follows it"),
            ))

    def grounds(self, e: s.Event, found: EventMapping) -> list[Step]:
        """Return the matching triples of the graph of an EVENT."""
        named = self.context.named
        for item in self.context.contents[e.window]:
            if item.time == found.start:
                rests = grounds(self.words, e.pattern, found.mu, item.graph, named)
                if rests:
                    return rests
        return []

    def first_or_last(
        self, e: s.First | s.Last, operand: s.EventPattern, active: Window, mu: SolutionMapping,
        agrees: Agrees,
    ) -> Iterator[Way]:
        """Yield the events of FIRST (5) and LAST (6)."""
        word, number = ("first", "(5)") if isinstance(e, s.First) else ("last", "(6)")
        every = self.events(operand, active, mu, lambda event: True)
        those = self.events(e, active, mu, lambda event: True)
        for found in filter(agrees, every):
            yield Way("", (
                self.goal(operand, active, mu, found.__eq__),
                check(
                    found in those,
                    true=f"It is the {word} of {counted(len(every), 'event')}"
                    f" (order={self.readings.order}) {number}",
                    false=f"{word.upper()} selects another event than {self.span(found)} {number}:"
                    f" {self.spans(those)}",
                ),
            ))
        if not any(map(agrees, every)):
            yield Way("", (self.goal(operand, active, mu, agrees),))

    def sequence(
        self, e: s.Sequence, active: Window, mu: SolutionMapping, agrees: Agrees
    ) -> Iterator[Way]:
        """Yield the pairs of a sequence: (7), (9), (10) and (11)."""
        for two in self.events(e.right, active, mu, lambda two: True):
            for one in self.before(e, two, active, mu):
                if agrees(joined(one, two)):
                    yield Way("", self.pair(e, one, two, active, mu))
        # For each second event without a wanted predecessor: the reason.
        later = self.events(e.right, active, mu, agrees)
        for two in later:
            inner, given = up_to(two.start, active), mu.merge(two.mu)
            yield Way(premises=(
                self.goal(e.right, active, mu, two.__eq__),
                self.goal(
                    e.left, inner, given, lambda one, two=two: agrees(joined(one, two))  # type: ignore[misc]
                ),
                check(False, false=f"{e.operator} selects no event before it"),
            ))
        if not later:
            yield Way("", (self.goal(e.right, active, mu, agrees),))

    def before(
        self, e: s.Sequence, two: EventMapping, active: Window, mu: SolutionMapping
    ) -> list[EventMapping]:
        """Return the candidates before the second event."""
        if e.operator is s.SequenceOperator.NAIVE:
            return self.events(e.left, active, mu, lambda one: one.mu.compatible(two.mu))
        return in_order(distinct(preceding(e.left, two, active, self.context, mu)))

    def pair(
        self, e: s.Sequence, one: EventMapping, two: EventMapping, active: Window,
        mu: SolutionMapping,
    ) -> Iterator[Premise]:
        """Yield the premises of a pair: its events, their order, and their selection."""
        naive = e.operator is s.SequenceOperator.NAIVE
        inner, given = (active, mu) if naive else (up_to(two.start, active), mu.merge(two.mu))
        yield self.goal(e.left, inner, given, one.__eq__)
        yield self.goal(e.right, active, mu, two.__eq__)
        rule = _CHOICES[e.operator][2] if e.operator in _CHOICES else "(9)" if naive else "(7)"
        yield check(
            one.end < two.start,
            true=f"{e.operator}: the first operand ends at {self.words.instant(one.end)}, before"
            f" the second starts {rule}" + ", both are last" * naive,
            false=f"{self.span(one)} does not end before {self.span(two)} starts {rule}",
        )
        if naive:
            for side, event in ((e.left, one), (e.right, two)):
                last = self.events(s.Last(side), active, mu, lambda event: True)
                yield check(event in last, false=f"{e.operator} selects the last event (9),"
                            f" {self.spans(last)}, not {self.span(event)}")
        if e.operator in _CHOICES:
            yield from self.choice(e, one, two, active, mu)

    def choice(
        self, e: s.Sequence, one: EventMapping, two: EventMapping, active: Window,
        mu: SolutionMapping,
    ) -> Iterator[Step]:
        """Yield the selection among the first and among the second events."""
        choose, word, rule = _CHOICES[e.operator]
        among = self.before(e, two, active, mu)
        selected = distinct(preceding(choose(e.left), two, active, self.context, mu))
        yield check(
            one in selected, true=f"It is the {word} of {counted(len(among), 'candidate')} before"
            " the second operand",
            false=f"{self.span(one)} precedes it, but {e.operator} selects the {word} {rule}:"
            f" {self.spans(in_order(selected))}",
        )
        rivals = self.rivals(e, two, active, mu)
        reading = f"rivals={self.readings.rivals}"
        known = self.context.precedes
        better = [
            each for each in rivals
            if (known(each.span, two.span) if word == "first" else known(two.span, each.span))
        ]
        yield check(
            not better,
            true=f"The second operand is the {word} of {counted(len(rivals), 'candidate')}"
            f" ({reading})",
            false=f"{e.operator} selects the {word} second operand {rule} ({reading}):"
            f" {self.spans(better)}",
        )

    def rivals(
        self, e: s.Sequence, two: EventMapping, active: Window, mu: SolutionMapping
    ) -> list[EventMapping]:
        same = self.readings.rivals == "same"
        return self.events(
            e.right, active, mu,
            lambda each: (not same or each.mu == two.mu)
            and bool(preceding(e.left, each, active, self.context, mu)),
        )

    # --- texts ----------------------------------------------------------------------------------

    def text(self, e: s.EventPattern) -> str:
        return self.words.shorten(text_of(e))

    def span(self, event: EventMapping) -> str:
        return self.words.interval(event.span)

    def spans(self, events: Iterable[EventMapping]) -> str:
        return " or ".join(dict.fromkeys(map(self.span, list(events)[:3])))

    def item(self, e: s.Event, time: int) -> str:
        at = [item for item in self.context.contents[e.window] if item.time == time]
        return self.graph_name(e, at[0]) if len(at) == 1 else "a graph"

    def graph_name(self, e: s.Event, item: TimestampedGraph) -> str:
        return self.words.term(item.name) if isinstance(item.name, URIRef) else "a graph"


class Replay:
    """A query on its streams, evaluated at each evaluation time."""

    def __init__(
        self, words: Words, query: RsepqlQuery, streams: Any, kb: Any, readings: Readings,
        evaluation: Evaluation,
    ) -> None:
        self.words, self.query, self.readings = words, query, readings
        self.sds: StreamingDataset = streaming_dataset(query, streams, kb)
        times = evaluation_times(self.sds, evaluation)
        history = History(query, self.sds, times, readings)
        omegas = {t: omega for t, _, omega in answers(query, streams, kb, readings, evaluation)}
        self.moments: dict[int, At] = {}
        for i, t in enumerate(times):
            at = self.moments[t] = At(self, t, self.sds.at(t), omegas[t], {}, {})
            for each in history.patterns.values():
                at.contexts[each.e] = each.context(i)
                at.found[each.e] = distinct(each.events(i))

    def answer(self, t: int, row: SolutionMapping, copy: int | None) -> Iterator[Premise]:
        """Yield the premises of an answer row at t; of equal rows, the `copy`-th."""
        form, operator = self.query.form, self.query.operator
        times = list(self.moments)
        now, place = self.moments[t], times.index(t)
        before = self.moments[times[place - 1]] if place else None
        source, other = now, None
        if operator is StreamOperator.ISTREAM:
            other = before
        elif operator is StreamOperator.DSTREAM:
            source, other = before or now, now
        yield from source.windows()
        if form.where is None:
            return
        emitted = source.omega if other is None else difference(source.omega, other.omega)
        emitted_row = self.solutions_of(row, emitted, now)
        found = emitted_row or self.solutions_of(row, source.omega, now)
        mu = found[0] if found else row if isinstance(form, SelectQuery) else EMPTY_MAPPING
        whole = source.patterns(copy).group(form.where, mu.project(possible_variables(form.where)))
        if is_grouped(form) and copy is not None and not whole.proof.holds:
            yield Step("WHERE has no solution: the aggregate is over an empty group (18.5.1)")
            return
        yield whole
        if operator is not StreamOperator.RSTREAM:
            at = "before" if other is None else f"at {self.words.instant(other.t)}"
            yield check(
                emitted_row, true=f"{operator} emits it: it is not a solution {at}",
                false=f"{operator} does not emit it: it is also a solution {at}",
            )

    def solutions_of(
        self, row: SolutionMapping, omega: Iterable[SolutionMapping], at: At
    ) -> list[SolutionMapping]:
        """Return the solutions that the query form maps to the row; first those equal to it."""
        known = comparable(row)

        def gives(mu: SolutionMapping) -> bool:
            content = formed(self.query.form, (mu,), at.dataset)
            if isinstance(content, frozenset):
                return any(set(known.values()) <= set(triple) for triple in content)
            return isinstance(content, bool) or mu.compatible(known)

        return sorted(filter(gives, omega), key=lambda mu: mu != row)


@dataclass(frozen=True)
class At:
    """An evaluation time: the snapshots, the solutions, and the events of every MATCH."""

    replay: Replay
    t: int
    dataset: Snapshots
    omega: Solutions
    contexts: dict[s.EventPattern, EvaluationContext]
    found: dict[s.EventPattern, Events]

    def patterns(self, copy: int | None) -> AtPatterns:
        return AtPatterns(self, copy)

    def windows(self) -> Iterator[Step]:
        """Yield the contents of the windows."""
        words = self.replay.words
        for name, windowed in self.replay.sds.windows.items():
            times = [item.time for item in windowed.at(self.t)]
            shown = ", ".join(map(words.instant, times[:10])) + (", …" if len(times) > 10 else "")
            content = f"the graphs at {shown}" if times else "no graph"
            at = f"{words.term(name)} at {words.instant(self.t)}"
            frames = (Frame(at, min(times), max(times)),) if times else ()
            yield Step(f"The window {words.term(name)} contains {content} (Def. 3)", frames=frames)


class AtPatterns(Patterns[SolutionMapping]):
    """Graph patterns at an evaluation time, (1) to (3), and MATCH, (8)."""

    def __init__(self, at: At, copy: int | None) -> None:
        super().__init__(at.replay.words)
        self.at, self.copy = at, copy
        self.replay = at.replay

    def solutions(self, group: GroupGraphPattern) -> Sequence[SolutionMapping]:
        base = self.replay.query.form.prologue.base
        execution = Execution(base, self.replay.readings.exists == "substituted")
        active = over(self.at.dataset, execution, lambda e: match_pattern(self.at.found[e]))
        return evaluate_algebra(translate(group), active)

    def mapping(self, found: SolutionMapping) -> SolutionMapping:
        return found

    def grounds(self, element: Element, found: SolutionMapping) -> Iterable[Step]:
        dataset = self.at.dataset
        group = GroupGraphPattern((element,))
        return grounds(self.words, group, found, dataset.default, dataset.named)

    def language_rule(
        self, element: Element, mu: SolutionMapping, whole: SolutionMapping | None = None
    ) -> Goal | None:
        match element:
            case s.MatchPattern(event):
                return self.matching(event, mu)
            case s.WindowPattern(URIRef() as name, pattern):
                return InWindow(self, name).group(pattern, mu)
            case s.WindowPattern(Variable() as variable, pattern):
                return Goal(lambda: [
                    Way("", (InWindow(self, name).group(pattern, mu),))
                    for found in self.compatible([element], mu)[:1]
                    for name in [cast(URIRef, found[variable])]
                ], self.no_match_text(element))
        return None

    def matching(self, e: s.EventPattern, mu: SolutionMapping) -> Goal:
        """Return the goal of MATCH (8); equal answers have different intervals."""
        def agrees(event: EventMapping) -> bool:
            return event.mu.compatible(mu)

        events = EventRules(
            self.words, self.replay.query, self.replay.readings, self.at.contexts[e], mu
        )
        found = in_order(filter(agrees, self.at.found[e]))
        if self.copy is not None and len(self.at.found) == 1 and self.copy < len(found):
            found = found[self.copy : self.copy + 1]

        def ways() -> Iterator[Way]:
            for event in found:
                yield Way(
                    f"MATCH returns it over {events.span(event)} (8)",
                    (events.goal(e, Identity(), EMPTY_MAPPING, event.__eq__),),
                )
            if not found:
                yield Way("", (events.goal(e, Identity(), EMPTY_MAPPING, agrees),))

        return Goal(ways)


class InWindow(OnGraph):
    """Graph patterns, and MATCH, on the content of a window."""

    def __init__(self, outside: AtPatterns, name: URIRef) -> None:
        named = outside.at.dataset.named
        super().__init__(
            outside.words,
            lambda group, _: outside.solutions(GroupGraphPattern((s.WindowPattern(name, group),))),
            outside.at.dataset.windows[name],
            f" in the window {outside.words.term(name)}", named,
        )
        self.outside = outside

    def language_rule(
        self, element: Element, mu: SolutionMapping, whole: SolutionMapping | None = None
    ) -> Goal | None:
        return self.outside.language_rule(element, mu)


class RsepqlExplainer(Explainer):
    """The explainer of one case's answers; results are rows."""

    noun = "answer"
    a_noun = "an answer"

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
        when = {"at": at, "time": at}
        return when if boolean is None else {**when, "boolean": boolean}

    def rows_of(self, number: int, result: FoundRow) -> Iterable[FoundRow]:
        return [replace(result, number=number)]

    @cached_property
    def replay(self) -> Replay:
        case = self.case
        evaluation = Evaluation.of(case.evaluation)
        query, streams, kb = varying(evaluation.applied_to(case.tree), case.streams, case.kb)
        return Replay(
            self.words, query, {iri: tuple(stream) for iri, stream in streams.items()}, kb,
            case.readings, evaluation,
        )

    def presence(self, number: int) -> Goal:
        row = self.results[number - 1]
        copy = self.results[: number - 1].count(row)
        return Goal(lambda: [Way("", self.replay.answer(row.when["at"], row.mu, copy))])

    def absence(self, request: RequestedRow) -> Goal:
        at = request.when.get("at", request.when.get("time"))
        times = list(self.replay.moments)
        if not times:
            return Goal(list, "The query is never evaluated (Def. 5)")
        if at is None:
            at = times[-1]
        if at not in times:
            shown = ", ".join(map(self.words.instant, times[:10]))
            return Goal(list, f"The query is not evaluated at {self.words.instant(at)} (Def. 5);"
                        f" evaluation times: {shown}")
        when = f"At {self.words.instant(at)}"

        def premises() -> Iterator[Premise]:
            yield from self.replay.answer(at, comparable(request.mu), None)
            yield check(False, false="WHERE returns it; the query form or a solution modifier"
                        " removes it")

        return Goal(lambda: [Way(premises=premises(), context=when)])


EXPLAINER = RsepqlExplainer
