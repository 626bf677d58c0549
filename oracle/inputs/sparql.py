"""SPARQL 1.1 group graph patterns in all their constructs, and datasets for them, drawn by choices.

Wilder than what stands in a GPM: OPTIONAL nested in UNION, filters on variables that nothing binds,
blank nodes, numbers of all types, paths over cycles, sub-selects. What has several right answers
(SAMPLE, LIMIT without a total order, RAND) is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from math import prod
from typing import Final

from rdflib.namespace import XSD
from rdflib.term import BNode, Literal, URIRef, Variable

from ...semantics.model.terms import Dataset, Graph, Term, literal
from ...semantics.model.trees import find, has, outermost, triple_key
from ...semantics.rdf.evaluation import solutions
from ...semantics.rdf.syntax import tree as s
from ...semantics.rdf.syntax.variables import in_scope, possible_variables
from .choices import COIN, Choices, several
from .graphs import AMOUNTS, BACKGROUNDS, THINGS, number
from .sparql_data import (
    ALL,
    ELSEWHERE,
    LARGE,
    LINKS,
    NODES,
    VARIABLES,
    Terms,
    Usual,
    background_instance,
    instance,
    some_triples,
    tidied,
)

_USUAL_VARIABLES = (*THINGS, AMOUNTS[0])
"""Variables that the patterns of the languages have besides, so that the two are joined."""
_FEW_SOLUTIONS = 4_000
"""The bound on the solutions that a pattern joins in a query that is evaluated at many instants."""
_MANY_PATHS, _FEW = 3, 4
"""With more paths than that a pattern gets a graph of so few triples."""


@dataclass(frozen=True)
class _Scope:
    """The scope of a group.

    `depth`: the number of groups that may be nested inside it. `outside`: the variables that may be
    bound around it, whether or not its conditions see that. `assigns`: BIND and sub-selects that
    compute may occur. `asked`: triples that are asked for around it.
    """

    depth: int = 2
    outside: tuple[Variable, ...] = ()
    assigns: bool = True
    asked: tuple[s.TriplePattern, ...] = ()

    def inside(
        self, before: Sequence[s.Element], *, assigns: bool = True, flat: bool = False
    ) -> _Scope:
        """Return the scope of a group that comes after these elements; `flat`: without others."""
        around = (*in_scope(s.GroupGraphPattern(tuple(before))), *self.outside)
        triples = tuple(
            triple for element in before for triple in find(element, s.TriplePattern)
        )
        return _Scope(
            0 if flat else self.depth - 1, tuple(dict.fromkeys(around)), self.assigns and assigns,
            tuple(dict.fromkeys((*triples, *self.asked))),
        )


_WHICH = ("graphs/large", range(len(LARGE)))
_INSTANCES = ("graphs/instances", (1, 2, 1, 3))
_MANY_INSTANCES = ("graphs/instances to aggregate", (3, 2, 4, 1))
_TERMS = (
    "graphs/terms",
    ("few", "few and tidy", "tidy", "all") * 2
    + ("few", "numbers", "numbers", "moments", "texts", "truths"),
)
_VALUED = ("graphs/objects", ("nodes", "nodes", "literals"))
_VALUED_ALIKE = ("graphs/objects alike", ("literals", "literals", "nodes"))
"""The values of variables that are objects only, in data that a pattern asks for."""


def question(choices: Choices, *, ruled: bool = False) -> tuple[s.GroupGraphPattern, Dataset]:
    """Draw a pattern and a dataset that often holds triples which the pattern matches.

    `ruled`: also constructs that the recommendation leaves open and a ruling of denota decides.
    """
    terms = Terms.called(choices.among(*_TERMS))
    terms.ruled = ruled
    terms.variables = VARIABLES[:choices.among("graphs/variables", (3, 2, 3, 4))]
    pattern = _group(choices, terms, _Scope())
    usual: Usual = {}
    stand_for = choices.among(*(_VALUED_ALIKE if terms.alike else _VALUED))
    valued = _objects(pattern) if stand_for == "literals" else ()
    named: dict[URIRef, Graph] = {}
    for name in choices.among("graphs/named", ((), BACKGROUNDS[:1], BACKGROUNDS, BACKGROUNDS[1:])):
        named[name] = some_triples(choices, terms, 3)
        if choices.among("", COIN):
            named[name] |= background_instance(choices, pattern, name, usual)
    default: Graph = frozenset()
    what = choices.among("graphs/data", ("both", "asked", "random", "large"))
    if what == "large" and _size(pattern) <= 3:
        default = LARGE[choices.among(*_WHICH)]
    elif what != "asked":
        default = some_triples(choices, terms, 6)
    if what != "random":
        often = _MANY_INSTANCES if has(pattern, s.Aggregate) else _INSTANCES
        for _ in range(choices.among(*often)):
            for variable in valued:
                usual[variable] = choices.among("", terms.literals)
            default |= instance(choices, pattern, BACKGROUNDS[0], usual)
    if choices.among("graphs/graph names", ("elsewhere",) * 3 + ("in the data",)) == "in the data":
        default |= {(NODES[0], LINKS[0], name) for name in BACKGROUNDS}
    # Each way along a path counts, and patterns that share nothing are multiplied: on a large graph
    # the definitions would have too much to do.
    along_paths = sum(
        not isinstance(triple.predicate, URIRef | Variable)
        for triple in find(pattern, s.TriplePattern)
    )
    if along_paths > 1:
        most = _FEW if along_paths > _MANY_PATHS else 2 * _FEW
        default = frozenset(sorted(default, key=triple_key)[:most])
    known: dict[URIRef | BNode, Graph] = {
        name: tidied(graph, terms) for name, graph in named.items()
    }
    return pattern, Dataset(tidied(default, terms), known)


_TRIPLES = 5
"""Triples of a small graph."""


def _most_solutions(part: object) -> int:
    """Return a bound on the solutions that are joined to evaluate part of a pattern.

    The graph has `_TRIPLES` triples, and no two parts of the pattern share a variable.
    """
    match part:
        case tuple():
            return prod(map(_most_solutions, part))
        case s.GroupGraphPattern(parts) | s.TriplesBlock(parts) | s.SequencePath(parts):
            return _most_solutions(parts)
        case s.UnionPattern(parts) | s.AlternativePath(parts):
            return sum(map(_most_solutions, parts))
        case (
            s.TriplePattern(_, inner) | s.InversePath(inner) | s.ZeroOrOnePath(inner)
            | s.MinusPattern(inner) | s.OptionalPattern(inner) | s.NamedGraphPattern(_, inner)
        ):
            return _most_solutions(inner)
        case s.ZeroOrMorePath(inner) | s.OneOrMorePath(inner):
            return _most_solutions(inner) * _TRIPLES
        case s.SubSelect(query):
            return _most_solutions(query.where)
        case s.InlineData(_, rows):
            return max(len(rows), 1)
        case s.Filter(expression) | s.Bind(expression):
            asked = outermost(expression, s.Exists)
            return _most_solutions(tuple(each.pattern for each in asked))
    return _TRIPLES


def _objects(pattern: s.GroupGraphPattern) -> tuple[Variable, ...]:
    """Return the variables that are objects, and neither subjects nor predicates."""
    triples = list(find(pattern, s.TriplePattern))
    others = {part for triple in triples for part in (triple.subject, triple.predicate)}
    objects = [each.object for each in triples if isinstance(each.object, Variable)]
    return tuple(dict.fromkeys(each for each in objects if each not in others))


def _size(pattern: s.GroupGraphPattern) -> int:
    """Return the number of triples that are joined, those along paths included."""
    return sum(
        1 if isinstance(triple.predicate, URIRef | Variable)
        else sum(1 for _ in find(triple.predicate, URIRef, s.NegatedPropertySet))
        for triple in find(pattern, s.TriplePattern)
    )


# --- paths ---------------------------------------------------------------------------------------


def path(choices: Choices) -> s.Path:
    """Draw a property path of any kind."""
    return _path(choices, 2)


def _path(choices: Choices, depth: int, *, nested: bool = False) -> s.Path:
    """Draw a path; `nested`: one with nested tests and axes, too (nSPARQL's)."""
    if depth < 0:
        return choices.among("", LINKS)

    def inner() -> s.Path:
        return _path(choices, depth - 1, nested=nested)

    kinds = (
        "link", "link", "negated", "*", "?", "+", "*", "?", "inverse", "sequence", "sequence",
        "alternative", "alternative",
    )
    options: tuple[str, ...] = kinds[2:] if depth == 2 else kinds if depth else kinds[:8]
    if nested:
        options += _NESTED_KINDS
    match choices.among(f"graphs/path {depth}", options):
        case "tested":
            return s.NestedPath(inner(), inner())
        case "test":
            return s.NodeTest(inner(), choices.among("", (None, *_LABELS)))
        case "axis":
            axis, inverse = choices.among("", tuple(s.Axis)), choices.among("", COIN)
            match choices.among("graphs/axis", ("any", "label", "nested")):
                case "label":
                    return s.AxisPath(axis, inverse, label=choices.among("", _LABELS))
                case "nested":
                    return s.AxisPath(axis, inverse, nested=inner())
            return s.AxisPath(axis, inverse)
        case "negated":
            return choices.among(*_NEGATED)
        case "inverse":
            return s.InversePath(inner())
        case "sequence":
            # A sequence counts every way: one of many steps has more than can be counted.
            count = choices.among(*_STEPS) if depth == 2 else 2
            if depth == 2 and choices.among(*_STEPS_ARE) == "of any length":
                return s.SequencePath(tuple([_of_no_length(choices) for _ in range(count)]))
            return s.SequencePath(tuple([inner() for _ in range(count)]))
        case "alternative":
            return s.AlternativePath((inner(), inner()))
        case "*":
            return s.ZeroOrMorePath(inner())
        case "+":
            return s.OneOrMorePath(inner())
        case "?":
            return s.ZeroOrOnePath(inner())
    return choices.among("", LINKS)


def _of_no_length(choices: Choices) -> s.Path:
    """Return a path that may have length 0, from a term outside the graph to itself."""
    match choices.among("graphs/step of any length", ("?", "*", "^?")):
        case "?":
            return s.ZeroOrOnePath(choices.among("", LINKS))
        case "*":
            return s.ZeroOrMorePath(choices.among("", LINKS))
    return s.InversePath(s.ZeroOrOnePath(choices.among("", LINKS)))


_NESTED_KINDS = ("tested", "test", "axis") * 2
_LABELS: Final[tuple[Term, ...]] = (
    *NODES, *LINKS, number("1"), literal("true", str(XSD.boolean)), literal("b"),
)
"""Labels of axes, and terms that a test of a path may end in."""
_STEPS = ("graphs/steps", (2, 2, 3))
_STEPS_ARE = ("graphs/steps are", ("any", "any", "of any length"))
_NEGATED: Final = "", tuple(
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



@dataclass(frozen=True)
class _Operands:
    """Operands of expressions: variables, aggregates, groups of EXISTS.

    Attributes:
        variables: those that the expression may name.
        exists: the scope of a group inside EXISTS; None: there is none.
        aggregates: those of the grouped solutions.
    """

    terms: Terms
    variables: tuple[Variable, ...]
    exists: _Scope | None = None
    aggregates: tuple[s.Expression, ...] = ()


def expression(
    choices: Choices, variables: Sequence[Variable] = VARIABLES, depth: int = 2
) -> s.Expression:
    """Draw an expression over these variables, without EXISTS."""
    return _expression(choices, _Operands(ALL, tuple(variables)), depth)


_KINDS = (
    "leaf", *("comparison", "arithmetic", "not", "and", "or", "unary", "in", "sign") * 2, "bound",
    "binary", "ternary", "cast", "if",
)


def _expression(choices: Choices, operands: _Operands, depth: int) -> s.Expression:
    """Draw an expression in which at most `depth` operators stand inside one another."""
    def inner() -> s.Expression:
        return _expression(choices, operands, depth - 1)

    if depth == 0:
        return _leaf(choices, operands)
    kinds = (*_KINDS, "exists", "exists") if operands.exists else _KINDS
    match choices.among("graphs/expression", kinds):
        case "comparison":
            symbol, left, right = choices.among(*_SYMBOLS), inner(), inner()
            return s.Comparison(symbol, *_comparable(operands, (left, right)))
        case "arithmetic":
            return s.Arithmetic(choices.among("graphs/arithmetic", "+-*/"), inner(), inner())
        case "not":
            return s.Not(inner())
        case "and":
            return s.And(tuple([inner() for _ in range(choices.among(*_OPERANDS))]))
        case "or":
            return s.Or(tuple([inner() for _ in range(choices.among(*_OPERANDS))]))
        case "bound" if operands.variables:
            return s.BuiltIn("BOUND", (choices.among("", operands.variables),))
        case "unary":
            return s.BuiltIn(choices.among("graphs/unary", _UNARY), (inner(),))
        case "binary":
            return s.BuiltIn(choices.among("graphs/binary", _BINARY), (inner(), inner()))
        case "ternary":
            arguments = (inner(), inner(), inner())
            return s.BuiltIn(choices.among("graphs/ternary", _TERNARY), arguments)
        case "cast":
            return s.FunctionCall(choices.among("graphs/cast", _CASTS), (inner(),))
        case "in":
            listed = [inner() for _ in range(choices.among("", (1, 2, 0)))]
            *listed, asked = _comparable(operands, (*listed, inner()))
            return s.In(asked, tuple(listed), choices.among("", COIN))
        case "if":
            return s.BuiltIn("IF", (inner(), inner(), inner()))
        case "sign":
            return s.Sign(choices.among("", ("-", "+")), inner())
        case "exists" if operands.exists:
            return _exists(choices, operands.terms, operands.exists)
        case _:
            return _leaf(choices, operands)


_SYMBOLS = ("graphs/comparison", ("=", "!=", "<", ">", "<=", ">="))


def _exists(choices: Choices, terms: Terms, scope: _Scope) -> s.Expression:
    return s.Exists(_group(choices, terms, scope), choices.among("", COIN))


_LEAVES = (*("variable", "variable", "number", "literal", "node") * 2, "truth")


def _comparable(
    operands: _Operands, sides: Sequence[s.Expression]
) -> Sequence[s.Expression]:
    """Replace literals beside an interval function: the stream may have no times like them."""
    if any(side in operands.terms.leaves for side in sides):
        other = (*operands.variables, *operands.terms.leaves)[0]
        return [other if isinstance(x, Literal) else x for x in sides]
    return sides


def _exists_scope(terms: Terms, scope: _Scope, before: Sequence[s.Element]) -> _Scope | None:
    """Return the scope of EXISTS in an expression after these elements, if it may occur there."""
    return scope.inside(before, assigns=terms.ruled, flat=True) if scope.depth > 0 else None


def _leaf(choices: Choices, operands: _Operands) -> s.Expression:
    leaves = (
        *_LEAVES, *("aggregate",) * 4 * bool(operands.aggregates),
        *("exists",) * (operands.exists is not None), *("own", "own") * bool(operands.terms.leaves),
    )
    match choices.among("graphs/leaf", leaves):
        case "variable" if operands.variables:
            return choices.among("", operands.variables)
        case "literal":
            return choices.among("", operands.terms.literals)
        case "node":
            return choices.among("", NODES)
        case "truth":
            return choices.among("", _TRUTHS)
        case "aggregate":
            return choices.among("", operands.aggregates)
        case "own":
            return choices.among("", operands.terms.leaves)
        case "exists" if operands.exists:
            return _exists(choices, operands.terms, operands.exists)
    return choices.among("", operands.terms.common)


_TRUTHS = tuple(literal(truth, str(XSD.boolean)) for truth in ("true", "false"))


def _condition(
    choices: Choices, terms: Terms, bound: tuple[Variable, ...], exists: _Scope | None
) -> s.Expression:
    """Return a condition for FILTER: often one that some solutions fulfil, else any expression."""
    kinds = ("compare",) * 3 + ("bound", "same", "and", "or", "not", "leaf") + ("any",) * 6
    kind = choices.among("graphs/condition", (*kinds, "exists") if exists else kinds)
    variables = bound or terms.variables
    operands = _Operands(terms, variables)

    def comparison() -> s.Expression:
        left, right = choices.among("", variables), _leaf(choices, operands)
        return s.Comparison(choices.among(*_SYMBOLS), left, right)

    match kind:
        case "any":
            return _expression(choices, _Operands(terms, terms.variables, exists), 2)
        case "exists" if exists:
            return _exists(choices, terms, exists)
        case "bound":
            asked: s.Expression = s.BuiltIn("BOUND", (choices.among("", terms.variables),))
            return s.Not(asked) if choices.among("", COIN) else asked
        case "same":
            other = _leaf(choices, operands)
            return s.BuiltIn("SAMETERM", (choices.among("", variables), other))
        case "and":
            return s.And(tuple([comparison() for _ in range(choices.among(*_OPERANDS))]))
        case "or":
            return s.Or(tuple([comparison() for _ in range(choices.among(*_OPERANDS))]))
        case "not":
            return s.Not(s.And((comparison(), comparison())))
        case "leaf":
            return _leaf(choices, operands)
    return comparison()


_OPERANDS = ("graphs/operands", (2, 2, 3))


# --- groups --------------------------------------------------------------------------------------


def group_graph_pattern(choices: Choices) -> s.GroupGraphPattern:
    """Draw a group graph pattern, nested up to three deep."""
    return _group(choices, Terms(), _Scope())


def any_terms(
    choices: Choices, label: str, *, nested_paths: bool = False,
    leaves: tuple[s.Expression, ...] = (), ordered: bool = True,
) -> Terms:
    """Draw the terms of a pattern in any constructs.

    Args:
        choices: who chooses.
        label: begins the labels of its blank nodes.
        nested_paths: whether its paths have nested tests and axes.
        leaves: further operands of its expressions.
        ordered: whether a sub-select may order its solutions and take some.
    """
    terms = Terms.called(choices.among(*_TERMS))
    terms.ruled, terms.tidy = True, terms.tidy and ordered
    terms.most_solutions = _FEW_SOLUTIONS
    terms.nested_paths, terms.leaves = nested_paths, leaves
    terms.variables = _USUAL_VARIABLES
    terms.labels = (f"{label}{number}" for number in count())
    return terms


def any_pattern(
    choices: Choices, terms: Terms, *, earlier: Sequence[Variable] = (),
    before: Sequence[s.Element] = (),
) -> s.GroupGraphPattern:
    """Draw a group graph pattern in any constructs, often one that has solutions.

    Args:
        choices: who chooses.
        terms: those of `any_terms`.
        earlier: variables that may be bound around it, of which its conditions may speak.
        before: elements of the same group that its elements follow.
    """
    scope = _Scope(outside=tuple(earlier))
    drawn = _group(choices, terms, scope, before)
    elsewhere = terms.leaves or has(drawn, s.NamedGraphPattern)  # needs more than a graph
    if not (elsewhere or _has_solutions(choices, drawn)):
        drawn = _group(choices, terms, scope, before)
    return drawn


def any_select(choices: Choices, terms: Terms, where: s.GroupGraphPattern) -> s.SelectQuery:
    """Draw a SELECT that often groups the solutions of a pattern or computes, without an order."""
    return _selected(choices, replace(terms, tidy=False), _Scope(depth=1), where)


def _has_solutions(choices: Choices, pattern: s.GroupGraphPattern) -> bool:
    """Return whether a pattern has solutions over a graph that is drawn for it."""
    return bool(solutions(pattern, instance(choices, pattern, BACKGROUNDS[0])))


def _group(
    choices: Choices, terms: Terms, scope: _Scope, before: Sequence[s.Element] = ()
) -> s.GroupGraphPattern:
    sizes = (1, 1, 0, 2, 3) if scope.depth < 2 else (1, 2, 2, 3, 3)
    elements: list[s.Element] = []
    for _ in range(choices.among(f"graphs/elements {scope.depth}", sizes)):
        element = _element(choices, terms, scope, [*before, *elements])
        if element is not None and _most_solutions((*elements, element)) <= terms.most_solutions:
            elements.append(element)
    if scope.depth < 2 and choices.among(*_NOTHING):
        elements.append(_nothing(choices, terms))
    if len(scope.outside) > 0 and choices.among(*_ASKS_OUTSIDE):
        bound = in_scope(s.GroupGraphPattern(tuple(elements)))
        elements.append(s.Filter(_condition(choices, terms, (*scope.outside, *bound), None)))
    return s.GroupGraphPattern(tuple(adjacent_blocks(elements)))


def adjacent_blocks(elements: Iterable[s.Element]) -> Iterator[s.Element]:
    """Join triples blocks that stand side by side, as the parser reads them."""
    block: tuple[s.TriplePattern, ...] = ()
    for element in elements:
        if isinstance(element, s.TriplesBlock):
            block += element.triples
            continue
        if block:
            yield s.TriplesBlock(block)
            block = ()
        yield element
    if block:
        yield s.TriplesBlock(block)


_ASKS_OUTSIDE = ("graphs/asks outside", (False,) * 5 + (True,))
"""True if a condition inside a group uses outer variables: OPTIONAL's sees them."""

_NOTHING = ("graphs/nothing there", (False,) * 15 + (True,))


def _nothing(choices: Choices, terms: Terms) -> s.Element:
    """Return a pattern that no data match, so that a group has no solutions."""
    other = choices.among("", terms.variables)
    return s.TriplesBlock((s.TriplePattern(ELSEWHERE, choices.among("", LINKS), other),))


_SIMPLE = ("triples", "triples", "triples", "path", "filter", "values")
_FIRST = ("triples",) * 4 + ("path", "values", "values")
_NESTED = (
    "optional", "union", "group", "minus", "graph", "select", "exists", "optional", "union",
    "minus", "select", "exists", "select",
)


def _element(
    choices: Choices, terms: Terms, scope: _Scope, before: list[s.Element]
) -> s.Element | None:
    # What comes first binds what the others ask about.
    name = "element" if before else "first"
    options = (
        *(_SIMPLE if before else _FIRST), *("bind", "bind") * scope.assigns,
        *_NESTED * (scope.depth > 0),
    )

    def inside() -> s.GroupGraphPattern:
        return _group(choices, terms, scope.inside(before))

    kind = choices.among(f"graphs/{name} {scope.depth}", options)
    match kind:
        case "triples" | "path":
            label = next(terms.labels)
            if scope.asked and kind == "triples" and choices.among(*_OWN) != "own":
                return s.TriplesBlock(_asked_again(choices, terms, scope.asked, label))
            size = choices.among("graphs/triples", (1, 2)) if kind == "triples" else 1
            return s.TriplesBlock(
                tuple(_triple(choices, terms, label, path=kind == "path") for _ in range(size))
            )
        case "filter":
            bound = in_scope(s.GroupGraphPattern(tuple(before)))
            asked = _exists_scope(terms, scope, before)
            return s.Filter(_condition(choices, terms, (*bound, *scope.outside), asked))
        case "exists":
            return s.Filter(_exists(choices, terms, scope.inside(before, assigns=terms.ruled)))
        case "values":
            return _values(choices, terms, terms.variables)
        case "bind":
            possible = possible_variables(s.GroupGraphPattern(tuple(before)))
            free = [variable for variable in VARIABLES if variable not in possible]
            if not free:
                return None
            known = in_scope(s.GroupGraphPattern(tuple(before)))
            asked = _exists_scope(terms, scope, before)
            return s.Bind(_assigned(choices, terms, known, asked), choices.among("", free))
        case "optional":
            return s.OptionalPattern(inside())
        case "union":
            return s.UnionPattern((inside(), inside()))
        case "group":
            return s.UnionPattern((inside(),))
        case "minus":
            return s.MinusPattern(inside())
        case "graph":
            return s.NamedGraphPattern(choices.among(*_NAMED), inside())
        case _:
            # Grammar rule [54]: a sub-select has a group to itself.
            select = s.SubSelect(_select(choices, terms, scope.inside(before)))
            return s.UnionPattern((s.GroupGraphPattern((select,)),))


_OWN = ("graphs/triples within", ("own", "own", "again"))
"""The triples of an inner group: its own, or again those that are asked for around it. Then
OPTIONAL, MINUS and EXISTS have solutions that share variables with the outer group."""
_HOW_AGAIN = ("graphs/asked again", ("the same", "the same", "with another end"))


def _asked_again(
    choices: Choices, terms: Terms, asked: tuple[s.TriplePattern, ...], label: str
) -> tuple[s.TriplePattern, ...]:
    """Return one or two of the triples around a group, perhaps with another object."""
    again = []
    for _ in range(choices.among("graphs/triples", (1, 2))):
        triple = choices.among("", asked)
        if choices.among(*_HOW_AGAIN) == "with another end":
            triple = replace(triple, object=choices.among("", terms.variables))
        subject, object_ = (
            BNode(f"u{label}") if isinstance(end, BNode) else end
            for end in (triple.subject, triple.object)
        )
        again.append(replace(triple, subject=subject, object=object_))
    return tuple(again)


_ASSIGNED = ("graphs/assigned", ("any", "any", "computed"))


def _assigned(
    choices: Choices, terms: Terms, bound: tuple[Variable, ...], exists: _Scope | None
) -> s.Expression:
    """Draw an expression for BIND or SELECT: often one over bound variables."""
    if terms.tidy:
        return _leaf(choices, _Operands(terms, terms.variables))
    if not bound or choices.among(*_ASSIGNED) == "any":
        return _expression(choices, _Operands(terms, terms.variables, exists), 2)
    variable = choices.among("", bound)
    operands = _Operands(terms, bound)
    match choices.among("graphs/computed", ("arithmetic", "unary", "cast", "binary")):
        case "arithmetic":
            symbol = choices.among("graphs/arithmetic", "+-*/")
            return s.Arithmetic(symbol, variable, _leaf(choices, operands))
        case "unary":
            return s.BuiltIn(choices.among("graphs/unary", _UNARY), (variable,))
        case "cast":
            return s.FunctionCall(choices.among("graphs/cast", _CASTS), (variable,))
    other = _leaf(choices, operands)
    return s.BuiltIn(choices.among("graphs/binary", _BINARY), (variable, other))


_NAMES: tuple[URIRef | Variable, ...] = (*BACKGROUNDS, *VARIABLES[:2])
_NAMED = ("graphs/graph", _NAMES)
_PREDICATES = ("graphs/predicate", ("link",) * 8 + ("variable", "path"))
_PLACES = ("graphs/place", ("variable",) * 12 + ("node",) * 3 + ("blank", "literal"))
_ENDS = (
    "graphs/end", ("variable",) * 5 + ("node", "elsewhere") * 2 + ("blank", "literal")
)

_FROM_NOWHERE = ("graphs/path from nowhere", (False, False, False, True))


def _triple(choices: Choices, terms: Terms, label: str, *, path: bool) -> s.TriplePattern:
    blank = (BNode(f"u{label}"), BNode(f"v{label}"))
    predicate: s.TermOrVariable | s.Path
    places = _ENDS if path else _PLACES
    match "path" if path else choices.among(*_PREDICATES):
        case "variable":
            predicate = choices.among("", terms.variables)
        case "path":
            predicate = _path(choices, 2, nested=terms.nested_paths)
        case _:
            predicate = choices.among("", LINKS)

    if isinstance(predicate, s.SequencePath) and choices.among(*_FROM_NOWHERE):
        return s.TriplePattern(ELSEWHERE, predicate, choices.among("", terms.variables))

    def place(*, object_: bool) -> s.TermOrVariable:
        match choices.among(*places):
            case "node":
                return choices.among("", NODES)
            case "elsewhere":
                return ELSEWHERE
            case "blank":
                return choices.among("", blank)
            case "literal" if object_ or choices.among(*_SELDOM):  # which matches nothing
                return choices.among("", terms.literals)
        return choices.among("", terms.variables)

    return s.TriplePattern(place(object_=False), predicate, place(object_=True))


_CELLS = (
    "graphs/cell", ("node", "node", "common", "node", "undefined") * 2 + ("literal", "elsewhere")
)


def _values(choices: Choices, terms: Terms, variables: tuple[Variable, ...]) -> s.InlineData:
    def cell() -> Term | None:
        match choices.among(*_CELLS):
            case "node":
                return choices.among("", NODES)
            case "common":
                return choices.among("", terms.common)
            case "literal":
                return choices.among("", terms.literals)
            case "elsewhere":
                return ELSEWHERE
        return None

    chosen = several(choices, variables, 2)
    rows = range(choices.among("graphs/rows", (1, 2, 1, 3, 2, 0)))
    return s.InlineData(tuple(chosen), tuple(tuple([cell() for _ in chosen]) for _ in rows))


# --- sub-selects ---------------------------------------------------------------------------------


def _select(choices: Choices, terms: Terms, scope: _Scope) -> s.SelectQuery:
    return _selected(choices, terms, scope, _group(choices, terms, scope))


def _selected(
    choices: Choices, terms: Terms, scope: _Scope, where: s.GroupGraphPattern
) -> s.SelectQuery:
    variables = in_scope(where)
    kinds = (
        "all", "some", *("grouped",) * 4 * scope.assigns, *("counted", "computed") * scope.assigns,
        *("ordered",) * 4 * terms.tidy,
    )
    kind = choices.among("graphs/select", kinds)
    distinct = choices.among("", COIN)
    exists = _exists_scope(terms, scope, where.elements)
    each = _Operands(terms, variables, exists)
    if not variables or kind == "all":
        ordered = s.SolutionModifier(order_by=_order(choices, each))
        return s.SelectQuery(None, where, ordered, distinct)
    match kind:
        case "grouped":
            return _grouped(choices, terms, where, variables, exists)
        case "counted":
            return _counted(choices, where, variables) or _grouped(
                choices, terms, where, variables, exists
            )
        case "ordered":
            return _ordered(choices, terms, where, variables, exists)
    chosen = several(choices, variables, 2)
    projection = [s.Projection(variable) for variable in chosen]
    if kind == "computed":
        for variable in _free(variables)[: choices.among(*_MANY)]:
            seen = (*variables, *(each.variable for each in projection))
            projection.append(s.Projection(variable, _assigned(choices, terms, seen, exists)))
    ordered = s.SolutionModifier(order_by=_order(choices, each))
    return s.SelectQuery(tuple(projection), where, ordered, distinct)


_ORDER = ("graphs/order", (0, 0, 1, 0, 2))


def _order(choices: Choices, operands: _Operands) -> tuple[s.OrderCondition, ...]:
    """Draw conditions of ORDER BY where no LIMIT makes them matter."""
    return tuple([
        s.OrderCondition(
            _expression(choices, operands, choices.among(*_DEPTHS)), choices.among("", COIN)
        )
        for _ in range(choices.among(*_ORDER))
    ])


_SELDOM = ("", (False, False, False, True))
_DEPTHS = ("graphs/depth", (1, 0, 2))
_MANY = ("graphs/computed in SELECT", (1, 1, 2))


def _free(variables: Sequence[Variable]) -> list[Variable]:
    """Return the variables that SELECT may name: nothing that is in scope (18.2.4.4)."""
    return [variable for variable in VARIABLES if variable not in variables]


def _ordered(
    choices: Choices, terms: Terms, where: s.GroupGraphPattern, variables: tuple[Variable, ...],
    exists: _Scope | None,
) -> s.SelectQuery:
    """Return the query with a total ORDER BY, LIMIT and OFFSET."""
    order = [s.OrderCondition(v, choices.among("", COIN)) for v in variables]
    if choices.among("", COIN):  # of a value that several have; the others decide
        operands = _Operands(terms, variables, exists)
        first = _expression(choices, operands, choices.among(*_DEPTHS))
        order.insert(0, s.OrderCondition(first, choices.among("", COIN)))
    cut = s.SolutionModifier(
        order_by=tuple(order), limit=choices.among("", (1, 2, 3)),
        offset=choices.among("", (0, 1, 2)),
    )
    if choices.among(*_SELDOM):  # DISTINCT would leave the order open
        chosen = several(choices, variables, 2)
        return s.SelectQuery(tuple(map(s.Projection, chosen)), where, cut)
    return s.SelectQuery(None, where, cut, distinct=choices.among("", COIN))


_SOLUTIONS = ("graphs/grouped", ("solutions",) * 7 + ("nothing",))
_HAVING = ("graphs/having", ("none",) * 2 + ("one", "and", "or", "not", *("any",) * 4))
_GROUP_KEYS = ("graphs/keys", (1, 0, 1, 2))


def _grouped(
    choices: Choices, terms: Terms, where: s.GroupGraphPattern, variables: tuple[Variable, ...],
    exists: _Scope | None,
) -> s.SelectQuery:
    many = min(choices.among(*_GROUP_KEYS), len(variables))
    keys = several(choices, variables, many, least=many)
    free = _free(variables)
    if choices.among(*_SOLUTIONS) == "nothing":
        where = s.GroupGraphPattern((*where.elements, s.InlineData(variables[:1], ())))
    if not free:
        return s.SelectQuery(tuple(s.Projection(each) for each in keys) or None, where)
    each = _Operands(terms, variables, exists)
    aggregates = tuple([
        _aggregate(choices, where, each) for _ in free[: choices.among(*_MANY)]
    ])
    group_by: list[s.Projection | s.Expression] = [*keys]
    if choices.among("", COIN):
        computed = _expression(choices, each, choices.among(*_DEPTHS))
        named = len(free) > len(aggregates) and choices.among("", COIN)
        group_by.append(s.Projection(free[-1], computed) if named else computed)
    grouped = _Operands(terms, tuple(keys), exists, aggregates)
    projection = [s.Projection(key) for key in keys]
    for variable, aggregate in zip(free, aggregates, strict=False):
        projection.append(s.Projection(variable, _of_aggregate(choices, aggregate, grouped)))
    return s.SelectQuery(
        tuple(projection), where,
        s.SolutionModifier(
            tuple(group_by), _having(choices, grouped), _order(choices, grouped)
        ),
        distinct=choices.among("", COIN),
        # A variable that SELECT computes must be new (18.2.4.4), also to VALUES.
        values=_values(choices, terms, variables) if choices.among(*_SELDOM) else None,
    )


_OF_AGGREGATES = ("graphs/of an aggregate", (*("itself",) * 4, "arithmetic", "any", "any"))


def _of_aggregate(
    choices: Choices, aggregate: s.Expression, grouped: _Operands
) -> s.Expression:
    """Draw an aggregate, or an expression over it."""
    match choices.among(*_OF_AGGREGATES):
        case "arithmetic":
            symbol = choices.among("graphs/arithmetic", "+-*/")
            return s.Arithmetic(symbol, aggregate, _leaf(choices, grouped))
        case "any":
            return _expression(choices, grouped, 2)
    return aggregate


def _having(choices: Choices, grouped: _Operands) -> tuple[s.Expression, ...]:
    """Draw conditions on aggregates, and on keys."""
    kind = choices.among(*_HAVING)
    if kind == "none":
        return ()

    def asked() -> s.Expression:
        side: s.Expression = choices.among("", (*grouped.aggregates, *grouped.variables))
        common = grouped.terms.common[:2]
        bound = choices.among("", (number("1"), number("0"), number("2"), *common))
        return s.Comparison(choices.among(*_SYMBOLS), side, bound)

    match kind:
        case "any":
            return tuple([
                _expression(choices, grouped, choices.among(*_DEPTHS))
                for _ in range(choices.among("graphs/conditions", (1, 1, 2)))
            ])
        case "and":
            return (s.And(tuple([asked() for _ in range(choices.among(*_OPERANDS))])),)
        case "or":
            return (s.Or(tuple([asked() for _ in range(choices.among(*_OPERANDS))])), asked())
        case "not":
            return (s.Not(asked()),)
    return (asked(),)


def _aggregate(
    choices: Choices, where: s.GroupGraphPattern, each: _Operands
) -> s.Expression:
    """Draw an aggregate with one right value: of equal values none is chosen, no order matters.

    Args:
        choices: who chooses.
        where: the pattern whose solutions are grouped.
        each: operands of expressions over one solution.
    """
    terms = each.terms
    functions = ("COUNT", "MIN", "MAX", "SUM", "AVG", "COUNT", "GROUP_CONCAT", "COUNT(*)")
    function = choices.among("graphs/aggregate", functions)
    # More of the variables that may stand for literals.
    values = [variable for variable in _objects(where) if variable in each.variables]
    operands = (*each.variables, *values, *values)
    operand: s.Expression | None = choices.among("", operands)
    if choices.among("graphs/operand", ("variable", "expression")) == "expression":
        operand = _expression(choices, each, choices.among(*_DEPTHS))
    distinct = choices.among("", COIN)
    match function:
        case "MIN" | "MAX":
            least: s.Expression = choices.among("", operands)
            if not (terms.tidy or terms.ruled):
                least = s.BuiltIn("STR", (least,))
            return s.Aggregate(function, least)
        case "GROUP_CONCAT":
            joined = s.Aggregate(function, operand, distinct, choices.among("", (", ", "")))
            return s.BuiltIn("STRLEN", (joined,))
        case "COUNT(*)":
            return s.Aggregate("COUNT", None, distinct)
        case "SUM" | "AVG" if terms.tidy:
            return s.Aggregate("COUNT", operand, distinct)
    return s.Aggregate(function, operand, distinct)


def _counted(
    choices: Choices, where: s.GroupGraphPattern, variables: tuple[Variable, ...]
) -> s.SelectQuery | None:
    """Return a count of the solutions after LIMIT and OFFSET; no definition says which remain."""
    free = _free(variables)
    if not free:
        return None
    limit = choices.among("", (1, 2, 3, 0))
    cut = s.SolutionModifier(limit=limit, offset=choices.among("", (0, 1, 2)))
    inner = s.SubSelect(s.SelectQuery(None, where, cut))
    counted = s.Projection(free[0], s.Aggregate("COUNT", None))
    return s.SelectQuery((counted,), s.GroupGraphPattern((inner,)))
