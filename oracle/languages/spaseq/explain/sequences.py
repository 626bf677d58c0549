"""How the elements of a sequence follow one another: Defs. 10 to 14."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from rdflib.term import Variable

from .....semantics.model.mappings import EMPTY_MAPPING, SolutionMapping, Solutions
from .....semantics.model.shown import text_of
from .....semantics.rdf.syntax.tree import Filter
from .....semantics.spaseq.absence import is_absent
from .....semantics.spaseq.chains import Chain, Following, chain_variables
from .....semantics.spaseq.context import Context
from .....semantics.spaseq.deferral import (
    Join,
    Owing,
    OwingPair,
    OwingPairs,
    TimedSolutions,
    join_under,
    without_past,
)
from .....semantics.spaseq.denotation import STAR, bop, sequence
from .....semantics.spaseq.iterations import iteration
from .....semantics.spaseq.streamset import Instant
from .....semantics.spaseq.syntax.scope import variables
from .....semantics.spaseq.syntax.tree import (
    Conjunction,
    Disjunction,
    KleenePlus,
    Operator,
    Reference,
)
from ....explanations.asked import AskedRow, comparable
from ....explanations.derivations import Event, Goal, Premise, Step, Way, checked
from ....explanations.wording import conjoined, few
from ....results.json_objects import sort_key
from .elements import Element, ElementRules
from .words import SpaseqWords


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
        joined: Join = join_under
        if isinstance(atom, KleenePlus):
            local = variables(psi, self.context.bindable)
            if link is not None:
                local -= chain_variables(link.sigma, self.context.bindable)
            joined = iteration(self.context.readings.kleene, local)
            if self.context.readings.kleene == "join":
                local = frozenset()
        matches: OwingPairs = bop(psi, self.context)
        in_order = sorted(matches, key=lambda match: match.time)
        return Element(atom, psi, in_order, joined, local, link)

    # --- goals ----------------------------------------------------------------------------------

    def derived(
        self, k: int, pair: TimedSolutions, target: SolutionMapping | None = None
    ) -> Goal:
        """That (τ, X) is a pair of ⟦Ψ0 •1 … Ψk⟧; the triples are those of μ ∈ X, the target."""
        def ways() -> Iterator[Way]:
            here = [match for match in self.elements[k].matches if match.time == pair.time]
            for match in here:
                for before, first in self.befores(k, match):
                    joined = self.joined(k, before, match)
                    if self.unguarded(k, before, match, joined, first=first) == pair.omega:
                        yield self.way(k, before, match, first=first, target=target)

        return self._known.setdefault((k, pair, target), Goal(ways))

    def ending(self, k: int, asked: AskedRow) -> Goal:
        """That ⟦Ψ0 •1 … Ψk⟧ has a pair that agrees with what is asked for."""
        element, last = self.elements[k], k == len(self.elements) - 1
        time, rank = asked.when.get("time"), asked.when.get("rank")
        mu = comparable(asked.mu)

        def fits(when: Instant, omega: Solutions) -> bool:
            on_time = time is None or (when[0] == time if last else when[0] <= time)
            return on_time and (not last or rank in (None, when[1])) and any(
                mu.compatible(nu) for nu in omega
            )

        def ways() -> Iterator[Way]:
            if not last:
                for pair in (each for each in self.pairs[k] if fits(*each)):
                    target = next(filter(mu.compatible, sorted(pair.omega, key=sort_key)))
                    yield Way("", (self.derived(k, pair, target),))
            # An iteration binds its own variables anew, whatever those before it have bound.
            inherited = mu.without(element.local)
            fitting = [each for each in element.matches if fits(each.time, each.omega.mappings)]
            tried = False
            for match in fitting:
                for before, first in self.befores(k, match):
                    if before is None or any(inherited.compatible(nu) for nu in before.omega):
                        tried = True
                        yield self.way(k, before, match, first=first, wanted=mu)
            if not tried:
                yield Way("", (
                    *([self.ending(k - 1, asked)] if k else []),
                    self.candidate(element, asked, last),
                ))

        return Goal(ways)

    def befores(
        self, k: int, match: OwingPair
    ) -> Iterator[tuple[TimedSolutions | None, bool]]:
        """What a match of Ψk may follow: a pair of what stands before Ψk, or an iteration of it;
        and whether it is the former."""
        if k:
            yield from ((pair, True) for pair in self.pairs[k - 1])
        else:
            yield None, True
        if self.elements[k].repeated:
            yield from ((pair, False) for pair in self.pairs[k] if pair.time < match.time)

    def joined(
        self, k: int, before: TimedSolutions | None, match: OwingPair
    ) -> Solutions:
        """X ⋈_R Y; at the head of the sequence conditions are asked of Y alone."""
        element = self.elements[k]
        if before is not None:
            return element.joined(before.omega, match.omega)
        head = without_past(match.omega)
        return element.joined(STAR, Owing(head)) if element.repeated else head

    def unguarded(
        self, k: int, before: TimedSolutions | None, match: OwingPair, joined: Solutions,
        *, first: bool,
    ) -> Solutions:
        """What the negations in between leave of it (negation=absence)."""
        link = self.elements[k].link
        if before is None or link is None or not first:
            return joined
        return frozenset(
            mu for mu in joined
            if all(is_absent(each, mu, before.time, match.time, self.context)
                   for each in link.absent)
        )

    def way(
        self, k: int, before: TimedSolutions | None, match: OwingPair, *, first: bool,
        wanted: SolutionMapping = EMPTY_MAPPING, target: SolutionMapping | None = None,
    ) -> Way:
        return Way(
            self.what(self.elements[k], match, first=first),
            self.premises(k, before, match, first=first, wanted=wanted, target=target),
            Event(self.where(self.elements[k], match.time), match.time[0], match.time[0]),
        )

    # --- Defs. 10 to 14 -------------------------------------------------------------------------

    def premises(
        self, k: int, before: TimedSolutions | None, match: OwingPair, *, first: bool,
        wanted: SolutionMapping, target: SolutionMapping | None,
    ) -> Iterator[Premise]:
        """That a match follows what it is said to follow."""
        element, words = self.elements[k], self.words
        joined = self.joined(k, before, match)
        past, own = self.parts(k, before, match, joined, wanted=wanted, target=target)
        yield from self.grounds(element.psi, match.time, own)
        if isinstance(element.psi, Conjunction):
            yield Step("All operands of & match at the same time (Def. 8).")
        if isinstance(element.psi, Disjunction):
            yield Step("One operand of | is enough (Def. 9).")
        if before is None:
            why = words.clash(STAR, match.omega, frozenset()) or few([
                f"{words.text(Filter(each.expression))} looks back at"
                f" {conjoined([f'?{v}' for v in sorted(each.variables - match.omega.bindable)])}"
                for each in match.omega.conditions
            ])
            yield checked(joined, true="It begins the sequence (Def. 7).",
                       false=f"it has no past to look at: {why}")
        else:
            yield self.derived(k - 1 if first else k, before, past)
            yield from self.follows(element, before, match, joined, first=first)
        for condition in sorted(match.omega.conditions, key=lambda each: str(each.expression)):
            yield Step(f"{words.text(Filter(condition.expression))} looks back and is true"
                       " (errata SPA-10).")
        if first and before is not None and element.link is not None:
            for absent in element.link.absent:
                yield checked(
                    any(is_absent(absent, mu, before.time, match.time, self.context)
                        for mu in joined),
                    true=f"Between {words.event_time(before.time)} and"
                    f" {words.event_time(match.time)} no event matches {absent.name} compatibly"
                    " (negation=absence).",
                    false=f"{self.between(absent, before, match, joined)} between them"
                    f" (negation=absence)",
                )
        yield checked(
            any(wanted.compatible(mu) for mu in joined),
            false=f"it joins with other values than those asked for: {words.solutions(joined)}",
        )

    def parts(
        self, k: int, before: TimedSolutions | None, match: OwingPair, joined: Solutions,
        *, wanted: SolutionMapping, target: SolutionMapping | None,
    ) -> tuple[SolutionMapping | None, SolutionMapping]:
        """The mappings of what stands before and of Ψk that make the target, or one wanted."""
        local = self.elements[k].local
        if target is None:
            fitting = sorted(filter(wanted.compatible, joined), key=sort_key)
            target = fitting[0] if fitting else None
        asked = (wanted if target is None else target).without(local)

        def agreeing(omega: Solutions) -> list[SolutionMapping]:
            ordered = sorted(omega, key=sort_key)
            return [mu for mu in ordered if mu.without(local).compatible(asked)] or ordered

        own = agreeing(match.omega.mappings)
        past: Sequence[SolutionMapping | None] = [None]
        if before is not None:
            past = agreeing(before.omega)
        if target is not None:
            for nu, mu in product(own, past):
                one = None
                if before is not None and mu is not None:
                    one = before._replace(omega=frozenset({mu}))
                other = match._replace(omega=match.omega._replace(mappings=frozenset({nu})))
                if target in self.joined(k, one, other):
                    return mu, nu
        return next(iter(past), None), next(iter(own), EMPTY_MAPPING)

    def between(
        self, absent: Reference, before: TimedSolutions, match: OwingPair, joined: Solutions
    ) -> str:
        """The event that is not to be there, with the values by which it is."""
        gpm = self.context.gpms[absent.name]
        for event in self.context.streamset(gpm.stream):
            if before.time < event.time < match.time:
                found = self.context.graph_pattern(gpm.pattern, event.graph)
                for nu in sorted(found, key=sort_key):
                    if any(mu.compatible(nu) for mu in joined):
                        shown = self.words.mapping(nu)
                        return f"{self.words.event(event)} matches {absent.name}, with {shown},"
        return f"an event matches {absent.name}"

    def follows(
        self, element: Element, before: TimedSolutions, match: OwingPair, joined: Solutions,
        *, first: bool,
    ) -> Iterator[Step]:
        words, since, now = self.words, before.time, match.time
        after = f"after {words.event_time(since)}"
        yield checked(since < now, false=f"it is not later than what comes before it, at"
                   f" {words.event_time(since)} (Defs. 10–12)")
        yield checked(joined, false=f"{after} it does not join:"
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
                yield Step(f"It is later than {words.event_time(since)} and joins with it: ':'"
                           f" asks no more ({cited}).")
            case Operator.STRICT:
                why = "iterations are contiguous, Def. 14" if not first else "Def. 12"
                yield checked(
                    not between,
                    true=f"It is later than {words.event_time(since)} and joins with it, and no"
                    f" event of any stream lies between: ',' ({cited}).",
                    false=f"{after} it is not contiguous, there is"
                    f" {conjoined([words.event(e) for e in between[:3]])} ({why})",
                )
            case Operator.NEXT:
                blocking = next((
                    each for each in earlier
                    if element.joined(before.omega, each.omega)
                ), None)
                psi = text_of(element.psi)
                yield checked(
                    blocking is None,
                    true=f"It is the first {after} that joins with what came before: ';'"
                    f" ({cited}).",
                    false="" if blocking is None else
                    f"{psi} at {words.event_time(blocking.time)} joins before and takes its place"
                    f" ({'Def. 11' if first else 'Def. 13'})",
                )
                for each in earlier:
                    why = words.clash(before.omega, each.omega, element.local)
                    yield Step(f"{psi} at {words.event_time(each.time)} is passed over: {why}.")
