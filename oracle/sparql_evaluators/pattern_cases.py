"""Questions to evaluators of SPARQL: a group graph pattern over a dataset.

A disagreement is told by the features of its smallest form: constructs, functions and kinds of
literals, by their names.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Any, TypeAlias, cast

from rdflib.term import BNode, Literal, URIRef, Variable

from ...semantics.model.errors import DenotaError
from ...semantics.model.mappings import SolutionMapping
from ...semantics.model.terms import Dataset, Graph, Triple
from ...semantics.model.trees import changed, parts
from ...semantics.rdf.evaluation import evaluate
from ...semantics.rdf.expressions.values import (
    ILL_TYPED,
    UNKNOWN,
    DateTime,
    Float,
    Number,
    number,
    value_of,
)
from ...semantics.rdf.syntax import tree as s
from ...semantics.rdf.syntax.parse import parse_query
from ...semantics.rdf.syntax.printing import to_text
from ...semantics.rdf.syntax.tree import GroupGraphPattern, SelectQuery
from ..fuzzing.shrinking.tree_shrinking import smaller

Solutions: TypeAlias = Counter[SolutionMapping]
"""A bag of solution mappings."""


@dataclass(frozen=True)
class Question:
    """SELECT * over a pattern and a dataset: ⟦P⟧_D, as a bag."""

    pattern: GroupGraphPattern
    dataset: Dataset

    @cached_property
    def text(self) -> str:
        """The query that other evaluators are given."""
        return to_text(SelectQuery(None, self.pattern))

    @cached_property
    def solutions(self) -> Solutions:
        """The oracle's solutions."""
        return Counter(evaluate(self.pattern, self.dataset))

    @property
    def named(self) -> Mapping[URIRef, Graph]:
        """The named graphs of the dataset."""
        return cast("Mapping[URIRef, Graph]", self.dataset.named)

    def nquads(self) -> str:
        """Return the dataset as N-Quads, with the lexical forms as they are."""
        lines = [_quad(triple, "") for triple in self.dataset.default]
        for name, graph in self.named.items():
            lines += [_quad(triple, f" {name.n3()}") for triple in graph]
        return "\n".join(sorted(lines))

    def size(self) -> tuple[int, int]:
        """Return the size for shrinking: the text, then the data."""
        return len(self.text), len(self.nquads()) + len(self.named)


def pattern_of(text: str) -> GroupGraphPattern:
    """Return the pattern of a SELECT query. Raises QueryError."""
    return parse_query(text).where or GroupGraphPattern()


def _quad(triple: Triple, graph: str) -> str:
    return " ".join(term.n3() for term in triple) + f"{graph} ."


# --- features -------------------------------------------------------------------------------------

_XSD = "http://www.w3.org/2001/XMLSchema#"
_TERM_TESTS = ("ISIRI", "ISURI", "ISBLANK", "ISLITERAL", "ISNUMERIC")
_ELEMENTS: dict[type, str] = {
    s.OptionalPattern: "OPTIONAL", s.MinusPattern: "MINUS", s.Filter: "FILTER", s.Bind: "BIND",
    s.InlineData: "VALUES", s.SubSelect: "SELECT", s.TriplesBlock: "triples",
}
_PATHS: dict[type, str] = {
    s.InversePath: "path ^", s.SequencePath: "path /", s.AlternativePath: "path |",
    s.ZeroOrMorePath: "path *", s.OneOrMorePath: "path +", s.ZeroOrOnePath: "path ?",
    s.NegatedPropertySet: "path !",
}


def features(question: Question) -> frozenset[str]:
    """Return the features of a question."""
    found = {feature for part in parts(question.pattern) for feature in _of_part(part)}
    graphs = (question.dataset.default, *question.named.values())
    for graph in graphs:
        for triple in graph:
            for term in triple:
                if isinstance(term, Literal):
                    found.update(kinds(term))
    if not any(graphs):
        found.add("no data")
    if question.named:
        found.add("named graphs")
    return frozenset(found)


def _of_part(node: Any) -> Iterator[str]:
    if type(node) in _ELEMENTS:
        yield _ELEMENTS[type(node)]
        if isinstance(node, s.Filter):
            yield from _asked((node.condition,))
    elif type(node) in _PATHS:
        yield _PATHS[type(node)]
        if isinstance(node, s.ZeroOrMorePath | s.ZeroOrOnePath):
            yield "zero-length path"
        if isinstance(node, s.NegatedPropertySet) and node.inverse:
            yield "path !^"
    else:
        yield from _of_node(node)


def _of_node(node: Any) -> Iterator[str]:
    match node:
        case Literal():
            yield from kinds(node)
        case BNode():
            yield "blank node"
        case URIRef():
            yield "IRI"
        case s.UnionPattern(alternatives):
            yield "UNION" if len(alternatives) > 1 else "group"
        case s.NamedGraphPattern(name):
            yield "GRAPH"
            if isinstance(name, Variable):
                yield "GRAPH ?"
        case s.TriplePattern(_, predicate, _) if isinstance(predicate, Variable):
            yield "variable predicate"
        case s.SelectQuery():
            if node.distinct:
                yield "DISTINCT"
            if node.modifier.group_by:
                yield "GROUP BY"
            if node.modifier.having:
                yield "HAVING"
        case s.Aggregate(name, operand, distinct):
            yield f"{name}(*)" if operand is None else name
            if distinct:
                yield f"{name} DISTINCT"
        case s.Exists(_, negated):
            yield "NOT EXISTS" if negated else "EXISTS"
        case s.In(_, choices, negated):
            yield "NOT IN" if negated else "IN"
            if not choices:
                yield "IN ()"
        case s.Comparison(operator, left, right):
            yield from (operator, "equality" if operator in ("=", "!=") else "ordered")
            if left == right:
                yield "same operands"
            if _is_truth_value(left) or _is_truth_value(right):
                yield "truth value compared"
        case s.Arithmetic(operator):
            yield operator
        case s.Sign(operator):
            yield f"unary {operator}"
        case s.Not(operand):
            yield "!"
            yield from _asked((operand,))
        case s.And(operands):
            yield "&&"
            yield from _asked(operands)
        case s.Or(operands):
            yield "||"
            yield from _asked(operands)
        case s.BuiltIn(name, arguments):
            yield name
            if name in _TERM_TESTS:
                yield "term test"
            if name == "IF":
                yield from _asked(arguments[:1])
        case s.FunctionCall(function):
            yield f"cast {str(function).removeprefix(_XSD)}"


def _asked(operands: Sequence[s.Expression]) -> Iterator[str]:
    """Yield a feature where an effective boolean value of a non-boolean is used."""
    if any(not _is_truth_value(operand) for operand in operands):
        yield "truth value asked"


def _is_truth_value(expression: s.Expression) -> bool:
    match expression:
        case s.Comparison() | s.Not() | s.And() | s.Or() | s.In() | s.Exists():
            return True
        case s.BuiltIn("BOUND" | "SAMETERM" | "LANGMATCHES" | "REGEX" | "CONTAINS", _):
            return True
        case Literal():
            return isinstance(value_of(expression), bool)
    return False


def kinds(term: Literal) -> Iterator[str]:
    """Yield the kinds of a literal: its type and its peculiarities."""
    if term.language is not None:
        yield "language tag"
        return
    datatype = "string" if term.datatype is None else str(term.datatype)
    value = value_of(term)
    kind = "unknown datatype" if value is UNKNOWN else datatype.removeprefix(_XSD)
    yield kind
    if value is ILL_TYPED:
        yield "ill-typed"
    elif isinstance(value, bool):
        if str(term) not in ("true", "false"):
            yield f"{kind} in odd form"
    elif isinstance(value, int | float | Decimal | Float):
        yield from _of_number(value)
        if number(value) != term:
            yield f"{kind} in odd form"
        if str(term).startswith("-") and value in (0, Float(-0.0)):
            yield "negative zero"
    elif isinstance(value, DateTime) and value.offset is None:
        yield "no time zone"


def _of_number(value: Number) -> Iterator[str]:
    yield "number"
    plain = value.value if isinstance(value, Float) else value
    if isinstance(plain, float) and math.isnan(plain):
        yield "NaN"
    elif isinstance(plain, float) and math.isinf(plain):
        yield "INF"
    elif isinstance(plain, int) and not -(2**63) <= plain < 2**63:
        yield "beyond 64 bits"
    elif isinstance(plain, int) and abs(plain) >= 2**31:
        yield "near 64 bits"


# --- shrinking ------------------------------------------------------------------------------------

Fails = Callable[[Question], bool]


def shrink(question: Question, fails: Fails, attempts: int = 1_000) -> Question:
    """Return a failing question from which no part can be removed, within the attempts."""
    while True:
        for proposed in _smaller(question):
            if attempts <= 0:
                return question
            if proposed.size() >= question.size():
                continue
            attempts -= 1
            if _well_formed(proposed) and fails(proposed):
                question = proposed
                break
        else:
            return question


def _well_formed(question: Question) -> bool:
    """Return True if a reduced question is still SPARQL.

    Removing parts may leave a BIND of a bound variable, or an && of one operand.
    """
    try:
        return pattern_of(question.text) == question.pattern
    except DenotaError:
        return False


def _smaller(question: Question) -> Iterator[Question]:
    for dataset in _smaller_datasets(question.dataset):
        yield replace(question, dataset=dataset)
    for pattern in smaller(question.pattern, s.GroupGraphPattern, lambda member: ()):
        yield replace(question, pattern=changed(pattern, _joined))


def _smaller_datasets(dataset: Dataset) -> Iterator[Dataset]:
    if dataset.default:
        yield replace(dataset, default=frozenset())
    for name in dataset.named:
        yield replace(dataset, named={n: g for n, g in dataset.named.items() if n != name})
    for triple in sorted(dataset.default):
        yield replace(dataset, default=dataset.default - {triple})
    for name, graph in dataset.named.items():
        for triple in sorted(graph):
            yield replace(dataset, named={**dataset.named, name: graph - {triple}})


def _joined(part: Any) -> Any:
    """Return a group whose adjacent triples form one block, as it is read."""
    if not isinstance(part, s.GroupGraphPattern):
        return part
    joined: list[s.Element] = []
    for element in part.elements:
        last = joined[-1] if joined else None
        if isinstance(element, s.TriplesBlock) and isinstance(last, s.TriplesBlock):
            joined[-1] = s.TriplesBlock((*last.triples, *element.triples))
        else:
            joined.append(element)
    return s.GroupGraphPattern(tuple(joined))
