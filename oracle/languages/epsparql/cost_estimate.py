"""The cost of evaluating a case of EP-SPARQL by the definitions, estimated beforehand.

They look at all choices of occurrences, ask EXISTS anew for every solution, and walk paths from
every node over every interval: a few items can keep the oracle busy for minutes. What follows
reckons from how often predicates occur. It is no bound, but it finds what is out of all proportion,
the same on every machine.

Generated cases are no more work than `MOST_WORK`, and shrinking leaves them so.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from rdflib.term import BNode, URIRef, Variable

from ....semantics.epsparql.syntax.tree import Rule, TemporalPattern
from ....semantics.model.trees import find
from ....semantics.rdf.syntax import tree as s
from ....semantics.rdf.syntax.variables import (
    clause_expressions,
    element_expressions,
    existential_groups,
    inner_groups,
)
from .features import EpsparqlCase

MOST_WORK = 1_500_000
"""The maximum cost of a case that takes the oracle less than two seconds."""

_TERMS = 3.0
"""One of so many terms, at most, agrees with the value that a variable has already."""
_ROUNDS = 4
"""The number of times that rules are applied, since they may ask for what rules construct."""


class _Reckoned(NamedTuple):
    """The estimated number of solutions, and the work of computing them."""

    rows: float
    work: float


@dataclass
class _Reckoning:
    """The occurrences: the count of each predicate, the number of nodes, and that of intervals.

    `terms`: one of so many agrees with the value of a variable. `once` and `sets`: a solution of a
    basic graph pattern, and of any group, counts once.
    """

    predicates: Counter[object]
    nodes: int
    intervals: int
    terms: float = _TERMS
    once: bool = True
    sets: bool = True

    def group(self, group: s.GroupGraphPattern) -> _Reckoned:
        """Estimate a group, element by element; its filters evaluate EXISTS for each solution."""
        rows, work, asked = 1.0, 0.0, 0.0
        bound: set[object] = set()
        for element in group.elements:
            # The triples of a group are a basic graph pattern; what joins it multiplies its rows.
            once = self.sets or (self.once and element is group.elements[0])
            for expression in element_expressions(element):
                asked += sum(self.group(each).work for each in existential_groups(expression))
            for part in element.triples if isinstance(element, s.TriplesBlock) else (element,):
                if isinstance(part, s.TriplePattern):
                    found = self.walks(part.predicate, isinstance(part.subject, Variable))
                else:
                    found = self.element(part)
                variables: set[object] = {*find(part, Variable), *find(part, BNode)}
                work += found.work + rows * found.rows
                rows *= found.rows / self.terms ** len(variables & bound)
                bound |= variables
                rows = max(rows, 1.0)
                if once:
                    rows = min(rows, self.intervals * self.nodes ** len(bound))
        return _Reckoned(rows, work + rows * asked)

    def element(self, element: s.Element) -> _Reckoned:
        """Return an element's cost: of alternatives the sum, of two sides the pairs."""
        parts = [self.group(inner) for inner in inner_groups(element)]
        work = sum(part.work for part in parts)
        if isinstance(element, TemporalPattern):
            pairs = parts[0].rows * parts[1].rows
            return _Reckoned(pairs / 2, work + pairs)
        return _Reckoned(max(sum(part.rows for part in parts), 1.0), work)

    def walks(self, path: object, anywhere: bool) -> _Reckoned:
        """Estimate the walks along a path, from any node or from one."""
        size = self.predicates.total()
        match path:
            case URIRef():
                return _Reckoned(self.predicates[path], size)
            case s.ZeroOrMorePath(inner) | s.OneOrMorePath(inner):
                # Each end and interval is gone on from.
                ends = self.nodes * self.intervals * (self.nodes if anywhere else 1)
                return _Reckoned(ends, ends * self.walks(inner, False).work)
            case s.SequencePath((first, *rest)) if rest:
                one = self.walks(first, anywhere)
                other = self.walks(s.SequencePath(tuple(rest)), True)
                rows = one.rows * other.rows
                return _Reckoned(rows / self.nodes, one.work + other.work + rows)
            case s.ZeroOrOnePath(inner):
                once = self.walks(inner, anywhere)
                return _Reckoned(once.rows + 2 * size, once.work + 2 * size)
        parts = [self.walks(inner, anywhere) for inner in _inner(path)]
        if not parts:
            return _Reckoned(size, size)
        return _Reckoned(sum(part.rows for part in parts), sum(part.work for part in parts))


def _inner(path: object) -> tuple[s.Path, ...]:
    match path:
        case s.AlternativePath(steps) | s.SequencePath(steps):
            return steps
        case s.InversePath(inner):
            return (inner,)
    return ()


def affordable(case: EpsparqlCase) -> bool:
    """Return True if the definitions evaluate a case in a moment."""
    return work(case) <= MOST_WORK


def work(case: EpsparqlCase) -> float:
    """About how many things are looked at; what rules construct is reckoned to occur, too."""
    items = [item for stream in case.streams.values() for item in stream]
    triples = [triple for item in items for triple in item.graph]
    triples += [triple for graph in case.kb.values() for triple in graph]
    terms = Counter(end for one, _, other in triples for end in (one, other))
    spans = {(item.start, item.end) for item in items}
    reckoning = _Reckoning(
        Counter(predicate for _, predicate, _ in triples),
        len(terms) + 1,
        len(spans) * (len(spans) + 1) // 2 + 1,
        # Two terms that are drawn agree as often as this, which is much where one is everywhere.
        terms=min(_TERMS, terms.total() ** 2 / max(sum(n * n for n in terms.values()), 1) or 1.0),
        once=case.readings.occurrences == "some",
        sets=case.readings.solutions == "sets",
    )
    query, done = case.query, 0.0
    for _ in range(_ROUNDS):
        for rule in query.rules:
            done += _constructed(rule, reckoning)
    if query.select is not None:
        found = reckoning.group(query.select.where)
        asked = [each for expression in clause_expressions(query.select)
                 for each in existential_groups(expression)]
        done += found.work + found.rows * sum(reckoning.group(each).work for each in asked)
    return done


def _constructed(rule: Rule, reckoning: _Reckoning) -> float:
    """Return the work of applying a rule once; what it constructs occurs from then on."""
    found = reckoning.group(rule.where)
    most = reckoning.nodes**2 * reckoning.intervals
    for triple in rule.template:
        known = reckoning.predicates[triple.predicate]
        reckoning.predicates[triple.predicate] = min(known + int(found.rows), max(most, known))
    return found.work
