"""The beginnings of a query whose WHERE clause is a group of SPARQL, element by element."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from typing import Any, ClassVar, Generic

from rdflib.namespace import RDF
from rdflib.term import URIRef, Variable

from ...semantics.model.pretty_printing import text_of
from ...semantics.model.trees import changed
from ...semantics.rdf.syntax.printing import Shortener
from ...semantics.rdf.syntax.tree import (
    Bind,
    Element,
    Filter,
    GroupGraphPattern,
    MinusPattern,
    NamedGraphPattern,
    OptionalPattern,
    Prologue,
    SubSelect,
    UnionPattern,
)
from ...semantics.rdf.syntax.variables import possible_variables
from .base import Beginning, QueryT, Relaxed

Unit = tuple[Element, ...]
"""Elements of a group that match together."""


class GroupBeginnings(ABC, Generic[QueryT]):
    """The beginnings of a query's groups; a language adds those of its own elements."""

    APART: ClassVar = "not together"
    """The clause for elements that match but do not join, whatever values their variables have."""

    def __init__(self, query: QueryT, readings: Any, prologue: Prologue) -> None:
        self.query, self.readings = query, readings
        self._shorten = Shortener(prologue)
        self._graphs: tuple[URIRef | Variable, ...] = ()  # around the group, the inner ones first

    @abstractmethod
    def over(self, group: GroupGraphPattern) -> QueryT:
        """Return a query for all solutions of a group, over the windows of the query."""

    def asked(self, group: GroupGraphPattern) -> QueryT:
        """Return a query for all solutions of a group, which may be one of a GRAPH."""
        for graph in self._graphs:
            group = GroupGraphPattern((NamedGraphPattern(graph, group),))
        return self.over(group)

    @abstractmethod
    def own(self, unit: Unit) -> Beginning | None:
        """Return the beginning of an element of the language's own; None for SPARQL's."""

    def units(self, elements: Sequence[Element]) -> Sequence[Unit]:
        """Return the elements, those together that match together."""
        return [(each,) for each in elements]

    def group(self, group: GroupGraphPattern) -> Beginning:
        """Return the group as the last of its beginnings: one for each element and FILTER."""
        conditions = [e for e in group.elements if isinstance(e, Filter | MinusPattern)]
        plain = [e for e in group.elements if not isinstance(e, Filter | MinusPattern)]
        begun: list[Element] = []
        found: Beginning | None = None
        for unit in self.units(plain):
            before, begun = begun, [*begun, *unit]
            if isinstance(unit[0], OptionalPattern | Bind):
                continue
            alone = self._unit(unit)
            found = alone if found is None else Beginning(
                self.text(before), self.text(unit), self.asked(GroupGraphPattern(tuple(begun))),
                tuple(self.apart(before, unit)), (found, alone), self.APART,
            )
        for condition in conditions:
            before, begun = begun, [*begun, condition]
            why = "is never true" if isinstance(condition, Filter) else "removes each match"
            found = Beginning(
                "", self.text(before), self.asked(GroupGraphPattern(tuple(begun))),
                (self.relaxed(
                    f"{self.text([condition])} {why}", self.asked(GroupGraphPattern(tuple(before)))
                ),),
                () if found is None else (found,),
            )
        return found or self.leaf(tuple(begun))

    def leaf(self, elements: Iterable[Element], text: str = "") -> Beginning:
        """Return elements as a beginning without operands."""
        elements = tuple(elements)
        return Beginning(
            "", text or self.text(elements), self.asked(GroupGraphPattern(elements)), ()
        )

    def apart(self, before: Iterable[Element], unit: Unit) -> Iterator[Relaxed]:
        """Demand the elements without common values of the variables that they share."""
        shared, others = separate(tuple(before), unit)
        if shared:
            yield self.relaxed(
                f"not with the same {shared}", self.asked(GroupGraphPattern((*before, *others)))
            )

    def relaxed(self, but: str, query: QueryT, *, anytime: bool = False) -> Relaxed:
        """Return a query that demands less, under the same readings."""
        return Relaxed(but, query, self.readings, anytime)

    def text(self, part: Any) -> str:
        """Return a part of the query, or elements of a group, in a line."""
        parts = part if isinstance(part, Sequence) else (part,)
        text = " ".join(" ".join(map(text_of, parts)).split())
        return self._shorten(text.replace(f" <{RDF.type}> ", " a "))

    def _unit(self, unit: Unit) -> Beginning:
        if (own := self.own(unit)) is not None:
            return own
        match unit[0]:
            case UnionPattern(alternatives):
                inside = "in each branch of UNION" if len(alternatives) > 1 else ""
                return self._around(unit, inside, *map(self.group, alternatives))
            case SubSelect(query):
                return self._around(unit, "in SELECT", self.group(query.where))
            case NamedGraphPattern(name, group):
                inner = copy(self)
                inner._graphs = (name, *self._graphs)
                inside = f"in GRAPH {self._shorten(name.n3())}"
                return self._around(unit, inside, inner.group(group))
        return self.leaf(unit)

    def _around(self, unit: Unit, inside: str, *operands: Beginning) -> Beginning:
        return self.leaf(unit)._replace(operands=operands, inside=inside)


def separate(before: Iterable[Element], last: Iterable[Element]) -> tuple[str, Any]:
    """Return the variables that elements share with the last ones, and these with others."""
    last = tuple(last)
    shared = sorted(_bound(before) & _bound(last))
    others = {v: Variable(f"{v}_of_its_own") for v in shared}
    return " and ".join(f"?{v}" for v in shared), changed(
        last, lambda part: others.get(part, part) if isinstance(part, Variable) else part
    )


def _bound(elements: Iterable[Element]) -> frozenset[Variable]:
    return possible_variables(GroupGraphPattern(tuple(elements)))
