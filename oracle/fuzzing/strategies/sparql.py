"""Strategies for SPARQL 1.1 group graph patterns in all their constructs, and datasets for them.

Wilder than what stands in a GPM: OPTIONAL nested in UNION, filters on variables that nothing binds,
blank nodes, numbers of all types, paths over cycles, sub-selects. What has several right answers
(SAMPLE, LIMIT without a total order, RAND) is left out.

What a pattern and its data are like is decided by named choices (`choice`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import count, product
from random import Random

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from rdflib.namespace import XSD
from rdflib.term import BNode, Literal, URIRef, Variable

from ....semantics.model.terms import Dataset, Graph, Term, Triple, literal
from ....semantics.model.trees import find
from ....semantics.rdf.syntax import tree as s
from ....semantics.rdf.syntax.variables import in_scope, possible_variables
from .choices import among, choice
from .instances import Usual, background_instance, instance
from .vocabulary import BACKGROUNDS, number
from .vocabulary import name as iri

VARIABLES = tuple(map(Variable, "xyzw"))
NODES = (iri("a"), iri("b"), iri("c"))
ELSEWHERE = iri("z")
"""A node that no data have."""
LINKS = (iri("p"), iri("q"))
DATA_NODES: tuple[URIRef | BNode, ...] = (*NODES, BNode("d1"), BNode("d2"))
LITERALS: tuple[Literal, ...] = (
    number("1"), number("2"), number("10"), number("01"), number("-1"), number("0"),
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
_COMMON_LITERALS = (number("2"), number("10"))
"""As texts they stand in the other order."""
_TIDY_LITERALS: tuple[Literal, ...] = (
    number("1"), number("2"), number("10"), number("-1"), number("2.50", XSD.decimal),
    number("0.5E0", XSD.double), literal("true", str(XSD.boolean)), literal(""), literal("abc"),
    literal("b"), literal("10"), literal("abc", language="en"), literal("b", language="fr"),
    literal("2020-02-29T12:00:00Z", str(XSD.dateTime)),
)
"""Of which no two stand together in the order of ORDER BY."""


# --- data ----------------------------------------------------------------------------------------


@dataclass
class _Terms:
    """What terms and variables there are; `tidy`: ORDER BY tells all of the terms apart."""

    literals: tuple[Literal, ...] = LITERALS
    nodes: tuple[URIRef | BNode, ...] = DATA_NODES
    tidy: bool = False
    ruled: bool = False
    """whether a pattern may ask what the recommendation does not define and a ruling decides: which
    values an assignment within EXISTS takes for a variable of the solution outside, and which of
    several terms that stand together in the order is the least"""
    variables: tuple[Variable, ...] = VARIABLES
    """of patterns and conditions; what is computed is bound to any of `VARIABLES`"""
    labels: Iterator[int] = field(default_factory=count)
    """numbers of the basic graph patterns: no two may share a blank node (19.6)"""


@dataclass(frozen=True)
class _Scope:
    """Where a group stands: so many more may stand inside one another, and what may be bound around
    it, whether or not its conditions see that. `assigns`: BIND and sub-selects that compute may
    occur."""

    depth: int = 2
    outside: tuple[Variable, ...] = ()
    assigns: bool = True

    def inside(self, before: Sequence[s.Element], *, assigns: bool = True) -> _Scope:
        """The scope of a group that comes after these elements."""
        around = (*in_scope(s.GroupGraphPattern(tuple(before))), *self.outside)
        return _Scope(self.depth - 1, tuple(dict.fromkeys(around)), self.assigns and assigns)


_ALL = _Terms()


def rdf_graphs(*, max_size: int = 6) -> SearchStrategy[Graph]:
    """Graphs with cycles, blank nodes and literals of all types."""
    return _some_triples(_ALL.nodes, _ALL.literals, max_size)


@cache
def _some_triples(
    nodes: tuple[URIRef | BNode, ...], literals: tuple[Literal, ...], max_size: int
) -> SearchStrategy[Graph]:
    objects: SearchStrategy[Term] = st.one_of(
        among(nodes), among(nodes), among(_COMMON_LITERALS), among(literals)
    )
    return st.frozensets(st.tuples(among(nodes), among(LINKS), objects), max_size=max_size)


def datasets() -> SearchStrategy[Dataset]:
    """A default graph and up to two named ones."""
    named = st.dictionaries(among(BACKGROUNDS), rdf_graphs(max_size=3), max_size=2)
    return st.builds(Dataset, rdf_graphs(), named)


def _large() -> tuple[Graph, ...]:
    """Graphs of so many triples that an engine looks them up in an index"""
    many = (*NODES, *(iri(f"e{n}") for n in range(3)))
    links: list[Triple] = list(product(many, LINKS[:1], many))
    others: list[Triple] = list(product(many, LINKS[1:], (*many[:2], *_TIDY_LITERALS)))
    made = Random(0)
    return tuple(
        frozenset(made.sample(links, 9 + n) + made.sample(others, 4 + n)) for n in range(6)
    )


_LARGE = _large()
_WHICH = choice("graphs/large", range(len(_LARGE)))


@st.composite
def questions(draw: DrawFn, *, ruled: bool = False) -> tuple[s.GroupGraphPattern, Dataset]:
    """A pattern and a dataset, which often holds some of what the pattern asks for.

    `ruled`: also what the recommendation leaves open and a ruling of denota's decides.
    """
    match draw(choice("graphs/terms", ("few", "few", "tidy", "all"))):
        case "few":
            terms = _Terms(_COMMON_LITERALS)
        case "tidy":
            terms = _Terms(_TIDY_LITERALS, DATA_NODES[:4], tidy=True)
        case _:
            terms = _Terms()
    terms.ruled = ruled
    terms.variables = VARIABLES[:draw(choice("graphs/variables", (3, 2, 3, 4)))]
    pattern = _group(draw, terms, _Scope())
    usual: Usual = {}
    named: dict[URIRef, Graph] = {}
    for name in draw(choice("graphs/named", ((), BACKGROUNDS[:1], BACKGROUNDS, BACKGROUNDS[1:]))):
        named[name] = draw(_some_triples(terms.nodes, terms.literals, 3))
        if draw(st.booleans()):
            named[name] |= background_instance(draw, pattern, name, usual)
    default: Graph = frozenset()
    what = draw(choice("graphs/data", ("both", "asked", "random", "large")))
    if what == "large" and _size(pattern) <= 3:
        default = _LARGE[draw(_WHICH)]
    elif what != "asked":
        default = draw(_some_triples(terms.nodes, terms.literals, 6))
    if what != "random":
        for _ in range(draw(choice("graphs/instances", (1, 2, 1, 3)))):
            default |= instance(draw, pattern, BACKGROUNDS[0], usual)
    if draw(choice("graphs/graph names", ("elsewhere",) * 3 + ("in the data",))) == "in the data":
        default |= {(NODES[0], LINKS[0], name) for name in BACKGROUNDS}
    tidied: dict[URIRef | BNode, Graph] = {
        name: _tidied(graph, terms) for name, graph in named.items()
    }
    return pattern, Dataset(_tidied(default, terms), tidied)


def _size(pattern: s.GroupGraphPattern) -> int:
    """How many triples are joined, those along paths included."""
    return sum(
        1 if isinstance(triple.predicate, URIRef | Variable)
        else sum(1 for _ in find(triple.predicate, URIRef, s.NegatedPropertySet))
        for triple in find(pattern, s.TriplePattern)
    )


def _tidied(graph: Graph, terms: _Terms) -> Graph:
    """The graph, without what would stand together with another term in an order"""
    if not terms.tidy:
        return graph
    allowed = {*terms.literals, *terms.nodes}
    return frozenset(
        triple for triple in graph
        if all(isinstance(term, URIRef) or term in allowed for term in triple)
    )


# --- paths ---------------------------------------------------------------------------------------


@st.composite
def paths(draw: DrawFn) -> s.Path:
    """Property paths of every kind."""
    return _path(draw, 2)


def _path(draw: DrawFn, depth: int) -> s.Path:
    if depth < 0:
        return draw(among(LINKS))
    kinds = (
        "link", "link", "negated", "*", "?", "+", "*", "?", "inverse", "sequence", "sequence",
        "alternative", "alternative",
    )
    options = kinds[2:] if depth == 2 else kinds if depth else kinds[:8]
    match draw(choice(f"graphs/path {depth}", options)):
        case "negated":
            return draw(_NEGATED)
        case "inverse":
            return s.InversePath(_path(draw, depth - 1))
        case "sequence":
            # A sequence counts every way: one of many steps has more than can be counted.
            steps = [_path(draw, depth - 1) for _ in range(draw(_STEPS) if depth == 2 else 2)]
            return s.SequencePath(tuple(steps))
        case "alternative":
            return s.AlternativePath((_path(draw, depth - 1), _path(draw, depth - 1)))
        case "*":
            return s.ZeroOrMorePath(_path(draw, depth - 1))
        case "+":
            return s.OneOrMorePath(_path(draw, depth - 1))
        case "?":
            return s.ZeroOrOnePath(_path(draw, depth - 1))
    return draw(among(LINKS))


_STEPS = choice("graphs/steps", (2, 2, 3))
_NEGATED = among(
    s.NegatedPropertySet(forward, inverse)
    for forward in (LINKS[:1], (), LINKS, LINKS[1:])
    for inverse in ((), LINKS[:1], LINKS[1:])
    if forward or inverse
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
    draw: DrawFn, variables: Sequence[Variable] = VARIABLES, depth: int = 2
) -> s.Expression:
    """Expressions over these variables, without EXISTS."""
    return _expression(draw, _ALL, tuple(variables), depth)


_KINDS = (
    "leaf", "comparison", "comparison", "comparison", "arithmetic", "not", "and", "or", "bound",
    "unary", "unary", "unary", "binary", "ternary", "cast", "in", "if", "sign",
)


def _expression(
    draw: DrawFn,
    terms: _Terms,
    variables: tuple[Variable, ...],
    depth: int,
    exists: _Scope | None = None,
) -> s.Expression:
    """`exists`: the scope of a group inside EXISTS, if it may occur."""
    def inner() -> s.Expression:
        return _expression(draw, terms, variables, depth - 1, exists)

    if depth == 0:
        return _leaf(draw, terms, variables)
    match draw(choice("graphs/expression", (*_KINDS, "exists") if exists else _KINDS)):
        case "comparison":
            return s.Comparison(draw(_SYMBOLS), inner(), inner())
        case "arithmetic":
            return s.Arithmetic(draw(choice("graphs/arithmetic", "+-*/")), inner(), inner())
        case "not":
            return s.Not(inner())
        case "and":
            return s.And(tuple([inner() for _ in range(draw(_OPERANDS))]))
        case "or":
            return s.Or(tuple([inner() for _ in range(draw(_OPERANDS))]))
        case "bound":
            return s.BuiltIn("BOUND", (draw(among(variables)),))
        case "unary":
            return s.BuiltIn(draw(choice("graphs/unary", _UNARY)), (inner(),))
        case "binary":
            return s.BuiltIn(draw(choice("graphs/binary", _BINARY)), (inner(), inner()))
        case "ternary":
            arguments = (inner(), inner(), inner())
            return s.BuiltIn(draw(choice("graphs/ternary", _TERNARY)), arguments)
        case "cast":
            return s.FunctionCall(draw(choice("graphs/cast", _CASTS)), (inner(),))
        case "in":
            choices = tuple(inner() for _ in range(draw(among((1, 2, 0)))))
            return s.In(inner(), choices, draw(st.booleans()))
        case "if":
            return s.BuiltIn("IF", (inner(), inner(), inner()))
        case "sign":
            return s.Sign(draw(among(("-", "+"))), inner())
        case "exists" if exists:
            return _exists(draw, terms, exists)
        case _:
            return _leaf(draw, terms, variables)


_SYMBOLS = choice("graphs/comparison", ("=", "!=", "<", ">", "<=", ">="))


def _exists(draw: DrawFn, terms: _Terms, scope: _Scope) -> s.Expression:
    return s.Exists(_group(draw, terms, scope), draw(st.booleans()))


def _leaf(draw: DrawFn, terms: _Terms, variables: tuple[Variable, ...]) -> s.Expression:
    match draw(choice("graphs/leaf", ("variable", "variable", "number", "literal", "node"))):
        case "variable" if variables:
            return draw(among(variables))
        case "literal":
            return draw(among(terms.literals))
        case "node":
            return draw(among(NODES))
    return draw(among(_COMMON_LITERALS))


def _condition(
    draw: DrawFn, terms: _Terms, bound: tuple[Variable, ...], exists: _Scope | None
) -> s.Expression:
    """What a FILTER asks: often something that some solutions fulfil, else any expression"""
    kinds = ("compare",) * 3 + ("bound", "same", "and", "or", "not") + ("any",) * 6
    kind = draw(choice("graphs/condition", (*kinds, "exists") if exists else kinds))
    variables = bound or terms.variables

    def comparison() -> s.Expression:
        left, right = draw(among(variables)), _leaf(draw, terms, variables)
        return s.Comparison(draw(_SYMBOLS), left, right)

    match kind:
        case "any":
            return _expression(draw, terms, terms.variables, 2, exists)
        case "exists" if exists:
            return _exists(draw, terms, exists)
        case "bound":
            asked: s.Expression = s.BuiltIn("BOUND", (draw(among(terms.variables)),))
            return s.Not(asked) if draw(st.booleans()) else asked
        case "same":
            other = _leaf(draw, terms, variables)
            return s.BuiltIn("SAMETERM", (draw(among(variables)), other))
        case "and":
            return s.And(tuple([comparison() for _ in range(draw(_OPERANDS))]))
        case "or":
            return s.Or(tuple([comparison() for _ in range(draw(_OPERANDS))]))
        case "not":
            return s.Not(s.And((comparison(), comparison())))
    return comparison()


_OPERANDS = choice("graphs/operands", (2, 2, 3))


# --- groups --------------------------------------------------------------------------------------


@st.composite
def group_graph_patterns(draw: DrawFn) -> s.GroupGraphPattern:
    """Group graph patterns, nested up to three deep."""
    return _group(draw, _Terms(), _Scope())


def _group(draw: DrawFn, terms: _Terms, scope: _Scope) -> s.GroupGraphPattern:
    sizes = (1, 1, 0, 2, 3) if scope.depth < 2 else (1, 2, 2, 3, 3)
    elements: list[s.Element] = []
    for _ in range(draw(choice(f"graphs/elements {scope.depth}", sizes))):
        element = _element(draw, terms, scope, elements)
        if element is not None:
            elements.append(element)
    if len(scope.outside) > 0 and draw(_ASKS_OUTSIDE):
        bound = in_scope(s.GroupGraphPattern(tuple(elements)))
        elements.append(s.Filter(_condition(draw, terms, (*scope.outside, *bound), None)))
    return s.GroupGraphPattern(tuple(elements))


_ASKS_OUTSIDE = choice("graphs/asks outside", (False,) * 5 + (True,))
"""Whether a condition inside a group speaks of what is bound around it: OPTIONAL's sees that."""

_SIMPLE = ("triples", "triples", "triples", "path", "filter", "values")
_FIRST = ("triples",) * 4 + ("path", "values", "values")
_NESTED = (
    "optional", "union", "group", "minus", "graph", "select", "exists", "optional", "union",
    "minus", "select", "exists",
)


def _element(
    draw: DrawFn, terms: _Terms, scope: _Scope, before: list[s.Element]
) -> s.Element | None:
    # What comes first binds what the others ask about.
    name = "element" if before else "first"
    options = (
        *(_SIMPLE if before else _FIRST), *("bind",) * scope.assigns, *_NESTED * (scope.depth > 0)
    )

    def inside() -> s.GroupGraphPattern:
        return _group(draw, terms, scope.inside(before))

    kind = draw(choice(f"graphs/{name} {scope.depth}", options))
    match kind:
        case "triples" | "path":
            label = next(terms.labels)
            size = draw(choice("graphs/triples", (1, 2))) if kind == "triples" else 1
            return s.TriplesBlock(
                tuple(_triple(draw, terms, label, path=kind == "path") for _ in range(size))
            )
        case "filter":
            bound = in_scope(s.GroupGraphPattern(tuple(before)))
            asked = scope.inside(before, assigns=terms.ruled) if scope.depth > 0 else None
            return s.Filter(_condition(draw, terms, (*bound, *scope.outside), asked))
        case "exists":
            return s.Filter(_exists(draw, terms, scope.inside(before, assigns=terms.ruled)))
        case "values":
            return _values(draw, terms, terms.variables)
        case "bind":
            possible = possible_variables(s.GroupGraphPattern(tuple(before)))
            free = [variable for variable in VARIABLES if variable not in possible]
            if not free:
                return None
            value = (
                _leaf(draw, terms, terms.variables) if terms.tidy
                else _expression(draw, terms, terms.variables, 2)
            )
            return s.Bind(value, draw(among(free)))
        case "optional":
            return s.OptionalPattern(inside())
        case "union":
            return s.UnionPattern((inside(), inside()))
        case "group":
            return s.UnionPattern((inside(),))
        case "minus":
            return s.MinusPattern(inside())
        case "graph":
            return s.NamedGraphPattern(draw(_NAMED), inside())
        case _:
            return s.SubSelect(_select(draw, terms, scope.inside(before)))


_NAMES: tuple[URIRef | Variable, ...] = (*BACKGROUNDS, *VARIABLES[:2])
_NAMED = choice("graphs/graph", _NAMES)
_PREDICATES = choice("graphs/predicate", ("link",) * 8 + ("variable", "path"))
_PLACES = choice("graphs/place", ("variable",) * 12 + ("node",) * 3 + ("blank", "literal"))
_ENDS = choice(
    "graphs/end", ("variable",) * 5 + ("node", "elsewhere") * 2 + ("blank", "literal")
)


def _triple(draw: DrawFn, terms: _Terms, label: int, *, path: bool) -> s.TriplePattern:
    blank = (BNode(f"u{label}"), BNode(f"v{label}"))
    predicate: s.TermOrVariable | s.Path
    places = _ENDS if path else _PLACES
    match "path" if path else draw(_PREDICATES):
        case "variable":
            predicate = draw(among(terms.variables))
        case "path":
            predicate = _path(draw, 2)
        case _:
            predicate = draw(among(LINKS))

    def place(*, object_: bool) -> s.TermOrVariable:
        match draw(places):
            case "node":
                return draw(among(NODES))
            case "elsewhere":
                return ELSEWHERE
            case "blank":
                return draw(among(blank))
            case "literal" if object_:
                return draw(among(terms.literals))
        return draw(among(terms.variables))

    return s.TriplePattern(place(object_=False), predicate, place(object_=True))


_CELLS = choice(
    "graphs/cell", ("node", "node", "common", "node", "undefined") * 2 + ("literal", "elsewhere")
)


def _values(draw: DrawFn, terms: _Terms, variables: tuple[Variable, ...]) -> s.InlineData:
    def cell() -> Term | None:
        match draw(_CELLS):
            case "node":
                return draw(among(NODES))
            case "common":
                return draw(among(_COMMON_LITERALS))
            case "literal":
                return draw(among(terms.literals))
            case "elsewhere":
                return ELSEWHERE
        return None

    chosen = draw(_some(variables, 1, 2))
    rows = range(draw(choice("graphs/rows", (1, 2, 1, 3, 2, 0))))
    return s.InlineData(tuple(chosen), tuple(tuple([cell() for _ in chosen]) for _ in rows))


@cache
def _some(
    variables: tuple[Variable, ...], least: int, most: int
) -> SearchStrategy[list[Variable]]:
    """So many of the variables, each once."""
    return st.lists(among(variables), min_size=least, max_size=most, unique=True)


# --- sub-selects ---------------------------------------------------------------------------------


def _select(draw: DrawFn, terms: _Terms, scope: _Scope) -> s.SelectQuery:
    where = _group(draw, terms, scope)
    variables = in_scope(where)
    kinds = (
        "all", "some", "some", *("grouped", "grouped", "grouped", "counted") * scope.assigns,
        *("ordered",) * 3 * terms.tidy,
    )
    kind = draw(choice("graphs/select", kinds))
    distinct = draw(st.booleans())
    if not variables or kind == "all":
        return s.SelectQuery(None, where, distinct=distinct)
    match kind:
        case "grouped":
            return _grouped(draw, terms, where, variables)
        case "counted":
            return _counted(draw, where, variables) or _grouped(draw, terms, where, variables)
        case "ordered":
            order = [s.OrderCondition(v, draw(st.booleans())) for v in variables]
            cut = s.SolutionModifier(
                order_by=tuple(order), limit=draw(among((1, 2, 3))), offset=draw(among((0, 1, 2)))
            )
            return s.SelectQuery(None, where, cut, distinct=distinct)
    chosen = draw(_some(variables, 1, 2))
    projection = tuple(s.Projection(variable) for variable in chosen)
    return s.SelectQuery(projection, where, distinct=distinct)


_SELDOM = among((False, False, False, True))


def _grouped(
    draw: DrawFn, terms: _Terms, where: s.GroupGraphPattern, variables: tuple[Variable, ...]
) -> s.SelectQuery:
    many = min(draw(choice("graphs/keys", (1, 0, 1, 2))), len(variables))
    keys = draw(_some(variables, many, many))
    free = [variable for variable in VARIABLES if variable not in variables]
    if not free:
        return s.SelectQuery(tuple(s.Projection(each) for each in keys) or None, where)
    aggregate = _aggregate(draw, terms, variables)
    projection = (*(s.Projection(key) for key in keys), s.Projection(free[0], aggregate))
    group_by: list[s.Projection | s.Expression] = [*keys]
    if draw(_SELDOM):
        group_by.append(_expression(draw, terms, variables, 1))
    having = (s.Comparison(">", aggregate, number("1")),) if draw(_SELDOM) else ()
    order = (s.OrderCondition(aggregate, draw(st.booleans())),) if draw(_SELDOM) else ()
    return s.SelectQuery(
        projection, where,
        s.SolutionModifier(group_by=tuple(group_by), having=having, order_by=order),
        distinct=draw(st.booleans()),
        # What SELECT names must be new (18.2.4.4), also to VALUES.
        values=_values(draw, terms, variables) if draw(_SELDOM) else None,
    )


def _aggregate(
    draw: DrawFn, terms: _Terms, variables: tuple[Variable, ...]
) -> s.Expression:
    """An aggregate that has one right answer: of equal values none is chosen, no order matters."""
    functions = ("COUNT", "MIN", "MAX", "SUM", "AVG", "COUNT", "GROUP_CONCAT")
    function = draw(choice("graphs/aggregate", functions))
    operand: s.Expression | None = draw(among(variables))
    if draw(choice("graphs/operand", ("variable", "variable", "expression"))) == "expression":
        operand = _expression(draw, terms, variables, 1)
    distinct = draw(st.booleans())
    match function:
        case "MIN" | "MAX":
            least: s.Expression = draw(among(variables))
            if not (terms.tidy or terms.ruled):
                least = s.BuiltIn("STR", (least,))
            return s.Aggregate(function, least)
        case "GROUP_CONCAT":
            joined = s.Aggregate(function, operand, distinct, draw(among((", ", ""))))
            return s.BuiltIn("STRLEN", (joined,))
        case "COUNT" if draw(st.booleans()):
            operand = None
        case "SUM" | "AVG" if terms.tidy:
            return s.Aggregate("COUNT", operand, distinct)
    return s.Aggregate(function, operand, distinct)


def _counted(
    draw: DrawFn, where: s.GroupGraphPattern, variables: tuple[Variable, ...]
) -> s.SelectQuery | None:
    """How many solutions are left by LIMIT and OFFSET; which ones, no definition says."""
    free = [variable for variable in VARIABLES if variable not in variables]
    if not free:
        return None
    cut = s.SolutionModifier(limit=draw(among((1, 2, 3, 0))), offset=draw(among((0, 1, 2))))
    inner = s.SubSelect(s.SelectQuery(None, where, cut))
    counted = s.Projection(free[0], s.Aggregate("COUNT", None))
    return s.SelectQuery((counted,), s.GroupGraphPattern((inner,)))
