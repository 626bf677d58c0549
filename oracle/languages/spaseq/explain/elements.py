"""Rules of the matches of an element Ψ of a sequence: Defs. 7 to 9."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rdflib.term import URIRef, Variable

from .....semantics.model.mappings import SolutionMapping, Solutions
from .....semantics.model.pretty_printing import text_of
from .....semantics.model.trees import find
from .....semantics.rdf.syntax.tree import Filter
from .....semantics.spaseq.context import Context
from .....semantics.spaseq.decomposition import Following
from .....semantics.spaseq.denotation import bop
from .....semantics.spaseq.stateful_filters import Join, TimedSolutions, owed_by
from .....semantics.spaseq.streamset import Event as StreamEvent
from .....semantics.spaseq.streamset import Instant
from .....semantics.spaseq.syntax.tree import (
    Atom,
    Conjunction,
    Disjunction,
    KleenePlus,
    Negation,
    Operand,
    OptionalEvent,
    Reference,
)
from ....cases.case import Case
from ....explanations.derivations import Goal, Premise, Step, Way, check
from ....explanations.explainer import RequestedRow, comparable
from ....explanations.patterns import OnGraph
from ....explanations.triples import grounds
from ....explanations.wording import Words, conjoined, few
from ....results.json_objects import sort_key


class SpaseqWords(Words):
    """Texts for one case, with the ranks of events with equal timestamps."""

    def __init__(self, case: Case) -> None:
        super().__init__(case)
        self.names: dict[tuple[URIRef, Instant], str] = {}
        ranked = getattr(case.readings, "ties", None) == "sequence"
        for iri, items in case.streams.items():
            rank, last = 0, None
            for item in items:
                rank = rank + 1 if ranked and item.time == last else 0
                last = item.time
                if isinstance(item.name, URIRef):
                    self.names.setdefault((iri, (item.time, rank)), self.term(item.name))

    def event_time(self, instant: Instant) -> str:
        """Return τ, or (τ, k) for a later event with the same timestamp."""
        time, rank = instant
        shown = self.instant(time)
        return f"({shown}, {rank})" if rank else shown

    def event(self, event: StreamEvent) -> str:
        """Return the name of an event's graph, its stream and its time."""
        name = self.names.get((event.stream, event.time), "the event")
        return f"{name} of {self.stream(event.stream)} at {self.event_time(event.time)}"

    def clash(
        self, x: Solutions, y: Solutions, dropped: frozenset[Variable]
    ) -> str:
        """Return why X ⋈ Y is empty; Y binds `dropped` variables of X anew."""
        return few(self._clashes(x, y, dropped))

    def _clashes(
        self, x: Solutions, y: Solutions, dropped: frozenset[Variable]
    ) -> Iterator[str]:
        for mu in sorted((mu.without(dropped) for mu in x), key=sort_key):
            for nu in sorted(y, key=sort_key):
                differing = self.differing(mu, nu)
                if differing:
                    yield differing
                    continue
                for condition in owed_by((mu, nu)):
                    both = mu.merge(nu)
                    if not condition.holds(both):
                        values = self.values(both, condition.variables)
                        yield f"{self.text(Filter(condition.expression))} is not true with {values}"


@dataclass(frozen=True, slots=True)
class Element:
    """Ψ of a sequence, with the inputs of its evaluation.

    `local` contains the variables that each iteration of a Kleene plus binds anew.
    """

    atom: Atom
    psi: Operand
    matches: Sequence[TimedSolutions]
    join: Join
    local: frozenset[Variable]
    link: Following | None

    @property
    def is_repeated(self) -> bool:
        return isinstance(self.atom, KleenePlus)

    @property
    def text(self) -> str:
        return text_of(self.atom)


class ElementRules:
    """The rules of operands and of their graph patterns in one window."""

    def __init__(self, words: SpaseqWords, context: Context) -> None:
        self.words, self.context = words, context

    def match_text(self, element: Element, match: TimedSolutions, *, first: bool) -> str:
        """Return the text of an element with its matching events."""
        words, psi = self.words, element.psi
        events = list(self.events(psi, match.time))
        if isinstance(psi, Negation):
            return f"{element.text}: {words.event(events[0][1])} does not match (Appendix B)"
        if isinstance(psi, Reference) and len(events) == 1:
            shown = words.event(events[0][1])
        else:
            shown = conjoined([f"{name} = {words.event(event)}" for name, event in events])
        times = "" if not element.is_repeated else (
            ", the first iteration" if first else ", another iteration"
        )
        return f"{element.text}{times}: {shown}, with {words.solutions(match.omega)}"

    def grounds(self, psi: Operand, time: Instant, mu: SolutionMapping) -> Iterator[Step]:
        """Yield the triples by which the graph patterns of Ψ match with μ."""
        for name, event in self.events(psi, time):
            if name in self.context.gpms:
                yield from grounds(
                    self.words, self.context.gpms[name].pattern, mu, event.graph,
                    self.context.graph_pattern.named,
                )

    def stream_name(self, element: Element, instant: Instant) -> str:
        return next((
            self.words.stream(event.stream) for _, event in self.events(element.psi, instant)
        ), "")

    def events(self, psi: Operand, instant: Instant) -> Iterator[tuple[str, StreamEvent]]:
        """Yield the events of the GPMs of Ψ, each with the GPM's name (N! for a negation)."""
        match psi:
            case Reference(name):
                pattern = self.context.gpms[name].pattern
                yield from (
                    (name, event) for event in self.at(name, instant)
                    if self.context.graph_pattern(pattern, event.graph)
                )
            case Negation(operand):
                yield from ((f"{operand.name}!", e) for e in self.at(operand.name, instant))
            case OptionalEvent(operand):
                found = list(self.events(operand, instant))
                yield from found or self.events(Negation(operand), instant)
            case Conjunction(operands) | Disjunction(operands):
                for each in operands:
                    yield from self.events(each, instant)

    def at(self, name: str, instant: Instant) -> list[StreamEvent]:
        stream = self.context.streamset(self.context.gpms[name].stream)
        return [event for event in stream if event.time == instant]

    def candidate(self, element: Element, request: RequestedRow, last: bool) -> Goal:
        """Return the goal of a requested match of Ψ; its failing ways are the events."""
        time, mu = request.when.get("time"), comparable(request.mu)
        when = "" if time is None else f" {'at' if last else 'up to'} {self.words.instant(time)}"
        names = dict.fromkeys(each.name for each in find(element.psi, Reference))

        def ways() -> Iterator[Way]:
            if isinstance(element.psi, Conjunction):
                yield from self.together(element.psi, [
                    event.time for event in self.context.streamset.events
                    if time is None or (event.time[0] == time if last else event.time[0] <= time)
                ], mu)
                return
            for name in names:
                expression = self.context.gpms[name]
                for event in self.context.streamset(expression.stream):
                    fits = time is None or (event.time[0] == time if last else
                                            event.time[0] <= time)
                    if not fits:
                        continue
                    shown = self.words.event(event)
                    if isinstance(element.psi, Negation):
                        failing: Premise = check(
                            False, false=f"{shown} matches {name} (Appendix B)"
                        )
                    else:
                        failing = OnGraph(
                            self.words, self.context.graph_pattern, event.graph,
                            f" {shown} (Def. 7)", self.context.graph_pattern.named,
                        ).group(expression.pattern, mu)
                    yield Way(premises=(failing, check(
                        False, false=f"{element.text} has no compatible match{when}"
                    )))

        streams = conjoined(list(dict.fromkeys(
            self.words.stream(self.context.gpms[name].stream) for name in names
        )))
        return Goal(ways, f"{streams} has no event{when} in this window (Def. 7)")

    def together(
        self, psi: Conjunction, instants: Iterable[Instant], mu: SolutionMapping
    ) -> Iterator[Way]:
        """Yield tests that the operands of & match at one instant and are compatible (Def. 8)."""
        for instant in sorted(set(instants)):
            at = self.words.event_time(instant)
            found = [
                [match for match in bop(each, self.context) if match.time == instant]
                for each in psi.operands
            ]
            omegas = [
                (text_of(each), frozenset().union(*(match.omega for match in those)))
                for each, those in zip(psi.operands, found, strict=True)
            ]
            tests = [
                check(
                    any(nu.compatible(mu) for nu in omega),
                    true=f"{text} matches at {at}, with {self.words.solutions(omega)}",
                    false=f"{text} matches no event at {at}: & requires all operands at one instant"
                    " (Def. 8)" if not omega else
                    f"{text} matches at {at} with {self.words.solutions(omega)}, not with"
                    f" {self.words.mapping(mu)}",
                )
                for text, omega in omegas
            ]
            clashes = (
                self.words.clash(one, two, frozenset())
                for (_, one), (_, two) in pairwise(omegas)
            )
            why = next(filter(None, clashes), "") or "a condition on them is not true"
            yield Way(premises=(
                *tests, check(False, false=f"the operands of & are incompatible at {at}: {why}")
            ))
