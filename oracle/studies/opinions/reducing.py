"""Smaller questions on which two evaluators still disagree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from ....semantics.model.errors import DenotaError
from ....semantics.model.terms import Dataset
from ....semantics.model.trees import changed
from ....semantics.rdf.syntax import tree as s
from ...fuzzing.shrinking.parts import smaller
from .questions import Question, pattern_of

Fails = Callable[[Question], bool]


def shrink(question: Question, fails: Fails, attempts: int = 1_000) -> Question:
    """A question that still fails and of which no part can be taken away, within the attempts."""
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
    """What is taken away may leave no SPARQL: a BIND of what is bound, an && of one operand."""
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
    """A group whose adjacent triples form one block, as it is read."""
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
