"""Rules of sequences of elements: Defs. 10 to 14."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from rdflib.term import Variable

from .....semantics.model.mappings import EMPTY_MAPPING, SolutionMapping, Solutions
from .....semantics.model.pretty_printing import text_of
from .....semantics.rdf.syntax.tree import Filter
from .....semantics.spaseq.context import Context
from .....semantics.spaseq.decomposition import Chain, Following, chain_variables
from .....semantics.spaseq.denotation import bop, sequence
from .....semantics.spaseq.iterations import iteration
from .....semantics.spaseq.negation import is_absent
from .....semantics.spaseq.stateful_filters import (
    NO_PAST,
    Join,
    Owing,
    Pairs,
    TimedSolutions,
    join,
    owed_by,
    without_past,
)
from .....semantics.spaseq.streamset import Instant
from .....semantics.spaseq.syntax.scoping import variables
from .....semantics.spaseq.syntax.tree import (
    Conjunction,
    Disjunction,
    KleenePlus,
    Operator,
    Reference,
)
from ....explanations.derivations import Event, Goal, Premise, Step, Way, check
from ....explanations.explainer import RequestedRow, comparable
from ....explanations.wording import conjoined, few
from ....results.json_objects import sort_key
from .elements import Element, ElementRules, SpaseqWords


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
