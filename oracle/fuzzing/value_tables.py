"""Tables of small questions: each operator and function of expressions on boundary values.

A drawn expression seldom meets 2⁵³ + 1, and never twice. Here each expression meets each pair of
values, many pairs a case: as a value that is computed, as a condition on two variables, and as a
condition on a variable and a constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from random import Random
from typing import Any, Final, Generic, TypeVar

from rdflib.namespace import RDF, XSD
from rdflib.term import BNode, Literal, URIRef

from ...semantics.model.items import TimestampedGraph
from ...semantics.model.terms import Graph, Term, Triple, literal
from ...semantics.rdf.syntax.tree import ARITY
from ..cases.case import Case, parsed_query

T = TypeVar("T")

_QUESTIONS: Final = 96
"""The questions of one case, at most."""

_ITEM: Final = 8
"""The questions that one item of a stream of graphs asks, at most."""


@dataclass(frozen=True)
class ValueTable(Generic[T]):
    """Questions that one query asks, each of a row of operands."""

    name: str
    query: str
    rows: Sequence[T]


@dataclass(frozen=True)
class ValueTables(Generic[T]):
    """All tables of a language; `case` asks a table's query of some of its rows."""

    tables: Callable[[], Sequence[ValueTable[T]]]
    case: Callable[[ValueTable[T], Sequence[T]], Case]

    def questions(self) -> int:
        """Return the number of questions."""
        return sum(len(table.rows) for table in self.tables())

    def cases(self, seed: str) -> Iterator[Case]:
        """Yield every question once, in an order that the seed decides; each table begins early."""
        tables = self.tables()
        parts = [
            (begin, place)
            for place, table in enumerate(tables)
            for begin in range(0, len(table.rows), _QUESTIONS)
        ]
        Random(seed).shuffle(parts)
        parts.sort(key=lambda part: part[0])
        for begin, place in parts:
            table = tables[place]
            rows = Random(f"{seed}.{table.name}").sample(table.rows, len(table.rows))
            yield self.case(table, rows[begin : begin + _QUESTIONS])


# --- SPARQL --------------------------------------------------------------------------------------

Row = tuple[Term | None, ...]
"""The values of ?x (and ?y)."""

NAMESPACE: Final = "http://example.org/"
_X, _Y, _V = (URIRef(NAMESPACE + name) for name in "xyv")


def _typed(datatype: URIRef, *lexical: str) -> list[Term]:
    return [literal(each, str(datatype)) for each in lexical]


VALUES: Final[tuple[Term | None, ...]] = (
    None,
    *_typed(
        XSD.integer, "0", "1", "-1", "01", str(2**53), str(2**53 + 1), str(2**63 - 1), str(2**63),
        str(-(2**63)), "x", "",
    ),
    *_typed(XSD.unsignedByte, "255"),
    *_typed(XSD.decimal, "1.0", "-0.0", "0.1", "9007199254740992.5"),
    *_typed(XSD.double, "NaN", "INF", "-INF", "-0.0E0", "1.0E0", "9007199254740992", "1e-400"),
    *_typed(XSD.float, "NaN", "0.1", "16777217"),
    *_typed(XSD.boolean, "true", "0", "yes"),
    literal(""), literal("1"), literal("a"), literal("A b"), literal("e\u0301"),
    literal("\U0001f600a"), literal("true"),
    literal("a", language="en"), literal("a", language="en-GB"), literal("", language="en"),
    *_typed(
        XSD.dateTime, "2020-01-01T00:00:00Z", "2019-12-31T19:00:00-05:00", "2020-01-01T00:00:00",
        "2019-12-31T24:00:00Z", "2020-02-30T00:00:00Z",
    ),
    *_typed(XSD.date, "2020-01-01"),
    *_typed(XSD.dayTimeDuration, "P1D", "PT24H"),
    *_typed(URIRef(NAMESPACE + "type"), "a"),
    URIRef(NAMESPACE + "a"), URIRef("http://example.org/\u00e9"), BNode("b"),
)
"""Boundary values; None stands for unbound."""

_CONSTANTS: Final = tuple(value for value in VALUES[1::3] if isinstance(value, Literal))
_OPERATORS: Final = ("=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "&&", "||")
_VOLATILE: Final = {"NOW", "RAND", "UUID", "STRUUID", "BNODE"}
_CASTS: Final = ("boolean", "double", "float", "decimal", "integer", "dateTime", "string")
_AGGREGATES: Final = ("COUNT", "SUM", "AVG", "MIN", "MAX", "COUNT(DISTINCT", "SUM(DISTINCT")
_THIRD: Final = {
    "IF": ("'z'",), "REGEX": ("'i'", "'x'"), "SUBSTR": ("1", "0.5", "-1", "'NaN'^^xsd:double"),
    "REPLACE": ("'z'", "'$0'"), "COALESCE": ("'z'",), "CONCAT": ("'z'@en",),
}


def _unary() -> list[str]:
    functions = [f"{name}(?x)" for name, arity in ARITY.items() if 1 in arity]
    casts = [f"xsd:{name}(?x)" for name in _CASTS]
    return [
        *(each for each in functions if each.split("(")[0] not in _VOLATILE), *casts, "-?x", "+?x",
        "!?x", "?x",
    ]


def _binary() -> list[str]:
    functions = [f"{name}(?x, ?y)" for name, arity in ARITY.items() if 2 in arity]
    more = [
        f"{name}(?x, ?y, {third})" for name, thirds in _THIRD.items() for third in thirds
    ]
    return [
        *(f"?x {operator} ?y" for operator in _OPERATORS), "?x IN (1, ?y)", "?x NOT IN (?y, 'a')",
        "IF(?x = ?y, ?x, ?y)", *functions, *more,
    ]


@cache
def graph_tables() -> tuple[ValueTable[Row], ...]:
    """Return the tables of SPARQL's expressions; a query is a group pattern that binds ?i, ?r."""
    ones = [(value,) for value in VALUES]
    pairs = [*product(VALUES, repeat=2)]
    tables: list[ValueTable[Row]] = []
    for expression in (*_unary(), *_binary()):
        rows: list[Row] = [*pairs] if "?y" in expression else [*ones]
        y = "OPTIONAL { ?i :y ?y }" if "?y" in expression else ""
        tables.append(ValueTable(
            f"value of {expression}",
            f"?i a :Q OPTIONAL {{ ?i :x ?x }} {y} BIND({expression} AS ?r)", rows,
        ))
        y = "; :y ?y" if "?y" in expression else ""
        tables.append(ValueTable(
            f"filter {expression}", f"?i :x ?x {y} FILTER({expression})",
            [row for row in rows if None not in row],
        ))
    for operator, constant in product(_OPERATORS[:10], _CONSTANTS):
        tables += _with_constant(operator, constant)
    for name in _AGGREGATES:
        close = ")" if "(" in name else ""
        tables.append(ValueTable(
            f"aggregate {name}",
            f"{{ SELECT ?i ({name + ' ?v)' if close else name + '(?v)'} AS ?r) "
            "{ ?i :v ?v } GROUP BY ?i }",
            [row for row in pairs if None not in row],
        ))
    return tuple(tables)


def _with_constant(operator: str, constant: Term) -> Iterator[ValueTable[Row]]:
    rows: list[Row] = [(value,) for value in VALUES if value is not None]
    for condition in (f"?x {operator} {constant.n3()}", f"{constant.n3()} {operator} ?x"):
        yield ValueTable(f"filter {condition}", f"?i :x ?x FILTER({condition})", rows)


def graph_value_tables(
    language: str, template: str, *, apart: bool = False,
    evaluation: Mapping[str, Any] | None = None,
) -> ValueTables[Row]:
    """Return the tables of a language over RDF.

    `template` has a group graph pattern in place of `{}` and reads the stream :s. Its items come
    all at the time 1 or, if they are to be `apart`, one at each instant.
    """
    def case(table: ValueTable[Row], rows: Sequence[Row]) -> Case:
        items = tuple(
            TimestampedGraph(1 + apart * number, graph)
            for number, graph in enumerate(_graphs(table, rows))
        )
        text = f"PREFIX : <{NAMESPACE}> PREFIX xsd: <{XSD}> " + template.format(table.query)
        streams = {URIRef(NAMESPACE + "s"): items}
        query = parsed_query(language, text)
        return Case(language, query, streams, evaluation=evaluation, title=table.name)

    return ValueTables(graph_tables, case)


def _graphs(table: ValueTable[Row], rows: Sequence[Row]) -> Iterator[Graph]:
    predicates = (_V, _V) if table.name.startswith("aggregate") else (_X, _Y)
    for begin in range(0, len(rows), _ITEM):
        triples: list[Triple] = []
        for number, row in enumerate(rows[begin : begin + _ITEM], begin):
            question = URIRef(f"{NAMESPACE}q{number}")
            triples.append((question, RDF.type, URIRef(NAMESPACE + "Q")))
            triples += [
                (question, predicate, value)
                for predicate, value in zip(predicates, row, strict=False) if value is not None
            ]
        yield frozenset(triples)
