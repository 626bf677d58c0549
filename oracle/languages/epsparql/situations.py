"""What may happen on a stream that EP-SPARQL's definitions have a word to say about.

Names in brackets are those of section 4.2, or of a ruling in docs/semantics/epsparql.md. All are
asked of a case that has an answer; what an occurrence has to do with it is that a triple pattern of
the query may stand for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from rdflib.term import BNode, Variable

from ....semantics.epsparql.syntax.strata import is_timewise
from ....semantics.epsparql.syntax.tree import DURATION, Form, Operator, TemporalPattern
from ....semantics.model.errors import DenotaError
from ....semantics.model.interval_solutions import IntervalSolution
from ....semantics.model.terms import Triple
from ....semantics.model.trees import find, has
from ....semantics.rdf.syntax import tree as s
from ...fuzzing.graph_situations import GRAPH_SITUATIONS, is_instance, met_in
from .case import EpsparqlCase

SITUATIONS: Mapping[str, str] = {
    "touching": "one side of a SEQ begins just when the other ends (SeqJoin: tω < t'α)",
    "simultaneous": "two sides have the same interval (EqJoin, EqLeftJoin)",
    "one end, two starts": "two sides end together and begin apart (EqJoin)",
    "at the bound": "an answer lasts just as long as a FILTER names (Filter, getDURATION)",
    "expired": "what a pattern asks for is too long ago for an answer that comes later (Filter)",
    "returned": "a triple occurs again when a bound has let go of it (BGP, getDURATION)",
    "again": "a triple occurs at several instants (BGP: choices of occurrences)",
    "over two intervals": "a triple occurs over two intervals that end together (S is a set)",
    "tie": "several items end with an answer (instant by instant)",
    "lasting": "an answer begins or ends with an item that lasts (⋈ of intervals)",
    "without time": "an answer needs a triple that only the background has (background=everywhere)",
    "entailed": "an answer needs what the schema concludes (entailment=rdfs)",
    "rule": "an answer needs what a rule constructs (clos_Q(S))",
    "rules together": "an answer needs what several rules construct (clos_Q(S))",
    "rule at the tail": "an answer needs a rule that waits for the end of the stream (EPS-12)",
    "made node": "a rule has made a blank node (a new one for each solution)",
    "policy": "a policy has chosen what is detected (Table 1 of the RSEP-QL paper)",
    "rivals": "a policy takes another answer than all there are (Table 1 of the RSEP-QL paper)",
    "cut": "LIMIT or OFFSET leaves something out (15.4, 15.5)",
    "group of several": "a group has several solutions, and spans them all (18.5.1)",
    "twice": "an answer is there twice (bags, 18.5)",
    "long": "twenty items and more, of which some have expired (Filter, getDURATION)",
    **GRAPH_SITUATIONS,
}


def met(case: EpsparqlCase, expected: Sequence[IntervalSolution | bool]) -> frozenset[str]:
    """The situations that a case with this answer has met."""
    if expected in ([], [False]):
        return frozenset()
    return frozenset(_Meeting(case, [e for e in expected if isinstance(e, IntervalSolution)]).all())


@dataclass(frozen=True)
class _Said:
    """An occurrence that a pattern of the query may stand for."""

    triple: Triple
    start: int
    end: int


@dataclass
class _Meeting:
    case: EpsparqlCase
    answers: list[IntervalSolution]

    @cached_property
    def said(self) -> list[_Said]:
        """What of the streams has to do with the query, in the order of ends."""
        asked = list(find(self.case.query, s.TriplePattern))
        found = {
            _Said(triple, item.start, item.end)
            for stream in self.case.streams.values() for item in stream for triple in item.graph
            if any(is_instance(pattern, triple) for pattern in asked)
        }
        return sorted(found, key=lambda each: (each.end, each.start, each.triple))

    @cached_property
    def lengths(self) -> set[int]:
        """What getDURATION() is compared with."""
        from ....semantics.model.time import parse_duration

        found = set()
        for comparison in find(self.case.query, s.Comparison):
            for one, other in ((comparison.left, comparison.right),
                               (comparison.right, comparison.left)):
                if one == s.BuiltIn(DURATION, ()) and not isinstance(other, Variable):
                    try:
                        found.add(parse_duration(other)[0])  # type: ignore[arg-type]
                    except (DenotaError, AttributeError):
                        continue
        return found

    def all(self) -> Iterator[str]:
        yield from self.of_intervals()
        yield from self.of_time()
        yield from self.of_rules()
        yield from self.of_answers()
        yield from self.of_patterns()

    def of_intervals(self) -> Iterator[str]:
        for pattern in find(self.case.query, TemporalPattern):
            left, right = (
                [each for each in self.said if self._stands_for(side, each)]
                for side in pattern.alternatives
            )
            for one in left:
                for other in right:
                    if one == other:
                        continue
                    if pattern.operator in (Operator.SEQ, Operator.OPTIONALSEQ):
                        if one.end == other.start:
                            yield "touching"
                    elif one.end == other.end:
                        yield "simultaneous" if one.start == other.start else "one end, two starts"

    def _stands_for(self, side: s.GroupGraphPattern, said: _Said) -> bool:
        return any(is_instance(each, said.triple) for each in find(side, s.TriplePattern))

    def of_time(self) -> Iterator[str]:
        times: dict[Triple, list[_Said]] = {}
        for each in self.said:
            times.setdefault(each.triple, []).append(each)
        for several in times.values():
            for one, other in pairwise(several):
                yield "over two intervals" if one.end == other.end else "again"
                if self.lengths and other.end - one.end > max(self.lengths):
                    yield "returned"
        ends = Counter(item.end for stream in self.case.streams.values() for item in stream)
        lasting = [each for each in self.said if each.start < each.end]
        for answer in self.answers:
            if answer.end - answer.start in self.lengths:
                yield "at the bound"
            if ends[answer.end] > 1:
                yield "tie"
            if any(answer.start == each.start or answer.end == each.end for each in lasting):
                yield "lasting"
            if self.lengths and any(
                each.start < answer.end - max(self.lengths) for each in self.said
            ):
                yield "expired"
                if sum(ends.values()) >= 20:
                    yield "long"

    def of_rules(self) -> Iterator[str]:
        """What an answer needs: without it, the answer is another one"""
        query, readings = self.case.query, self.case.readings
        if self.case.kb:
            if self._differs(self.case.but(kb={})):
                yield "without time"
            if readings.entailment == "rdfs" and self._differs(
                self.case.but(readings=replace(readings, entailment="none"))
            ):
                yield "entailed"
        if any(
            isinstance(part, BNode) for rule in query.rules for t in rule.template
            for part in (t.subject, t.object)
        ):
            yield "made node"
            return  # whose name is another one each time
        needed = [
            rule for k, rule in enumerate(query.rules)
            if len(query.rules) > 1 or query.select is not None
            if self._differs(self.case.but(query=replace(
                query, rules=(*query.rules[:k], *query.rules[k + 1 :])
            )))
        ]
        if needed:
            yield "rules together" if len(needed) > 1 else "rule"
        if any(not is_timewise(rule.where, readings.leftjoin) for rule in needed):
            yield "rule at the tail"

    def _differs(self, other: EpsparqlCase) -> bool:
        if self.case.query.form is Form.ASK:
            return False
        try:
            return Counter(other.denotation()) != Counter(self.answers)
        except DenotaError:
            return False

    def of_answers(self) -> Iterator[str]:
        query, readings = self.case.query, self.case.readings
        if readings.policy != "unrestricted":
            yield "policy"
            if self._differs(self.case.but(readings=replace(readings, policy="unrestricted"))):
                yield "rivals"
        if len(set(self.answers)) < len(self.answers):
            yield "twice"
        select = query.select
        if select is None:
            return
        modifier = select.modifier
        whole = replace(select, modifier=replace(modifier, limit=None, offset=0))
        if whole != select and self._differs(self.case.but(query=replace(query, select=whole))):
            yield "cut"
        if has(select.projection, s.Aggregate) and any(
            answer.start < answer.end for answer in self.answers
        ):
            yield "group of several"

    def of_patterns(self) -> Iterator[str]:
        graphs = [
            frozenset(each.triple for each in self.said), *self.case.kb.values()
        ]
        query = self.case.query
        solutions: list[Mapping[Variable, Any]] = []
        if query.form is Form.SELECT and query.select and query.select.projection is None:
            solutions = [answer.mapping for answer in self.answers]
        if query.select is not None:
            yield from met_in(query.select.where, graphs, solutions)
        for rule in query.rules:
            yield from met_in(rule.where, graphs, ())
