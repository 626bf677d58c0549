"""The rules of a SPARQL group (18.2.2.6), for every language that has groups.

A group has a solution if each of its elements has one that agrees, if they agree with one another,
and if no condition throws it away; that is asked element by element. A language says how a group is
evaluated there, and brings the rules of its own elements.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

from rdflib.term import BNode

from ...semantics.model.mappings import EMPTY_MAPPING, SolutionMapping
from ...semantics.model.terms import Graph
from ...semantics.rdf.syntax.scoping import is_grouped
from ...semantics.rdf.syntax.tree import (
    Bind,
    Element,
    Expression,
    Filter,
    GroupGraphPattern,
    MinusPattern,
    OptionalPattern,
    SubSelect,
    TriplesBlock,
    UnionPattern,
)
from ...semantics.rdf.syntax.variables import (
    conjuncts,
    mentioned_variables,
    possible_variables,
    selected_variables,
)
from .derivations import Event, Goal, Premise, Step, Way, checked
from .triples import Named, grounds
from .wording import MOST, Words

FoundT = TypeVar("FoundT")


class Patterns(ABC, Generic[FoundT]):
    """The rules of groups, over one dataset; `place` says which, after a verb."""

    place = ""

    def __init__(self, words: Words) -> None:
        self.words = words

    # --- what a language says -----------------------------------------------------------------

    @abstractmethod
    def solutions(self, group: GroupGraphPattern) -> Iterable[FoundT]:
        """What the group means alone."""

    @abstractmethod
    def mapping(self, found: FoundT) -> SolutionMapping:
        """μ of a solution."""

    def order(self, found: FoundT) -> object:
        """A sort key: the first solution is the one that is told of."""
        return sorted(self.mapping(found).items(), key=str)

    def event(self, element: Element, found: FoundT) -> Event | None:
        """The items of a stream that a solution of an element rests on."""
        return None

    def grounds(self, element: Element, found: FoundT) -> Iterable[Step]:
        """The triples that a solution of an element rests on."""
        return ()

    def over(self, found: FoundT) -> str:
        """When a solution holds, after its mapping; "" where it has no time."""
        return ""

    def shown(self, found: FoundT) -> str:
        """A solution in short."""
        return self.words.mapping(self.mapping(found)) + self.over(found)

    def matched(self, element: Element, found: FoundT) -> str:
        """That an element has a solution."""
        return f"{self.words.text(element)} is matched{self.place}, with {self.shown(found)}"

    def elements(self, group: GroupGraphPattern) -> Sequence[Element]:
        """The elements of a group, each with a rule of its own."""
        return group.elements

    def own(
        self, element: Element, mu: SolutionMapping, whole: FoundT | None = None
    ) -> Goal | None:
        """The rule of an element that is none of SPARQL's; `whole` as in `within`."""
        return None

    def within(self, found: list[FoundT], whole: FoundT | None) -> list[FoundT]:
        """Of the solutions of an element, those of which its group's solution may be made.

        That one is `whole`; None where it has none.
        """
        return found

    # --- groups ---------------------------------------------------------------------------------

    def agreeing(self, elements: Sequence[Element], mu: SolutionMapping) -> list[FoundT]:
        """The solutions of elements alone that are compatible with μ."""
        found = self.solutions(GroupGraphPattern(tuple(elements)))
        return sorted(
            (each for each in found if self.mapping(each).compatible(mu)),
            key=self.order,  # type: ignore[arg-type]
        )

    def group(
        self, group: GroupGraphPattern, mu: SolutionMapping,
        wanted: Callable[[FoundT], bool] = lambda found: True, asked: str = "",
    ) -> Goal:
        """That a group has a solution that agrees with μ, and is wanted: as it is `asked`."""
        return Goal(lambda: [Way("", self._premises(group, mu, wanted, asked))])

    def _premises(
        self, group: GroupGraphPattern, mu: SolutionMapping, wanted: Callable[[FoundT], bool],
        asked: str,
    ) -> Iterator[Premise]:
        elements = self.elements(group)
        # BNODE() is another node whenever it is asked.
        made = {each.variable for each in elements if isinstance(each, Bind)}
        mu = mu.without(v for v in made if isinstance(mu.get(v), BNode))
        whole = next((each for each in self.agreeing(elements, mu) if wanted(each)), None)
        if whole is not None:
            mu = self.mapping(whole).merge(mu)
            mu = mu.without(v for v in made if isinstance(mu.get(v), BNode))
        plain = [each for each in elements if not isinstance(each, Filter | MinusPattern)]
        so_far: list[FoundT] = [] if plain else self.agreeing((), mu)
        for place, element in enumerate(plain):
            if not isinstance(element, OptionalPattern | Bind):
                yield self.element(element, mu, whole)
            before, so_far = so_far, self.agreeing(plain[: place + 1], mu)
            if isinstance(element, OptionalPattern | Bind):
                yield self._added(element, before, so_far, mu)
            elif place:
                yield checked(so_far, false=self._apart(before, element, mu))
        conditions: list[Element] = []
        for condition in elements:
            if isinstance(condition, Filter | MinusPattern):
                conditions.append(condition)
                left = self.agreeing([*plain, *conditions], mu)
                yield self._condition(condition, plain, so_far, left, mu)
                so_far = left
        yield checked(
            any(map(wanted, so_far)),
            false=f"What there is, {self._several(so_far) or 'nothing'}, is not what is asked for"
            + (f", {asked}" if asked else ""),
        )

    def element(
        self, element: Element, mu: SolutionMapping, whole: FoundT | None = None
    ) -> Goal:
        """That an element alone has a solution that agrees with μ; `whole` as in `within`."""
        own = self.own(element, mu, whole)
        if own is not None:
            return own
        if isinstance(element, UnionPattern):
            return Goal(lambda: [
                Way("", (self.group(each, mu),)) for each in element.alternatives
            ])
        if isinstance(element, SubSelect) and not is_grouped(element.query):
            # A variable that is not selected is another one outside (18.2.1).
            selected = possible_variables(element.query.where).intersection(
                selected_variables(element.query)
            )
            return self.group(element.query.where, mu.project(selected))

        def ways() -> Iterator[Way]:
            for found in self.within(self.agreeing([element], mu), whole)[:1]:
                yield Way(
                    self.matched(element, found), (Step(), *self.grounds(element, found)),
                    self.event(element, found),
                )
            part = self._failing_part(element, mu)
            others = self.agreeing([part], EMPTY_MAPPING)
            if others and mu:
                unlike = (self.words.unlike(self.mapping(each), mu) for each in others)
                yield Way(premises=(Step(), checked(
                    False, false=f"{self.words.text(part)} is matched{self.place}, but"
                    f" {min(unlike, key=len)}",
                )))

        return Goal(ways, self.nowhere(self._failing_part(element, EMPTY_MAPPING)))

    def _failing_part(self, element: Element, mu: SolutionMapping) -> Element:
        """The triple pattern of a block that is not matched, if it is a single one."""
        if isinstance(element, TriplesBlock) and len(element.triples) > 1:
            for triple in element.triples:
                alone = TriplesBlock((triple,))
                if not self.agreeing([alone], mu):
                    return alone
        return element

    def nowhere(self, element: Element) -> str:
        """That an element has no solution."""
        return f"{self.words.text(element)} is not matched{self.place}"

    def _apart(self, before: list[FoundT], element: Element, mu: SolutionMapping) -> str:
        """Why what was found before does not join with an element."""
        reasons = (
            self.words.differing(self.mapping(one), self.mapping(two))
            for one in before[:MOST] for two in self.agreeing([element], mu)[:MOST]
        )
        why = next(filter(None, reasons), "")
        return f"{self.words.text(element)} does not join with what stands before it" + (
            f": {why}" if why else ""
        )

    def _added(
        self, element: Element, before: list[FoundT], now: list[FoundT], mu: SolutionMapping
    ) -> Step:
        """OPTIONAL and BIND: what they add."""
        text = self.words.text(element)
        if not now:
            have = self.solutions(GroupGraphPattern((element,)))
            other = self._several(list(have)) or "nothing"
            return checked(False, false=f"{text} makes it another solution: {other}")
        known = set(self.mapping(before[0])) if before else set()
        new = {v: value for v, value in self.mapping(now[0]).items() if v not in known}
        return checked(True, true=f"{text} adds {self.words.mapping(new)}" if new else
                    f"{text} adds nothing")

    def _condition(
        self, condition: Filter | MinusPattern, plain: Sequence[Element],
        before: list[FoundT], left: list[FoundT], mu: SolutionMapping,
    ) -> Step:
        """FILTER and MINUS: that they leave something, and with which values."""
        if isinstance(condition, MinusPattern):
            text = self.words.text(condition)
            return checked(
                left, true=f"{text} takes nothing away that agrees",
                false=f"{text} takes away {self._several(before)}",
            )
        if left:
            seen = self._seen(condition.condition, left[0])
            return checked(True, true=f"{self.words.text(condition)} is true with {seen}")
        failing = next(
            (each for each in conjuncts(condition.condition)
             if not self.agreeing([*plain, Filter(each)], mu)), condition.condition
        )
        values = dict.fromkeys(self._seen(failing, found) for found in before[:MOST])
        text = self.words.text(Filter(failing))
        return checked(False, false=f"{text} is not true with {'; or '.join(values)}")

    def _seen(self, condition: Expression, found: FoundT) -> str:
        """The values of a condition; all of a solution where it has no variable."""
        variables = mentioned_variables(condition)
        if not variables:
            return self.shown(found)
        return self.words.values(self.mapping(found), variables) + self.over(found)

    def _several(self, found: Sequence[FoundT]) -> str:
        return "; or ".join(map(self.shown, found[:MOST]))


class OnGraph(Patterns[SolutionMapping]):
    """The patterns of one graph, ⟦P⟧_G."""

    def __init__(
        self, words: Words,
        evaluate: Callable[[GroupGraphPattern, Graph], Iterable[SolutionMapping]],
        graph: Graph, place: str, named: Named,
    ) -> None:
        super().__init__(words)
        self.evaluate, self.graph, self.place, self.named = evaluate, graph, place, named

    def solutions(self, group: GroupGraphPattern) -> Iterable[SolutionMapping]:
        return self.evaluate(group, self.graph)

    def mapping(self, found: SolutionMapping) -> SolutionMapping:
        return found

    def grounds(self, element: Element, found: SolutionMapping) -> Iterable[Step]:
        group = GroupGraphPattern((element,))
        return grounds(self.words, group, found, self.graph, self.named)
