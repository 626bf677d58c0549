"""Smaller questions on which two evaluators still disagree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, get_args

from rdflib.term import URIRef

from ....semantics.model.errors import DenotaError
from ....semantics.model.terms import Dataset
from ....semantics.rdf.syntax import tree as s
from ....semantics.rdf.syntax.variables import operands
from .questions import Question, pattern_of

Fails = Callable[[Question], bool]

_EXPRESSIONS = get_args(s.Expression)
_PATHS = (
    s.InversePath, s.SequencePath, s.AlternativePath, s.ZeroOrMorePath, s.OneOrMorePath,
    s.ZeroOrOnePath, s.NegatedPropertySet,
)


def shrink(question: Question, fails: Fails, attempts: int = 2_000) -> Question:
    """A question that still fails and of which no part can be taken away, within the attempts."""
    while True:
        for smaller in _smaller(question):
            if attempts <= 0:
                return question
            if smaller.size() >= question.size():
                continue
            attempts -= 1
            if _well_formed(smaller) and fails(smaller):
                question = smaller
                break
        else:
            return question


def _well_formed(question: Question) -> bool:
    """What is taken away may leave no SPARQL: a BIND of what is bound, an && of one operand."""
    try:
        return pattern_of(question.text) == question.pattern
    except DenotaError:
        return False


def _smaller(question: Question) -> Iterator[Question]:
    for dataset in _smaller_datasets(question.dataset):
        yield replace(question, dataset=dataset)
    for pattern in _smaller_groups(question.pattern):
        yield replace(question, pattern=pattern)


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


def _smaller_groups(group: s.GroupGraphPattern) -> Iterator[s.GroupGraphPattern]:
    for k, element in enumerate(group.elements):
        before, after = group.elements[:k], group.elements[k + 1 :]
        for inside in _hoisted(element):
            yield _joined((*before, *inside, *after))
        for smaller in _smaller_nodes(element):
            yield _joined((*before, smaller, *after))


def _hoisted(element: s.Element) -> Iterator[tuple[s.Element, ...]]:
    """Nothing, or what the element holds, in its place."""
    yield ()
    match element:
        case s.UnionPattern(alternatives):
            yield from (alternative.elements for alternative in alternatives)
        case s.OptionalPattern(inner) | s.MinusPattern(inner) | s.NamedGraphPattern(_, inner):
            yield inner.elements
        case s.SubSelect(query):
            yield query.where.elements


def _joined(elements: tuple[s.Element, ...]) -> s.GroupGraphPattern:
    """A group whose adjacent triples form one block, and whose sub-select has it to itself."""
    joined: list[s.Element] = []
    for element in elements:
        last = joined[-1] if joined else None
        if isinstance(element, s.TriplesBlock) and isinstance(last, s.TriplesBlock):
            joined[-1] = s.TriplesBlock((*last.triples, *element.triples))
        else:
            joined.append(element)
    return s.GroupGraphPattern(tuple(joined))


def _smaller_nodes(node: Any) -> Iterator[Any]:
    """The tree with one thing in it taken away, or put in the place of what it is in."""
    if isinstance(node, s.GroupGraphPattern):
        yield from _smaller_groups(node)
        return
    if isinstance(node, _EXPRESSIONS) and not isinstance(node, str):
        yield from operands(node)
    if isinstance(node, _PATHS):
        yield from _parts(node)
    if not is_dataclass(node):
        return
    for field in fields(node):
        value = getattr(node, field.name)
        if field.name in ("position", "prologue"):
            continue
        for smaller in _smaller_values(value):
            yield replace(node, **{field.name: smaller})  # type: ignore[type-var]


def _parts(path: Any) -> Iterator[Any]:
    for field in fields(path):
        value = getattr(path, field.name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, (*_PATHS, URIRef)):
                yield part


def _smaller_values(value: Any) -> Iterator[Any]:
    match value:
        case True:
            yield False
        case tuple():
            for k, item in enumerate(value):
                if len(value) > 1:
                    yield (*value[:k], *value[k + 1 :])
                for smaller in _smaller_nodes(item):
                    yield (*value[:k], smaller, *value[k + 1 :])
        case _:
            yield from _smaller_nodes(value)
