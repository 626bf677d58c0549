"""Graphs that two queries can tell apart: instances of their graph patterns over few terms."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from itertools import islice, pairwise, product
from math import prod
from random import Random
from typing import Any, TypeAlias, TypeVar

from rdflib.namespace import XSD
from rdflib.term import BNode, Literal, URIRef, Variable

from ...semantics.model.mappings import SolutionMapping
from ...semantics.model.terms import Graph, Term, literal
from ...semantics.model.trees import find, has, outermost
from ...semantics.rdf.expressions.context import Context
from ...semantics.rdf.expressions.evaluation import ExpressionError, truth
from ...semantics.rdf.expressions.functions import FUNCTIONS
from ...semantics.rdf.syntax.tree import (
    Aggregate,
    AlternativePath,
    Arithmetic,
    AxisPath,
    Bind,
    BuiltIn,
    Comparison,
    Element,
    Exists,
    FunctionCall,
    GroupGraphPattern,
    In,
    InlineData,
    InversePath,
    MinusPattern,
    NegatedPropertySet,
    NestedPath,
    NodeTest,
    OneOrMorePath,
    OptionalPattern,
    Path,
    SequencePath,
    SubSelect,
    TermOrVariable,
    TriplePattern,
    TriplesBlock,
    UnionPattern,
    ZeroOrMorePath,
    ZeroOrOnePath,
)

T = TypeVar("T")


def near_points(constants: Iterable[T], unit: Any) -> list[T]:
    """Return the constants, their neighbours at a distance of `unit`, and all midpoints.

    Points are numbers of one type, or times with a `timedelta` as their unit. With its midpoints
    the list has a point in each interval that a comparison with two of the constants tells apart.
    """
    given: list[Any] = list(dict.fromkeys(constants))
    points = dict.fromkeys(place + shift for shift in (0 * unit, unit, -unit) for place in given)
    return [*points, *(low + (high - low) / 2 for low, high in pairwise(sorted(points)))]


def near_texts(constants: Iterable[str]) -> list[str]:
    """Return the constants, longer texts, their prefixes, other capitals and the empty text.

    In lexical order `!` comes before all letters and digits, and `z` after most, so that there is
    a text between two constants.
    """
    given = list(dict.fromkeys(constants))
    changed = (
        text for constant in given
        for text in (
            constant + "z", "z" + constant, constant[:-1], constant + "!", constant.swapcase(),
        )
    )
    return list(dict.fromkeys((*given, *changed, "")))


def first_of_each(candidates: Iterable[T], key: Callable[[T], Hashable]) -> list[T]:
    """Return the first candidate for each key: the others cannot be told from it."""
    found: dict[Hashable, T] = {}
    for candidate in candidates:
        found.setdefault(key(candidate), candidate)
    return list(found.values())


NAMES = "http://example.org/"
_MOST_INSTANCES = 8  # of one pattern
_MOST_ASSIGNMENTS = 10_000
UNRELATED: Graph = frozenset(
    {(URIRef(NAMES + "x"), URIRef(NAMES + "unrelated"), URIRef(NAMES + "x"))}
)
"""A graph that no pattern matches."""

Triples: TypeAlias = tuple[TriplePattern, ...]
Assignment: TypeAlias = Mapping["Variable | BNode", Term]
Values: TypeAlias = Mapping[Variable, list[Term]]
"""The values of a variable on which some condition turns."""

_EXPRESSIONS = (Bind, Comparison, In, BuiltIn, FunctionCall, Arithmetic)
_KNOWN_FUNCTIONS = {*FUNCTIONS, "BOUND", "IF", "COALESCE"}
_RESOURCES: list[Term] = [URIRef(NAMES + "a"), URIRef(NAMES + "b")]
_ANY_KIND: list[Term] = [
    literal("1", str(XSD.integer)), literal("1.5", str(XSD.decimal)), literal("a"), literal(""),
    literal("a", None, "en"), literal("true", str(XSD.boolean)),
    literal("false", str(XSD.boolean)), literal("NaN", str(XSD.double)), _RESOURCES[0],
]


def instances(pattern: GroupGraphPattern, values: Values) -> Iterator[Graph]:
    """Return graphs that a pattern may match: the plainest, and each value of each variable."""
    graphs: dict[Graph, None] = {}
    for triples in dict.fromkeys(_alternatives(pattern)):
        plainest: Assignment | None = None
        for number, assignment in enumerate(_assignments(triples, values)):
            plainest = plainest or assignment
            changed = [v for v, value in assignment.items() if value != plainest[v]]
            if number < _MOST_INSTANCES or (len(changed) == 1 and changed[0] in values):
                graphs[_graph(triples, assignment)] = None
    yield from (graph for graph in graphs if graph)


class Choices:
    """Random instances of patterns that have much in common: a variable's value is mostly kept."""

    def __init__(self, random: Random, values: Values) -> None:
        self.random = random
        # In the order of numbers, so that a value can be followed by a greater one.
        self.values = {v: sorted(domain, key=_number_or_last) for v, domain in values.items()}
        self.usual: dict[Variable | BNode, Term] = {}
        self.rising = random.random() < 0.5
        self.resources = _RESOURCES if random.random() < 0.4 else _RESOURCES[:1]

    def instance(self, pattern: GroupGraphPattern, *, again: bool) -> Graph:
        """Return a graph that a pattern may match; `again` if it had one already."""
        triples = self.random.choice(list(dict.fromkeys(_alternatives(pattern))))
        subjects = {triple.subject for triple in triples}
        assignment = {
            v: self.value(v, resource=v in subjects, again=again) for v in _variables(triples)
        }
        return _graph(triples, assignment)

    def value(self, v: Variable | BNode, *, resource: bool, again: bool) -> Term:
        """Return the previous value of a variable, or sometimes another."""
        known = self.usual.get(v)
        domain = [] if resource or isinstance(v, BNode) else self.values.get(v, [])
        if known is not None and self.random.random() < (0.4 if domain and again else 0.9):
            return known
        if known is None and self.rising and domain:
            # Conditions like to compare what comes later with what came before.
            used = [domain.index(x) for x in self.usual.values() if x in domain]
            domain = domain[max(used, default=-1) + 1 :] or domain
            domain = domain[: max(2, len(domain) // 2)]
        chosen = self.random.choice(domain or self.resources)
        if known is None:
            self.usual[v] = chosen
        return chosen


# --- which triples a pattern may ask for ---------------------------------------------------------


def _alternatives(pattern: GroupGraphPattern) -> Iterator[Triples]:
    parts = [list(_of_element(each)) for each in pattern.elements]
    for chosen in islice(product(*parts), _MOST_INSTANCES):
        yield tuple(triple for triples in chosen for triple in triples)


def _of_element(element: Element) -> Iterator[Triples]:
    match element:
        case TriplesBlock(triples):
            yield triples
        case OptionalPattern(inner) | MinusPattern(inner):
            yield from _alternatives(inner)
            yield ()
        case UnionPattern(alternatives):
            for alternative in alternatives:
                yield from _alternatives(alternative)
        case SubSelect(query):
            yield from _alternatives(query.where)
        case _:  # filters ask for no triples; GRAPH and windows ask for them elsewhere
            yield ()


# --- which terms its variables may take ----------------------------------------------------------


@dataclass
class _Linked:
    """Variables whose values meet: in an expression, or as objects of one predicate.

    `constants` are compared with these values, `exact` are in their place in a pattern or VALUES.
    """

    variables: set[Variable] = field(default_factory=set)
    predicates: set[URIRef] = field(default_factory=set)
    constants: set[Term] = field(default_factory=set)
    exact: set[Term] = field(default_factory=set)
    expressions: list[Any] = field(default_factory=list)

    def meets(self, other: _Linked) -> bool:
        """Return whether a variable or predicate is in both."""
        return bool(self.variables & other.variables or self.predicates & other.predicates)

    def add(self, other: _Linked) -> None:
        """Add all that the other one has."""
        self.variables |= other.variables
        self.predicates |= other.predicates
        self.constants |= other.constants
        self.exact |= other.exact
        self.expressions += other.expressions


def critical_values(queries: Iterable[Any], *, beyond: int = 0) -> dict[Variable, list[Term]]:
    """Return the values of variables that the conditions on them tell apart.

    The values that fulfil most conditions come first. Variables that are in a condition together
    have all numbers about its constants, and `beyond` more above the greatest one.
    """
    groups: list[_Linked] = []
    for part in outermost(tuple(queries), _EXPRESSIONS, InlineData, TriplePattern):
        new = _linked(part)
        for group in [each for each in groups if each.meets(new)]:
            groups.remove(group)
            new.add(group)
        groups.append(new)
    found: dict[Variable, list[Term]] = {}
    for group in groups:
        if group.variables and (group.expressions or group.exact):
            found.update(dict.fromkeys(group.variables, _values(group, beyond)))
    return found


def _linked(part: Any) -> _Linked:
    match part:
        case TriplePattern(_, path, object_):
            predicates = set(find(path, URIRef))
            if isinstance(object_, Variable):
                return _Linked({object_}, predicates)
            return _Linked(set(), predicates, exact=set(find(object_, Literal)))
        case InlineData(variables, rows):
            return _Linked(set(variables), exact=set(find(rows, Literal, URIRef)))
    return _Linked(
        set(find(part, Variable)), constants=set(find(part, Literal, URIRef)), expressions=[part]
    )


def _values(group: _Linked, beyond: int) -> list[Term]:
    near = _about(group.constants | group.exact)
    conditions = [each for each in group.expressions if _has_outcome(each)]
    numbers: list[Term] = []
    if len(conditions) < len(group.expressions):
        numbers = [each for each in near if _number(each) is not None]
        top = max(filter(None, map(_number, numbers)), default=Decimal(0))
        numbers += [_numeral(top + k) for k in range(1, beyond + 1)]
    exact = {*group.exact, *numbers}
    outcomes = {
        value: tuple(_outcome(each, value) for each in conditions)
        for value in (*near, *numbers, *_ANY_KIND)
    }
    values = first_of_each(outcomes, lambda each: (outcomes[each], each if each in exact else None))
    return sorted(values, key=lambda value: -outcomes[value].count(True))


def _has_outcome(expression: Any) -> bool:
    """Return whether the value of one variable decides what an expression is."""
    return (
        len(set(find(expression, Variable))) == 1
        and not has(expression, Aggregate, Exists, Bind)
        and all(each.name in _KNOWN_FUNCTIONS for each in find(expression, BuiltIn))
    )


def _outcome(condition: Any, value: Term) -> bool | None:
    """Return whether a condition holds of its variable's value, None for an error."""
    try:
        return truth(
            condition, SolutionMapping({next(find(condition, Variable)): value}), Context()
        )
    except ExpressionError:
        return None


def _about(constants: Iterable[Term]) -> list[Term]:
    """Return the constants and the values between and next to them, also in other datatypes."""
    given = sorted(constants)
    near = [*given]
    numbers = [number for each in given if (number := _number(each)) is not None]
    if not given:
        near = [_numeral(Decimal(1)), _numeral(Decimal(2))]
    near += map(_numeral, near_points(numbers, Decimal(1)))
    near += (literal(f"{number:f}", str(XSD.double)) for number in numbers or [Decimal(1)])
    texts: dict[str | None, list[str]] = {}
    for each in given:
        if isinstance(each, Literal) and each.datatype in (None, XSD.string):
            texts.setdefault(each.language, []).append(str(each))
    for language, known in texts.items():
        near += (literal(text, None, language) for text in near_texts(known))
    near += _times_about(given)
    return list(dict.fromkeys(near))


def _times_about(constants: Iterable[Term]) -> Iterator[Term]:
    for kind, unit in ((XSD.dateTime, timedelta(seconds=1)), (XSD.date, timedelta(days=1))):
        times: dict[bool, list[datetime]] = {}
        for each in constants:
            if isinstance(each, Literal) and each.datatype == kind:
                # Years before 1 and after 9999, and dates with a time zone, have no neighbours.
                with suppress(ValueError):
                    time = datetime.fromisoformat(str(each))
                    times.setdefault(time.tzinfo is None, []).append(time)
        for given in times.values():
            with suppress(OverflowError):
                for time in near_points(given, unit):
                    text = time.date().isoformat() if kind == XSD.date else time.isoformat()
                    yield literal(text, str(kind))


def _number(term: Term) -> Decimal | None:
    if not isinstance(term, Literal) or term.datatype in (None, XSD.string):
        return None
    try:
        number = Decimal(str(term))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _number_or_last(term: Term) -> tuple[bool, Decimal]:
    number = _number(term)
    return number is None, number or Decimal(0)


def _numeral(number: Decimal) -> Literal:
    whole = number == number.to_integral_value()
    text = f"{number.quantize(Decimal(1)):f}" if whole else f"{number:f}"
    return literal(text, str(XSD.integer if whole else XSD.decimal))


def _variables(triples: Triples) -> list[Variable | BNode]:
    return list(dict.fromkeys(
        term for triple in triples for term in (triple.subject, triple.predicate, triple.object)
        if isinstance(term, Variable | BNode)
    ))


def _assignments(triples: Triples, values: Values) -> Iterator[Assignment]:
    """Yield the assignments, the simplest first: those with the fewest different terms."""
    subjects = {triple.subject for triple in triples}
    variables = _variables(triples)
    domains = [
        values[v] if isinstance(v, Variable) and v in values and v not in subjects else _RESOURCES
        for v in variables
    ]
    while prod(map(len, domains)) > _MOST_ASSIGNMENTS:
        longest = max(range(len(domains)), key=lambda place: len(domains[place]))
        domains[longest] = domains[longest][: len(domains[longest]) // 2]
    every = sorted(
        product(*(enumerate(domain) for domain in domains)),
        key=lambda chosen: (len({term for _, term in chosen}), sum(place for place, _ in chosen)),
    )
    for chosen in every:
        yield dict(zip(variables, (term for _, term in chosen), strict=True))


def _graph(triples: Triples, assignment: Assignment) -> Graph:
    found: set[tuple[Term, Term, Term]] = set()
    for triple in triples:
        subject = _term(triple.subject, assignment)
        predicate = triple.predicate
        if isinstance(predicate, Variable):
            predicate = URIRef(str(_term(predicate, assignment)))
        found.update(_path(subject, predicate, _term(triple.object, assignment)))
    return frozenset(
        (s, p, o) for s, p, o in found if not isinstance(s, Literal)
    )


def _path(s: Term, path: Path | Term, o: Term) -> Iterator[tuple[Term, Term, Term]]:
    """Yield triples over which a path leads from s to o."""
    match path:
        case InversePath(inner):
            yield from _path(o, inner, s)
        case SequencePath(steps):
            stops: list[Term] = [
                s, *(URIRef(f"{NAMES}m{n}") for n in range(1, len(steps))), o
            ]
            for begin, step, end in zip(stops, steps, stops[1:], strict=False):
                yield from _path(begin, step, end)
        case AlternativePath(alternatives):
            yield from _path(s, alternatives[0], o)
        case ZeroOrMorePath(inner) | OneOrMorePath(inner) | ZeroOrOnePath(inner):
            yield from _path(s, inner, o)
        case NegatedPropertySet():
            yield s, URIRef(NAMES + "unrelated"), o
        case NestedPath(inner, test):
            yield from _path(s, inner, o)
            yield from _path(o, test, URIRef(NAMES + "m0"))
        case NodeTest(inner, target):
            yield from _path(s, inner, o if target is None else target)
        case AxisPath(label=label, inverse=inverse):
            link = label if isinstance(label, URIRef) else URIRef(NAMES + "unrelated")
            yield (o, link, s) if inverse else (s, link, o)
        case _:
            yield s, path, o


def _term(term: TermOrVariable, assignment: Assignment) -> Term:
    if isinstance(term, (Variable, BNode)):
        return assignment[term]
    return term
