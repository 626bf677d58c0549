"""The beginnings of an EP-SPARQL pattern, and of each one queries that demand less."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from rdflib.term import Variable

from ....semantics.epsparql.syntax.readings import Readings
from ....semantics.epsparql.syntax.tree import (
    EpsparqlQuery,
    Form,
    Operator,
    Rule,
    TemporalPattern,
)
from ....semantics.rdf.syntax.tree import (
    Element,
    GroupGraphPattern,
    SelectQuery,
    SolutionModifier,
    SubSelect,
    TriplePattern,
    TriplesBlock,
    UnionPattern,
)
from ..base import Beginning, Relaxed
from ..group_beginnings import GroupBeginnings, Unit, separate

_ANY = TriplePattern(Variable("s"), Variable("p"), Variable("o"))
ANY_ITEM: Final = SubSelect(SelectQuery(
    (), GroupGraphPattern((TriplesBlock((_ANY,)),)), SolutionModifier(limit=1)
))
"""A solution with the time of an item."""


def beginnings(query: EpsparqlQuery, readings: Readings) -> list[Beginning]:
    """Return the pattern of the query, or those of its rules, with their beginnings."""
    parts = _Beginnings(query, readings)
    wheres = [query.select.where] if query.select else [rule.where for rule in query.rules]
    return [parts.group(where) for where in wheres if where.elements]


class _Beginnings(GroupBeginnings[EpsparqlQuery]):
    def __init__(self, query: EpsparqlQuery, readings: Readings) -> None:
        super().__init__(query, readings, query.prologue)
        self._entered: list[Rule] = []

    def over(self, group: GroupGraphPattern) -> EpsparqlQuery:
        # SELECT does not return solutions of background data alone, which have no time.
        if not any(isinstance(each, TemporalPattern) for each in group.elements):
            group = GroupGraphPattern((UnionPattern((group,)), ANY_ITEM))
        return replace(self.query, select=SelectQuery(None, group), form=Form.SELECT, described=())

    def units(self, elements: Sequence[Element]) -> Sequence[Unit]:
        # The triples of a block may be those of several items.
        return [
            (part,) for each in elements for part in (
                (TriplesBlock((triple,)) for triple in each.triples)
                if isinstance(each, TriplesBlock) else (each,)
            )
        ]

    def own(self, unit: Unit) -> Beginning | None:
        match unit[0]:
            case TemporalPattern() as pattern:
                return self._temporal(pattern)
            case TriplesBlock((triple,)):
                return self.leaf(unit)._replace(operands=tuple(self._rules(triple)))
        return None

    def _temporal(self, pattern: TemporalPattern) -> Beginning:
        left, right = pattern.alternatives
        operands = {
            Operator.OPTIONALSEQ: (right,), Operator.EQUALSOPTIONAL: (left,),
            Operator.SEQOPTIONAL: (left,),
        }.get(pattern.operator, (left, right))
        return Beginning(
            self.text(left), self.text(right), self.asked(GroupGraphPattern((pattern,))),
            tuple(self._relaxed(pattern)), tuple(map(self.group, operands)),
            self.APART if pattern.operator is Operator.EQUALS else "",
        )

    def _relaxed(self, pattern: TemporalPattern) -> Iterator[Relaxed]:
        whole = self.asked(GroupGraphPattern((pattern,)))
        if self.readings.policy != "unrestricted":
            yield Relaxed(
                f"not under the policy '{self.readings.policy}'", whole,
                replace(self.readings, policy="unrestricted"),
            )
        left, right = pattern.alternatives
        shared, (other,) = separate((UnionPattern((left,)),), (UnionPattern((right,)),))
        if shared:
            apart = replace(pattern, alternatives=(left, *other.alternatives))
            but = f"not with the same {shared}"
            yield self.relaxed(but, self.asked(GroupGraphPattern((apart,))))
        if pattern.operator is Operator.EQUALS:
            both = (UnionPattern((left,)), UnionPattern((right,)))
            yield self.relaxed("not over the same interval", self.asked(GroupGraphPattern(both)))
            but = f"neither over the same interval nor with the same {shared}"
            yield self.relaxed(but, self.asked(GroupGraphPattern((both[0], other))))

    def _rules(self, triple: TriplePattern) -> Iterator[Beginning]:
        """Yield the pattern of the rule that constructs the triples, if it is a single one."""
        rules = [
            rule for rule in self.query.rules
            if any(each.predicate == triple.predicate for each in rule.template)
        ]
        if len(rules) == 1 and rules[0] not in self._entered:  # rules may be recursive
            self._entered.append(rules[0])
            yield self.group(rules[0].where)
            self._entered.pop()
