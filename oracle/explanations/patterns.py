"""The rules of a SPARQL group (18.2.2.6), for every language with groups.

A group has a solution if its elements have compatible solutions that satisfy its conditions. The
rules test element by element. A language defines the evaluation of a group and the rules of its
own elements.
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
from .derivations import Event, Goal, Premise, Step, Way, check
from .triples import Named, grounds
from .wording import MAX_SHOWN, Words

FoundT = TypeVar("FoundT")


class Patterns(ABC, Generic[FoundT]):
    """The rules of groups over one dataset; `place` names it, after a verb."""

    place = ""

    def __init__(self, words: Words) -> None:
        self.words = words

    # --- defined by a language ------------------------------------------------------------------

    @abstractmethod
    def solutions(self, group: GroupGraphPattern) -> Iterable[FoundT]:
        """Return the solutions of the group alone."""

    @abstractmethod
    def mapping(self, found: FoundT) -> SolutionMapping:
        """Return μ of a solution."""

    def order(self, found: FoundT) -> object:
        """Return a sort key: the first solution is explained."""
        return sorted(self.mapping(found).items(), key=str)

    def event(self, element: Element, found: FoundT) -> Event | None:
        """Return the stream items of a solution of an element."""
        return None

    def grounds(self, element: Element, found: FoundT) -> Iterable[Step]:
        """Return the triples of a solution of an element."""
        return ()

    def over(self, found: FoundT) -> str:
        """Return the interval of a solution as a suffix of its text; "" if it has no time."""
        return ""

    def solution_text(self, found: FoundT) -> str:
        """Return a solution in one line."""
        return self.words.mapping(self.mapping(found)) + self.over(found)

    def match_text(self, element: Element, found: FoundT) -> str:
        """Return the text for an element with a solution."""
        return f"{self.words.text(element)} matches{self.place}, with {self.solution_text(found)}"

    def elements(self, group: GroupGraphPattern) -> Sequence[Element]:
        """Return the elements of a group that have a rule each."""
        return group.elements

    def language_rule(
        self, element: Element, mu: SolutionMapping, whole: FoundT | None = None
    ) -> Goal | None:
        """Return the rule of an element that is not part of SPARQL; `whole` as in `within`."""
        return None

    def within(self, found: list[FoundT], whole: FoundT | None) -> list[FoundT]:
        """Return the solutions of an element that may be part of the solution of its group.

        `whole` is the solution of the group; None if there is none.
        """
        return found

    # --- groups ---------------------------------------------------------------------------------

    def compatible(self, elements: Sequence[Element], mu: SolutionMapping) -> list[FoundT]:
        """Return the solutions of elements alone that are compatible with μ."""
        found = self.solutions(GroupGraphPattern(tuple(elements)))
        return sorted(
            (each for each in found if self.mapping(each).compatible(mu)),
            key=self.order,  # type: ignore[arg-type]
        )

    def group(
        self, group: GroupGraphPattern, mu: SolutionMapping,
        wanted: Callable[[FoundT], bool] = lambda found: True, when: str = "",
    ) -> Goal:
        """Derive a wanted solution of a group that is compatible with μ; `when` is its time."""
        return Goal(lambda: [Way("", self._premises(group, mu, wanted, when))])

    def _premises(
        self, group: GroupGraphPattern, mu: SolutionMapping, wanted: Callable[[FoundT], bool],
        when: str,
    ) -> Iterator[Premise]:
        elements = self.elements(group)
        # Each evaluation of BNODE() returns another node.
        made = {each.variable for each in elements if isinstance(each, Bind)}
        mu = mu.without(v for v in made if isinstance(mu.get(v), BNode))
        whole = next((each for each in self.compatible(elements, mu) if wanted(each)), None)
        if whole is not None:
            mu = self.mapping(whole).merge(mu)
            mu = mu.without(v for v in made if isinstance(mu.get(v), BNode))
        plain = [each for each in elements if not isinstance(each, Filter | MinusPattern)]
        so_far: list[FoundT] = [] if plain else self.compatible((), mu)
        for place, element in enumerate(plain):
            if not isinstance(element, OptionalPattern | Bind):
                yield self.element(element, mu, whole)
            before, so_far = so_far, self.compatible(plain[: place + 1], mu)
            if isinstance(element, OptionalPattern | Bind):
                yield self._extension(element, before, so_far, mu)
            elif place:
                yield check(so_far, false=self._incompatible(before, element, mu))
        conditions: list[Element] = []
        for condition in elements:
            if isinstance(condition, Filter | MinusPattern):
                conditions.append(condition)
                left = self.compatible([*plain, *conditions], mu)
                yield self._condition(condition, plain, so_far, left, mu)
                so_far = left
        yield check(
            any(map(wanted, so_far)),
            false=f"No solution{f' {when}' * bool(when)} as requested; the solutions are"
            f" {self._list(so_far) or 'none'}",
        )

    def element(
        self, element: Element, mu: SolutionMapping, whole: FoundT | None = None
    ) -> Goal:
        """Derive a solution of an element that is compatible with μ; `whole` as in `within`."""
        goal = self.language_rule(element, mu, whole)
        if goal is not None:
            return goal
        if isinstance(element, UnionPattern):
            return Goal(lambda: [
                Way("", (self.group(each, mu),)) for each in element.alternatives
            ])
        if isinstance(element, SubSelect) and not is_grouped(element.query):
            # A variable that is not selected is local to the sub-query (18.2.1).
            selected = possible_variables(element.query.where).intersection(
                selected_variables(element.query)
            )
            return self.group(element.query.where, mu.project(selected))

        def ways() -> Iterator[Way]:
            for found in self.within(self.compatible([element], mu), whole)[:1]:
                yield Way(
                    self.match_text(element, found), (Step(), *self.grounds(element, found)),
                    self.event(element, found),
                )
            part = self._failing_part(element, mu)
            others = self.compatible([part], EMPTY_MAPPING)
            if others and mu:
                unlike = (self.words.unlike(self.mapping(each), mu) for each in others)
                yield Way(premises=(Step(), check(
                    False, false=f"{self.words.text(part)} matches{self.place}, but"
                    f" {min(unlike, key=len)}",
                )))

        return Goal(ways, self.no_match_text(self._failing_part(element, EMPTY_MAPPING)))

    def _failing_part(self, element: Element, mu: SolutionMapping) -> Element:
        """Return the first triple pattern of a block without a match, or else the element."""
        if isinstance(element, TriplesBlock) and len(element.triples) > 1:
            for triple in element.triples:
                alone = TriplesBlock((triple,))
                if not self.compatible([alone], mu):
                    return alone
        return element

    def no_match_text(self, element: Element) -> str:
        """Return the text for an element without a solution."""
        return f"{self.words.text(element)} does not match{self.place}"

    def _incompatible(self, before: list[FoundT], element: Element, mu: SolutionMapping) -> str:
        """Return why an element is incompatible with the solutions of the preceding ones."""
        reasons = (
            self.words.differing(self.mapping(one), self.mapping(two))
            for one in before[:MAX_SHOWN] for two in self.compatible([element], mu)[:MAX_SHOWN]
        )
        why = next(filter(None, reasons), "")
        return f"{self.words.text(element)} is incompatible with the preceding patterns" + (
            f": {why}" if why else ""
        )

    def _extension(
        self, element: Element, before: list[FoundT], now: list[FoundT], mu: SolutionMapping
    ) -> Step:
        """Return the bindings that OPTIONAL or BIND adds."""
        text = self.words.text(element)
        if not now:
            have = self.solutions(GroupGraphPattern((element,)))
            other = self._list(list(have)) or "none"
            return check(False, false=f"{text} leads to another solution: {other}")
        known = set(self.mapping(before[0])) if before else set()
        new = {v: value for v, value in self.mapping(now[0]).items() if v not in known}
        return check(True, true=f"{text} adds {self.words.mapping(new)}" if new else
                     f"{text} adds no bindings")

    def _condition(
        self, condition: Filter | MinusPattern, plain: Sequence[Element],
        before: list[FoundT], left: list[FoundT], mu: SolutionMapping,
    ) -> Step:
        """Test that FILTER or MINUS keeps a solution."""
        if isinstance(condition, MinusPattern):
            text = self.words.text(condition)
            return check(
                left, true=f"{text} removes no compatible solution",
                false=f"{text} removes {self._list(before)}",
            )
        if left:
            values = self._values(condition.condition, left[0])
            return check(True, true=f"{self.words.text(condition)} is true with {values}")
        failing = next(
            (each for each in conjuncts(condition.condition)
             if not self.compatible([*plain, Filter(each)], mu)), condition.condition
        )
        tried = dict.fromkeys(self._values(failing, found) for found in before[:MAX_SHOWN])
        text = self.words.text(Filter(failing))
        return check(False, false=f"{text} is not true with {'; or '.join(tried)}")

    def _values(self, condition: Expression, found: FoundT) -> str:
        """Return the values of a condition's variables; the whole solution if it has none."""
        variables = mentioned_variables(condition)
        if not variables:
            return self.solution_text(found)
        return self.words.values(self.mapping(found), variables) + self.over(found)

    def _list(self, found: Sequence[FoundT]) -> str:
        return "; or ".join(map(self.solution_text, found[:MAX_SHOWN]))


class OnGraph(Patterns[SolutionMapping]):
    """The rules of groups over one graph, ⟦P⟧_G."""

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
