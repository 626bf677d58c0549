"""Events that two queries can tell apart: instances of their graph patterns over few terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, product

from rdflib.term import BNode, Literal, URIRef, Variable

from ...semantics.errors import Impossible
from ...semantics.rdf.syntax import (
    AlternativePath,
    Arithmetic,
    AxisPath,
    Bind,
    Comparison,
    Element,
    Expression,
    Filter,
    GroupGraphPattern,
    InlineData,
    InversePath,
    MinusPattern,
    NamedGraphPattern,
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
from ...semantics.rdf.terms import Graph, Term, literal
from ...semantics.rdf.variables import subexpressions
from ...semantics.spaseq.syntax import SpaseqQuery

_XSD_INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
_NAMES = "http://example.org/"
_MOST_INSTANCES = 8  # of one pattern
_IRRELEVANT: Graph = frozenset(
    {(URIRef(_NAMES + "x"), URIRef(_NAMES + "unrelated"), URIRef(_NAMES + "x"))}
)
UNNAMED = URIRef(_NAMES + "another-stream")
"""A stream that neither query names."""

Triples = tuple[TriplePattern, ...]
Assignment = Mapping[Variable | BNode, Term]


def alphabet(a: SpaseqQuery, b: SpaseqQuery) -> list[tuple[URIRef, Graph]]:
    """(stream, graph), the plainest first; the last ones match nothing."""
    numbers = _numbers((a, b))
    found: dict[tuple[URIRef, Graph], None] = {}
    for query in (a, b):
        for definition in query.definitions:
            stream = query.stream_iri(definition.stream)
            for graph in _instances(definition.pattern, numbers, background=False):
                found[stream, graph] = None
    streams = dict.fromkeys(clause.iri for query in (a, b) for clause in query.streams)
    for stream in (*streams, UNNAMED):
        found[stream, _IRRELEVANT] = None
    return list(found)


def backgrounds(a: SpaseqQuery, b: SpaseqQuery) -> list[dict[URIRef, Graph]]:
    """Background graphs: none, and one in which all that the queries ask of it can be found."""
    numbers = _numbers((a, b))
    whole: dict[URIRef, Graph] = {}
    for query in (a, b):
        for definition in query.definitions:
            for name, pattern in _named(definition.pattern):
                iri = name if isinstance(name, URIRef) else URIRef(_NAMES + "graph")
                for graph in _instances(pattern, numbers, background=True):
                    whole[iri] = whole.get(iri, frozenset()) | graph
    return [whole, {}] if whole else [{}]


def _instances(
    pattern: GroupGraphPattern, numbers: Numbers, *, background: bool
) -> Iterator[Graph]:
    alternatives = dict.fromkeys(_alternatives(pattern, background=background))
    graphs: dict[Graph, None] = {}
    for triples in alternatives:
        for assignment in islice(_assignments(triples, numbers), _MOST_INSTANCES):
            graphs[_graph(triples, assignment)] = None
    yield from (graph for graph in graphs if graph)


# --- which triples a pattern may ask for ---------------------------------------------------------


def _alternatives(pattern: GroupGraphPattern, *, background: bool) -> Iterator[Triples]:
    parts = [list(_of_element(each, background=background)) for each in pattern.elements]
    for chosen in islice(product(*parts), _MOST_INSTANCES):
        yield tuple(triple for triples in chosen for triple in triples)


def _of_element(element: Element, *, background: bool) -> Iterator[Triples]:
    match element:
        case TriplesBlock(triples):
            yield triples
        case OptionalPattern(inner) | MinusPattern(inner):
            yield from _alternatives(inner, background=background)
            yield ()
        case UnionPattern(alternatives):
            for alternative in alternatives:
                yield from _alternatives(alternative, background=background)
        case SubSelect(query):
            yield from _alternatives(query.where, background=background)
        case _:  # filters and the like ask for no triples; GRAPH asks another graph for them
            yield ()


def _named(
    pattern: GroupGraphPattern,
) -> Iterator[tuple[URIRef | Variable, GroupGraphPattern]]:
    for element in pattern.elements:
        match element:
            case NamedGraphPattern(name, inner):
                yield name, inner
            case OptionalPattern(inner) | MinusPattern(inner):
                yield from _named(inner)
            case UnionPattern(alternatives):
                for alternative in alternatives:
                    yield from _named(alternative)
            case _:
                pass


# --- which terms its variables may take ----------------------------------------------------------

Numbers = dict[Variable, list[Term]]


def _numbers(queries: Iterable[SpaseqQuery]) -> Numbers:
    """The numbers that variables may take: those about the constants they are compared with."""
    variables: dict[Variable, None] = {}
    constants: set[int] = {1, 2}
    for query in queries:
        for definition in query.definitions:
            for expression in _expressions(definition.pattern):
                for part in subexpressions(expression):
                    if isinstance(part, (Comparison, Arithmetic)):
                        inside = list(subexpressions(part))
                        variables.update(
                            (v, None) for v in inside if isinstance(v, Variable)
                        )
                        constants |= set(_about(inside))
    domain: list[Term] = [literal(str(n), _XSD_INTEGER) for n in sorted(constants)]
    return dict.fromkeys(variables, domain)


def _about(expressions: Iterable[Expression]) -> Iterator[int]:
    for expression in expressions:
        if isinstance(expression, Literal):
            try:
                value = int(float(str(expression)))
            except (ValueError, OverflowError):
                continue
            yield from (value - 1, value, value + 1)


def _expressions(pattern: GroupGraphPattern) -> Iterator[Expression]:
    for element in pattern.elements:
        match element:
            case Filter(condition):
                yield condition
            case Bind(expression):
                yield expression
            case OptionalPattern(inner) | MinusPattern(inner) | NamedGraphPattern(_, inner):
                yield from _expressions(inner)
            case UnionPattern(alternatives):
                for alternative in alternatives:
                    yield from _expressions(alternative)
            case InlineData() | TriplesBlock() | SubSelect():
                pass


def _assignments(triples: Triples, numbers: Numbers) -> Iterator[Assignment]:
    """The plainest first: those with the fewest different terms."""
    subjects = {triple.subject for triple in triples}
    variables = list(dict.fromkeys(
        term for triple in triples for term in (triple.subject, triple.predicate, triple.object)
        if isinstance(term, (Variable, BNode))
    ))
    resources: list[Term] = [URIRef(_NAMES + "a"), URIRef(_NAMES + "b")]
    domains = [
        numbers[v] if isinstance(v, Variable) and v in numbers and v not in subjects else resources
        for v in variables
    ]
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
    """Triples over which a path leads from s to o."""
    match path:
        case InversePath(inner):
            yield from _path(o, inner, s)
        case SequencePath(steps):
            stops: list[Term] = [
                s, *(URIRef(f"{_NAMES}m{n}") for n in range(1, len(steps))), o
            ]
            for begin, step, end in zip(stops, steps, stops[1:], strict=False):
                yield from _path(begin, step, end)
        case AlternativePath(alternatives):
            yield from _path(s, alternatives[0], o)
        case ZeroOrMorePath(inner) | OneOrMorePath(inner) | ZeroOrOnePath(inner):
            yield from _path(s, inner, o)
        case NegatedPropertySet():
            yield s, URIRef(_NAMES + "unrelated"), o
        case NestedPath() | NodeTest() | AxisPath():
            raise Impossible("nested regular expressions are CQELS-CEP's alone")
        case _:
            yield s, path, o


def _term(term: TermOrVariable, assignment: Assignment) -> Term:
    if isinstance(term, (Variable, BNode)):
        return assignment[term]
    return term
