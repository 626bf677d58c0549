"""Rules of event patterns: equations (4) to (11), and consumption (12)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from rdflib.term import URIRef

from .....semantics.model.items import TimestampedGraph
from .....semantics.model.mappings import SolutionMapping
from .....semantics.model.pretty_printing import text_of
from .....semantics.rdf import evaluation as sparql
from .....semantics.rdf.syntax.variables import possible_variables
from .....semantics.rsepql.context import EvaluationContext
from .....semantics.rsepql.event_mappings import EventMapping, distinct, joined
from .....semantics.rsepql.event_patterns import event_pattern, preceding, up_to
from .....semantics.rsepql.syntax import tree as s
from .....semantics.rsepql.syntax.readings import Readings
from .....semantics.rsepql.syntax.tree import RsepqlQuery
from .....semantics.rsepql.window_functions import Window
from ....explanations.derivations import Event, Goal, Premise, Step, Way, check
from ....explanations.patterns import OnGraph
from ....explanations.plurals import counted
from ....explanations.triples import grounds
from ....explanations.wording import Words
from ....results.json_objects import sort_key

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
