"""Explanations of SPAseq matches: the windows of Def. 16 and their content.

Rules of the matches of an element Ψ of a sequence are those of Defs. 7 to 9, and rules of sequences
of elements those of Defs. 10 to 14.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise, product

from rdflib.term import URIRef, Variable

from ....semantics.model.items import TimeKind
from ....semantics.model.mappings import EMPTY_MAPPING, SolutionMapping, Solutions
from ....semantics.model.pretty_printing import text_of
from ....semantics.model.trees import find
from ....semantics.rdf.mapping_sets import project
from ....semantics.rdf.syntax.tree import Filter
from ....semantics.spaseq.context import Context, contexts
from ....semantics.spaseq.decomposition import Chain, Following, chain_variables, chains
from ....semantics.spaseq.denotation import bop, evaluate, is_absent, iteration, sequence
from ....semantics.spaseq.stateful_filters import (
    NO_PAST,
    Join,
    Owing,
    Pairs,
    TimedSolutions,
    join,
    owed_by,
    without_past,
)
from ....semantics.spaseq.streamset import Event as StreamEvent
from ....semantics.spaseq.streamset import Instant
from ....semantics.spaseq.syntax.results import Pair
from ....semantics.spaseq.syntax.scoping import variables
from ....semantics.spaseq.syntax.tree import (
    Atom,
    Conjunction,
    Disjunction,
    Extent,
    KleenePlus,
    Negation,
    Operand,
    Operator,
    OptionalEvent,
    Reference,
    SpaseqQuery,
    WithinUnit,
)
from ...cases.case import Case
from ...explanations.derivations import Event, Frame, Goal, Premise, Step, Way, check
from ...explanations.explainer import Explainer, FoundRow, RequestedRow, comparable, covers
from ...explanations.patterns import OnGraph
from ...explanations.triples import grounds
from ...explanations.wording import Words, conjoined, few
from ...results.json_objects import sort_key


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


class Rules(ElementRules):
    """The rules of a sequence Ψ0 •1 Ψ1 … in one window."""

    def __init__(self, words: SpaseqWords, chain: Chain, context: Context) -> None:
        super().__init__(words, context)
        prefixes = [chain]
        while isinstance(prefixes[0], Following):
            prefixes.insert(0, prefixes[0].sigma)
        self.elements = [self._element(prefix) for prefix in prefixes]
        self.pairs = [
            sorted(sequence(prefix, context), key=lambda pair: pair.time) for prefix in prefixes
        ]
        self._known: dict[tuple[int, TimedSolutions, SolutionMapping | None], Goal] = {}

    def _element(self, sigma: Chain) -> Element:
        atom, link = (sigma.psi, sigma) if isinstance(sigma, Following) else (sigma, None)
        psi = atom.operand if isinstance(atom, KleenePlus) else atom
        local: frozenset[Variable] = frozenset()
        joined: Join = join
        if isinstance(atom, KleenePlus):
            local = variables(psi, self.context.bindable)
            if link is not None:
                local -= chain_variables(link.sigma, self.context.bindable)
            joined = iteration(self.context.readings.kleene, local)
            if self.context.readings.kleene == "join":
                local = frozenset()
        matches: Pairs = bop(psi, self.context)
        in_order = sorted(matches, key=lambda match: match.time)
        return Element(atom, psi, in_order, joined, local, link)

    # --- goals ----------------------------------------------------------------------------------

    def derivation(
        self, k: int, pair: TimedSolutions, target: SolutionMapping | None = None
    ) -> Goal:
        """Return the goal of a pair (τ, X) of ⟦Ψ0 •1 … Ψk⟧, with the triples of a target μ ∈ X."""
        def ways() -> Iterator[Way]:
            here = [match for match in self.elements[k].matches if match.time == pair.time]
            for match in here:
                for before, first in self.predecessors(k, match):
                    joined = self.join(k, before, match)
                    if self.apply_negations(k, before, match, joined, first=first) == pair.omega:
                        yield self.way(k, before, match, first=first, target=target)

        return self._known.setdefault((k, pair, target), Goal(ways))

    def ending(self, k: int, request: RequestedRow) -> Goal:
        """Return the goal of a requested pair of ⟦Ψ0 •1 … Ψk⟧."""
        element, last = self.elements[k], k == len(self.elements) - 1
        time, rank = request.when.get("time"), request.when.get("rank")
        mu = comparable(request.mu)

        def fits(when: Instant, omega: Solutions) -> bool:
            on_time = time is None or (when[0] == time if last else when[0] <= time)
            return on_time and (not last or rank in (None, when[1])) and any(
                mu.compatible(nu) for nu in omega
            )

        def ways() -> Iterator[Way]:
            if not last:
                for pair in (each for each in self.pairs[k] if fits(*each)):
                    target = next(filter(mu.compatible, sorted(pair.omega, key=sort_key)))
                    yield Way("", (self.derivation(k, pair, target),))
            # An iteration binds its own variables anew.
            inherited = mu.without(element.local)
            fitting = [each for each in element.matches if fits(each.time, each.omega)]
            tried = False
            for match in fitting:
                for before, first in self.predecessors(k, match):
                    if before is None or any(inherited.compatible(nu) for nu in before.omega):
                        tried = True
                        yield self.way(k, before, match, first=first, wanted=mu)
            if not tried:
                yield Way("", (
                    *([self.ending(k - 1, request)] if k else []),
                    self.candidate(element, request, last),
                ))

        return Goal(ways)

    def predecessors(
        self, k: int, match: TimedSolutions
    ) -> Iterator[tuple[TimedSolutions | None, bool]]:
        """Yield the possible predecessors of a match of Ψk: pairs before Ψk, or iterations of Ψk.

        The flag is true for a pair before Ψk."""
        if k:
            yield from ((pair, True) for pair in self.pairs[k - 1])
        else:
            yield None, True
        if self.elements[k].is_repeated:
            yield from ((pair, False) for pair in self.pairs[k] if pair.time < match.time)

    def join(
        self, k: int, before: TimedSolutions | None, match: TimedSolutions
    ) -> Solutions:
        """Return X ⋈ Y; at the head of the sequence, conditions are evaluated on Y alone."""
        element = self.elements[k]
        if before is not None:
            return element.join(before.omega, match.omega)
        head = without_past(match.omega)
        return element.join(NO_PAST, head) if element.is_repeated else head

    def apply_negations(
        self, k: int, before: TimedSolutions | None, match: TimedSolutions, joined: Solutions,
        *, first: bool,
    ) -> Solutions:
        """Return the mappings that the negations in between keep (negation=absence)."""
        link = self.elements[k].link
        if before is None or link is None or not first:
            return joined
        return frozenset(
            mu for mu in joined
            if all(is_absent(each, mu, before.time, match.time, self.context)
                   for each in link.absent)
        )

    def way(
        self, k: int, before: TimedSolutions | None, match: TimedSolutions, *, first: bool,
        wanted: SolutionMapping = EMPTY_MAPPING, target: SolutionMapping | None = None,
    ) -> Way:
        return Way(
            self.match_text(self.elements[k], match, first=first),
            self.premises(k, before, match, first=first, wanted=wanted, target=target),
            Event(self.stream_name(self.elements[k], match.time), match.time[0], match.time[0]),
        )

    # --- Defs. 10 to 14 -------------------------------------------------------------------------

    def premises(
        self, k: int, before: TimedSolutions | None, match: TimedSolutions, *, first: bool,
        wanted: SolutionMapping, target: SolutionMapping | None,
    ) -> Iterator[Premise]:
        """Yield the premises of a match and its predecessor."""
        element, words = self.elements[k], self.words
        joined = self.join(k, before, match)
        past, own = self.parts(k, before, match, joined, wanted=wanted, target=target)
        yield from self.grounds(element.psi, match.time, own)
        if isinstance(element.psi, Conjunction):
            yield Step("All operands of & match at the same time (Def. 8).")
        if isinstance(element.psi, Disjunction):
            yield Step("One matching operand of | suffices (Def. 9).")
        if before is None:
            why = words.clash(NO_PAST, match.omega, frozenset()) or few(
                f"{words.text(Filter(each.expression))} refers to earlier"
                f" {conjoined([f'?{v}' for v in sorted(each.variables - mu.bindable)])}"
                for mu in match.omega if isinstance(mu, Owing) for each in mu.conditions
            )
            yield check(joined, true="It starts the sequence (Def. 7).",
                        false=f"it has no predecessor: {why}")
        else:
            yield self.derivation(k - 1 if first else k, before, past)
            yield from self.follows(element, before, match, joined, first=first)
        for condition in sorted(owed_by(match.omega), key=lambda each: str(each.expression)):
            yield Step(f"{words.text(Filter(condition.expression))} refers to earlier events and is"
                       " true (errata SPA-10).")
        if first and before is not None and element.link is not None:
            for absent in element.link.absent:
                yield check(
                    any(is_absent(absent, mu, before.time, match.time, self.context)
                        for mu in joined),
                    true=f"No event between {words.event_time(before.time)} and"
                    f" {words.event_time(match.time)} matches {absent.name} compatibly"
                    " (negation=absence).",
                    false=f"{self.between(absent, before, match, joined)} (negation=absence)",
                )
        yield check(
            any(wanted.compatible(mu) for mu in joined),
            false=f"it matches with other bindings than requested: {words.solutions(joined)}",
        )

    def parts(
        self, k: int, before: TimedSolutions | None, match: TimedSolutions, joined: Solutions,
        *, wanted: SolutionMapping, target: SolutionMapping | None,
    ) -> tuple[SolutionMapping | None, SolutionMapping]:
        """Return the mappings of the predecessor and of Ψk whose join is the target or wanted."""
        local = self.elements[k].local
        if target is None:
            fitting = sorted(filter(wanted.compatible, joined), key=sort_key)
            target = fitting[0] if fitting else None
        request = (wanted if target is None else target).without(local)

        def agreeing(omega: Solutions) -> list[SolutionMapping]:
            ordered = sorted(omega, key=sort_key)
            return [mu for mu in ordered if mu.without(local).compatible(request)] or ordered

        own = agreeing(match.omega)
        past: Sequence[SolutionMapping | None] = [None]
        if before is not None:
            past = agreeing(before.omega)
        if target is not None:
            for nu, mu in product(own, past):
                one = None
                if before is not None and mu is not None:
                    one = before._replace(omega=frozenset({mu}))
                other = match._replace(omega=frozenset({nu}))
                if target in self.join(k, one, other):
                    return mu, nu
        return next(iter(past), None), next(iter(own), EMPTY_MAPPING)

    def between(
        self, absent: Reference, before: TimedSolutions, match: TimedSolutions, joined: Solutions
    ) -> str:
        """Return the event that violates a negation, with its bindings."""
        gpm = self.context.gpms[absent.name]
        for event in self.context.streamset(gpm.stream):
            if before.time < event.time < match.time:
                found = self.context.graph_pattern(gpm.pattern, event.graph)
                for nu in sorted(found, key=sort_key):
                    if any(mu.compatible(nu) for mu in joined):
                        shown = f"{absent.name} with {self.words.mapping(nu)}"
                        return f"{self.words.event(event)}, in between, matches {shown}"
        return f"an event in between matches {absent.name}"

    def follows(
        self, element: Element, before: TimedSolutions, match: TimedSolutions, joined: Solutions,
        *, first: bool,
    ) -> Iterator[Step]:
        words, since, now = self.words, before.time, match.time
        earlier_time = words.event_time(since)
        yield check(since < now, false=f"it is not later than its predecessor at {earlier_time}"
                    " (Defs. 10–12)")
        yield check(joined, false="incompatible bindings:"
                    f" {words.clash(before.omega, match.omega, element.local)}")
        head = element.link is None
        operator = Operator.NEXT if element.link is None else element.link.operator
        if not first:
            operator = Operator.NEXT if head else Operator.STRICT
        rule = {Operator.ANY: "Def. 10", Operator.NEXT: "Def. 11", Operator.STRICT: "Def. 12"}
        cited = rule[operator]
        if not first:
            cited += " and Def. 13" if head else " and Def. 14"
        earlier = [each for each in element.matches if since < each.time < now]
        between = [e for e in self.context.streamset.events if since < e.time < now]
        match operator:
            case Operator.ANY:
                yield Step(f"It is later than {earlier_time} and compatible: ':' is"
                           f" skip-till-any-match ({cited}).")
            case Operator.STRICT:
                why = "iterations are contiguous, Def. 14" if not first else "Def. 12"
                yield check(
                    not between,
                    true=f"It directly follows the event at {earlier_time} and is compatible: ','"
                    f" is strict contiguity ({cited}).",
                    false=f"it does not directly follow the event at {earlier_time}; in between:"
                    f" {conjoined([words.event(e) for e in between[:3]])} ({why})",
                )
            case Operator.NEXT:
                blocking = next((
                    each for each in earlier
                    if element.join(before.omega, each.omega)
                ), None)
                psi = text_of(element.psi)
                yield check(
                    blocking is None,
                    true=f"It is the first compatible event after {earlier_time}: ';' is"
                    f" skip-till-next-match ({cited}).",
                    false="" if blocking is None else
                    f"the earlier compatible event at {words.event_time(blocking.time)} is selected"
                    f" (skip-till-next-match, {'Def. 11' if first else 'Def. 13'})",
                )
                for each in earlier:
                    why = words.clash(before.omega, each.omega, element.local)
                    yield Step(f"{psi} at {words.event_time(each.time)} is skipped: {why}.")


_EVER = 1 << 62


class SpaseqExplainer(Explainer):
    """The explainer of SPAseq matches: pairs (τ, Ω), each mapping of Ω a row."""

    noun = "match"
    a_noun = "a match"

    @cached_property
    def words(self) -> SpaseqWords:
        return SpaseqWords(self.case)

    def rows_of(self, number: int, result: Pair) -> Iterable[FoundRow]:
        when = {"time": result.time, "rank": result.rank, "window": result.window}
        return [FoundRow(number, mu, when) for mu in sorted(result.solutions, key=sort_key)]

    def result_text(self, number: int) -> str:
        pair: Pair = self.results[number - 1]
        at = self.words.event_time((pair.time, pair.rank))
        return f"at {at}, {self.words.solutions(pair.solutions)}"

    def presence(self, number: int) -> Goal:
        return self.derivation(self.results[number - 1])

    def derivation(self, pair: Pair) -> Goal:
        """Return the goal of a pair of ⟦Q⟧."""
        select = self.case.tree.select

        def is_pair(found: TimedSolutions) -> bool:
            omega = found.omega if select is None else project(found.omega, select)
            return found.time == (pair.time, pair.rank) and omega == pair.solutions

        def ways() -> Iterator[Way]:
            for boundaries, rules in self.windows():
                if pair.window in (None, boundaries):
                    for found in filter(is_pair, rules.pairs[-1]):
                        yield Way(
                            partial(self.span_text, boundaries),
                            (rules.derivation(len(rules.elements) - 1, found),),
                            frames=self.frames(boundaries),
                        )

        return Goal(ways)

    def windows(self) -> Iterator[tuple[tuple[int, int] | None, Rules]]:
        """Yield the rules in each window, for each chain of the sequence."""
        case = self.case
        for boundaries, context in contexts(
            case.tree, case.streams, case.kb, case.readings, case.evaluation.get("from")
        ):
            for chain in chains(case.tree.sequence, context.readings.negation):
                yield boundaries, Rules(self.words, chain, context)

    def span_text(
        self, boundaries: tuple[int, int] | None, held: Sequence[Step]
    ) -> str:
        """Return the span of a match and its window (Def. 16)."""
        times = [event.start for step in held for event in step.events]
        first, last = (self.words.instant(bound) for bound in (min(times), max(times)))
        span = f"The match spans [{first}, {last}]"
        reading = f"(Def. 16, window={self.case.readings.window})"
        if boundaries is None:
            return f"{span}, not more than WITHIN allows {reading}."
        if self.case.tree.within.unit is WithinUnit.EVENTS:
            shown = f"items {boundaries[0]} to {boundaries[1]} of the merged streams"
        else:
            shown = f"window {self.words.interval(boundaries)}"
        return f"{span}, inside the {shown} {reading}."

    # --- absence --------------------------------------------------------------------------------

    def absence(self, request: RequestedRow) -> Goal:
        time, window = request.when.get("time"), request.when.get("window")
        items = [item for stream in self.case.streams.values() for item in stream]
        at = "" if time is None else f" at {self.words.instant(time)}"

        def ways() -> Iterator[Way]:
            for boundaries, rules in self.windows():
                if window in (None, boundaries) and any(
                    time in (None, event.time[0]) for event in rules.context.streamset.events
                ):
                    yield Way(
                        premises=(
                            rules.ending(len(rules.elements) - 1, request),
                            check(False, false="it matches with other bindings than"
                                  f" {self.words.mapping(request.mu)}"),
                        ),
                        context=self.window_text(boundaries),
                        frames=self.frames(boundaries),
                    )

        none = f"No window contains an event{at} (Def. 16)."
        if not items:
            none = "The streams contain no events."
        elif not any(time in (None, item.time) for item in items):
            none = f"No event has timestamp{at[3:]}; a match has that of its last event (Def. 7)."
        return Goal(ways, none)

    def frames(self, boundaries: tuple[int, int] | None) -> tuple[Frame, ...]:
        """Return the window for the timeline; a window of items has none."""
        if boundaries is None or self.case.tree.within.unit is WithinUnit.EVENTS:
            return ()
        return (Frame(f"window {self.words.interval(boundaries)}", *boundaries),)

    def window_text(self, boundaries: tuple[int, int] | None) -> str:
        if boundaries is None:
            return ""
        if self.case.tree.within.unit is WithinUnit.EVENTS:
            return f"In the items [{boundaries[0]}, {boundaries[1]}]"
        return f"In the window {self.words.interval(boundaries)}"

    def remarks(self, request: RequestedRow) -> Iterator[str]:
        yield from super().remarks(request)
        kinds = {item.kind for stream in self.case.streams.values() for item in stream}
        unit = WithinUnit.MICROSECONDS if TimeKind.DATETIME in kinds else WithinUnit.INTEGER
        unbounded: SpaseqQuery = replace(self.case.tree, within=Extent(_EVER, unit), slide=None)
        case = self.case
        for pair in evaluate(
            unbounded, case.streams, case.kb, replace(case.readings, window="match"),
            case.evaluation.get("from"),
        ):
            if request.when.get("time") in (None, pair.time) and any(
                covers(request.mu, mu) for mu in pair.solutions
            ):
                yield (
                    "All events match, but no single window contains them"
                    f" (Def. 16, window={case.readings.window})."
                )
                return


EXPLAINER = SpaseqExplainer
