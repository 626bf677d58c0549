"""Strategies for SPARQL 1.1 group graph patterns in all their constructs, and datasets for them.

Wilder than what stands in a GPM: OPTIONAL nested in UNION, filters on variables that nothing binds,
blank nodes, numbers of all types, paths over cycles, sub-selects. What has several right answers
(SAMPLE, LIMIT without a total order, RAND) is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from rdflib.namespace import XSD
from rdflib.term import BNode, Literal, URIRef, Variable

from ....semantics.model.terms import Dataset, Graph, Term, literal
from ....semantics.rdf.syntax import tree as s
from ....semantics.rdf.syntax.variables import in_scope, possible_variables
from .choices import among
from .vocabulary import BACKGROUNDS, number
from .vocabulary import name as iri

VARIABLES = tuple(map(Variable, "xyzw"))
NODES = (iri("a"), iri("b"), iri("c"))
LINKS = (iri("p"), iri("q"))
DATA_NODES: tuple[URIRef | BNode, ...] = (*NODES, BNode("d1"), BNode("d2"))
LITERALS: tuple[Literal, ...] = (
    number("1"), number("2"), number("01"), number("-1"), number("0"),
    number("1.0", XSD.decimal), number("2.50", XSD.decimal), number("1.0E0", XSD.double),
    number("2.5", XSD.float), number("0.1", XSD.float), number("NaN", XSD.double),
    number("-INF", XSD.double), number("-0.0", XSD.double), number("9007199254740993"),
    number("INF", XSD.float), number("-0", XSD.float), number("9223372036854775807"),
    number("9007199254740992", XSD.double), number("1" + "0" * 30), number("7", XSD.byte),
    number("300", XSD.byte), number("x"),
    literal("true", str(XSD.boolean)), literal("0", str(XSD.boolean)),
    literal("maybe", str(XSD.boolean)),
    literal(""), literal("abc"), literal("b"), literal("1"), literal(" 2 "),
    literal("abc", language="en"), literal("b", language="en-us"), literal("b", language="fr"),
    literal("2020-02-29T12:00:00Z", str(XSD.dateTime)),
    literal("2020-02-29T12:00:00", str(XSD.dateTime)),
    literal("2020-02-29T14:00:00+02:00", str(XSD.dateTime)),
    literal("2020-02-30T12:00:00Z", str(XSD.dateTime)),
    literal("2020-02-29", str(XSD.date)),
    literal("x", "http://example.org/unknown"), literal("y", "http://example.org/unknown"),
)
_COMMON_LITERALS = LITERALS[:2]


_DATA_OBJECTS: SearchStrategy[Term] = st.one_of(
    among(DATA_NODES), among(DATA_NODES), among(_COMMON_LITERALS), among(LITERALS)
)
_DATA_TRIPLES = st.tuples(among(DATA_NODES), among(LINKS), _DATA_OBJECTS)


def rdf_graphs(*, max_size: int = 6) -> SearchStrategy[Graph]:
    """Graphs with cycles, blank nodes and literals of all types."""
    return st.frozensets(_DATA_TRIPLES, max_size=max_size)


def datasets() -> SearchStrategy[Dataset]:
    """A default graph and up to two named ones."""
    named = st.dictionaries(among(BACKGROUNDS), rdf_graphs(max_size=3), max_size=2)
    return st.builds(Dataset, rdf_graphs(), named)


_SELDOM = among((False, False, False, True))
_SUBJECTS: SearchStrategy[s.TermOrVariable] = st.one_of(
    among(VARIABLES), among(VARIABLES), among(VARIABLES), among(NODES)
)
_OBJECTS: SearchStrategy[s.TermOrVariable] = st.one_of(
    among(VARIABLES), among(VARIABLES), among(VARIABLES), among(NODES), among(_COMMON_LITERALS),
    among(LITERALS),
)


def paths() -> SearchStrategy[s.Path]:
    """Property paths of every kind."""
    links: SearchStrategy[s.Path] = among(LINKS)
    negated = st.builds(
        s.NegatedPropertySet,
        st.lists(among(LINKS), max_size=2).map(tuple),
        st.lists(among(LINKS), max_size=1).map(tuple),
    ).filter(lambda path: bool(path.forward or path.inverse))
    return st.recursive(
        st.one_of(links, links, negated),
        lambda inner: st.one_of(
            st.builds(s.InversePath, inner),
            st.builds(s.SequencePath, st.lists(inner, min_size=2, max_size=3).map(tuple)),
            st.builds(s.AlternativePath, st.lists(inner, min_size=2, max_size=2).map(tuple)),
            st.builds(s.ZeroOrMorePath, inner),
            st.builds(s.OneOrMorePath, inner),
            st.builds(s.ZeroOrOnePath, inner),
        ),
        max_leaves=3,
    )


_PREDICATES: SearchStrategy[s.TermOrVariable | s.Path] = st.one_of(
    among(LINKS), among(LINKS), among(LINKS), among(LINKS), among(VARIABLES), paths()
)

_CASTS = tuple(
    URIRef(XSD[name])
    for name in ("string", "boolean", "integer", "decimal", "double", "float", "dateTime")
)
_UNARY = (
    "STR", "LANG", "DATATYPE", "ISIRI", "ISURI", "ISBLANK", "ISLITERAL", "ISNUMERIC", "STRLEN",
    "UCASE", "LCASE", "ENCODE_FOR_URI", "ABS", "CEIL", "FLOOR", "ROUND", "YEAR", "MONTH", "DAY",
    "HOURS", "MINUTES", "SECONDS", "TIMEZONE", "TZ", "MD5", "SHA1", "SHA256", "SHA384", "SHA512",
    "IRI", "URI",
)
_TERNARY = ("REGEX", "SUBSTR", "REPLACE", "CONCAT", "COALESCE")
_BINARY = (
    "STRSTARTS", "STRENDS", "CONTAINS", "STRBEFORE", "STRAFTER", "LANGMATCHES", "SAMETERM",
    "STRDT", "STRLANG", "REGEX", "CONCAT", "SUBSTR", "COALESCE",
)


@st.composite
def expressions(
    draw: DrawFn,
    variables: Sequence[Variable] = VARIABLES,
    depth: int = 2,
    labels: Iterator[int] | None = None,
) -> s.Expression:
    """Expressions over these variables; with EXISTS only if blank nodes can be labelled."""
    if depth == 0:
        return draw(_leaves(tuple(variables)))
    inner = expressions(variables, depth - 1, labels)
    kinds = [
        "leaf", "comparison", "comparison", "comparison", "arithmetic", "not", "and", "or", "bound",
        "unary", "binary", "ternary", "cast", "in", "if", "sign",
    ]
    match draw(among((*kinds, "exists") if labels is not None else tuple(kinds))):
        case "comparison":
            return s.Comparison(
                draw(among(("=", "!=", "<", ">", "<=", ">="))), draw(inner), draw(inner)
            )
        case "arithmetic":
            return s.Arithmetic(draw(among(("+", "-", "*", "/"))), draw(inner), draw(inner))
        case "not":
            return s.Not(draw(inner))
        case "and":
            return s.And((draw(inner), draw(inner)))
        case "or":
            return s.Or((draw(inner), draw(inner)))
        case "bound":
            return s.BuiltIn("BOUND", (draw(among(tuple(variables))),))
        case "unary":
            return s.BuiltIn(draw(among(_UNARY)), (draw(inner),))
        case "binary":
            return s.BuiltIn(draw(among(_BINARY)), (draw(inner), draw(inner)))
        case "ternary":
            arguments = (draw(inner), draw(inner), draw(inner))
            return s.BuiltIn(draw(among(_TERNARY)), arguments)
        case "cast":
            return s.FunctionCall(draw(among(_CASTS)), (draw(inner),))
        case "in":
            choices = draw(st.lists(inner, max_size=2))
            return s.In(draw(inner), tuple(choices), draw(st.booleans()))
        case "if":
            return s.BuiltIn("IF", (draw(inner), draw(inner), draw(inner)))
        case "sign":
            return s.Sign(draw(among(("-", "+"))), draw(inner))
        case "exists" if labels is not None:
            inside = draw(_groups(depth=1, assigns=False, labels=labels))
            return s.Exists(inside, draw(st.booleans()))
        case _:
            return draw(_leaves(tuple(variables)))


def _leaves(variables: tuple[Variable, ...]) -> SearchStrategy[s.Expression]:
    return st.one_of(
        among(variables), among(variables), among(_COMMON_LITERALS), among(LITERALS), among(NODES)
    )


@st.composite
def group_graph_patterns(draw: DrawFn) -> s.GroupGraphPattern:
    """Group graph patterns, nested up to three deep."""
    return draw(_groups(depth=2, assigns=True, labels=count()))


@st.composite
def _groups(
    draw: DrawFn, depth: int, assigns: bool, labels: Iterator[int]
) -> s.GroupGraphPattern:
    """`labels` numbers the basic graph patterns: no two may share a blank node (19.6).

    `assigns`: BIND and sub-selects that compute may occur.

    Within EXISTS they are left out: which values an assignment to a variable of the solution
    outside takes there, the recommendation does not define.
    """
    elements: list[s.Element] = []
    for _ in range(draw(st.integers(0 if depth < 2 else 1, 3))):
        element = _element(draw, depth, elements, assigns, labels)
        if element is not None:
            elements.append(element)
    return s.GroupGraphPattern(tuple(elements))


def _element(
    draw: DrawFn, depth: int, before: list[s.Element], assigns: bool, labels: Iterator[int]
) -> s.Element | None:
    simple = ["triples", "triples", "triples", "filter", "values"] + ["bind"] * assigns
    nested = ["optional", "union", "group", "minus", "graph", "optional", "union", "select"]
    match draw(among(tuple(simple + nested * (depth > 0)))):
        case "triples":
            label = next(labels)
            size = draw(st.integers(1, 2))
            return s.TriplesBlock(tuple(_triple(draw, label) for _ in range(size)))
        case "filter":
            return s.Filter(draw(expressions(labels=labels if depth > 0 else None)))
        case "values":
            return _values(draw)
        case "bind":
            bound = possible_variables(s.GroupGraphPattern(tuple(before)))
            free = [variable for variable in VARIABLES if variable not in bound]
            if not free:
                return None
            return s.Bind(draw(expressions()), draw(among(tuple(free))))
        case "optional":
            return s.OptionalPattern(draw(_groups(depth - 1, assigns, labels)))
        case "union":
            alternatives = [draw(_groups(depth - 1, assigns, labels)) for _ in range(2)]
            return s.UnionPattern(tuple(alternatives))
        case "group":
            return s.UnionPattern((draw(_groups(depth - 1, assigns, labels)),))
        case "minus":
            return s.MinusPattern(draw(_groups(depth - 1, assigns, labels)))
        case "graph":
            names: SearchStrategy[URIRef | Variable] = st.one_of(
                among(BACKGROUNDS), among(VARIABLES)
            )
            return s.NamedGraphPattern(draw(names), draw(_groups(depth - 1, assigns, labels)))
        case _:
            return s.SubSelect(_select(draw, depth - 1, assigns, labels))


def _triple(draw: DrawFn, label: int) -> s.TriplePattern:
    blank: SearchStrategy[s.TermOrVariable] = among((BNode(f"u{label}"), BNode(f"v{label}")))
    subject = draw(st.one_of(_SUBJECTS, _SUBJECTS, _SUBJECTS, _SUBJECTS, blank))
    target = draw(st.one_of(_OBJECTS, _OBJECTS, _OBJECTS, _OBJECTS, blank))
    return s.TriplePattern(subject, draw(_PREDICATES), target)


def _values(draw: DrawFn, among_these: Sequence[Variable] = VARIABLES) -> s.InlineData:
    variables = draw(st.lists(among(among_these), min_size=1, max_size=2, unique=True))
    cell: SearchStrategy[Term | None] = st.one_of(
        among(NODES), among(NODES), among(_COMMON_LITERALS), st.none()
    )
    rows = draw(st.lists(st.tuples(*[cell for _ in variables]), max_size=3))
    return s.InlineData(tuple(variables), tuple(rows))


def _select(
    draw: DrawFn, depth: int, assigns: bool, labels: Iterator[int]
) -> s.SelectQuery:
    where = draw(_groups(depth, assigns, labels))
    variables = in_scope(where)
    if not variables or draw(st.integers(0, 2)) == 0:
        return s.SelectQuery(None, where, distinct=draw(st.booleans()))
    if assigns and draw(st.booleans()):
        counted = _counted(draw, where, variables) if draw(_SELDOM) else None
        return counted or _grouped(draw, where, variables)
    chosen = draw(st.lists(among(variables), min_size=1, max_size=2, unique=True))
    projection = tuple(s.Projection(variable) for variable in chosen)
    return s.SelectQuery(projection, where, distinct=draw(st.booleans()))


def _grouped(
    draw: DrawFn, where: s.GroupGraphPattern, variables: tuple[Variable, ...]
) -> s.SelectQuery:
    keys = draw(st.lists(among(variables), max_size=2, unique=True))
    free = [variable for variable in VARIABLES if variable not in variables]
    if not free:
        return s.SelectQuery(tuple(s.Projection(each) for each in keys) or None, where)
    aggregate = _aggregate(draw, variables)
    projection = (*(s.Projection(key) for key in keys), s.Projection(free[0], aggregate))
    group_by: list[s.Projection | s.Expression] = [*keys]
    if draw(_SELDOM):
        group_by.append(draw(expressions(variables, depth=1)))
    having = (s.Comparison(">", aggregate, number("1")),) if draw(_SELDOM) else ()
    order = (s.OrderCondition(aggregate, draw(st.booleans())),) if draw(_SELDOM) else ()
    return s.SelectQuery(
        projection, where,
        s.SolutionModifier(group_by=tuple(group_by), having=having, order_by=order),
        distinct=draw(st.booleans()),
        # What SELECT names must be new (18.2.4.4), also to VALUES.
        values=_values(draw, variables) if draw(_SELDOM) else None,
    )


def _aggregate(draw: DrawFn, variables: tuple[Variable, ...]) -> s.Expression:
    """An aggregate that has one right answer: of equal values none is chosen, no order matters."""
    function = draw(among(("COUNT", "SUM", "AVG", "COUNT", "MIN", "MAX", "GROUP_CONCAT")))
    operand: s.Expression | None = draw(expressions(variables, depth=1))
    distinct = draw(st.booleans())
    match function:
        case "MIN" | "MAX":
            return s.Aggregate(function, s.BuiltIn("STR", (draw(among(variables)),)), distinct)
        case "GROUP_CONCAT":
            joined = s.Aggregate(function, operand, distinct, draw(among((", ", ""))))
            return s.BuiltIn("STRLEN", (joined,))
        case "COUNT" if draw(st.booleans()):
            operand = None
    return s.Aggregate(function, operand, distinct)



def _counted(
    draw: DrawFn, where: s.GroupGraphPattern, variables: tuple[Variable, ...]
) -> s.SelectQuery | None:
    """How many solutions are left by LIMIT and OFFSET; which ones, no definition says."""
    free = [variable for variable in VARIABLES if variable not in variables]
    if not free:
        return None
    cut = s.SolutionModifier(limit=draw(st.integers(0, 3)), offset=draw(st.integers(0, 2)))
    inner = s.SubSelect(s.SelectQuery(None, where, cut))
    count = s.Projection(free[0], s.Aggregate("COUNT", None))
    return s.SelectQuery((count,), s.GroupGraphPattern((inner,)))
