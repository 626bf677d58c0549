"""Answers as they are compared, by comparison level, and the terms in them.

`pair`    what SPAseq's definitions return: (τ, Ω), per window; a set
`bag`     rows with multiplicity: one (τ, μ) for each mapping of each pair
`row`     rows: each is there, none more often than the definitions have it at level `bag`
`positions`, `solutions`   what CEQL, and RSEP-QL, CQELS-CEP and EP-SPARQL return
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from rdflib.term import BNode, Variable

from ...semantics.model.mappings import SolutionMapping, Solutions, Value
from ...semantics.model.terms import literal

Level: TypeAlias = Literal["pair", "bag", "row", "positions", "solutions"]

LEVELS: tuple[Level, ...] = get_args(Level)

Content: TypeAlias = Solutions | SolutionMapping | Hashable


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer as it is compared: at level `pair` one of (τ, Ω), at `row` one of (τ, μ).

    `time` and `content` are always compared, the entries of `open` (SPAseq: window and rank)
    where neither side has None.
    """

    time: Hashable
    content: Content
    open: tuple[Hashable | None, ...] = ()

    def agrees(self, other: Answer) -> bool:
        """Return True if the open fields that both give agree (time and content: see elsewhere)."""
        return all(
            mine is None or theirs is None or mine == theirs
            for mine, theirs in zip(self.open, other.open, strict=True)
        )


BOOLEAN = Variable("boolean")


def truth(answer: bool) -> SolutionMapping:
    """Return an answer of ASK as a row of a table."""
    return SolutionMapping(
        {BOOLEAN: literal(str(answer).lower(), "http://www.w3.org/2001/XMLSchema#boolean")}
    )


def mappings(answer: Answer) -> Iterable[SolutionMapping]:
    """Return the solution mappings that an answer carries; none at level `positions`, of ASK one
    that binds ?boolean."""
    if isinstance(answer.content, bool):
        return (truth(answer.content),)
    if isinstance(answer.content, SolutionMapping):
        return (answer.content,)
    if isinstance(answer.content, frozenset):
        return answer.content
    return ()


def terms(value: Value) -> tuple[object, ...]:
    """Return the terms of a value: one, or those of a collected tuple."""
    return value if isinstance(value, tuple) else (value,)


def blank_nodes(answer: Answer) -> set[BNode]:
    """Return the blank nodes of an answer."""
    return {
        term
        for mu in mappings(answer)
        for value in mu.values()
        for term in terms(value)
        if isinstance(term, BNode)
    }


def rename(answer: Answer, renaming: Mapping[BNode, BNode]) -> Answer:
    """Return the answer with its blank nodes renamed."""
    content = answer.content
    if isinstance(content, SolutionMapping):
        content = _rename_mapping(content, renaming)
    elif isinstance(content, frozenset):
        content = frozenset(_rename_mapping(mu, renaming) for mu in content)
    else:
        return answer
    return Answer(answer.time, content, answer.open)


def _rename_mapping(mu: SolutionMapping, renaming: Mapping[BNode, BNode]) -> SolutionMapping:
    return SolutionMapping({v: _rename_value(value, renaming) for v, value in mu.items()})


def _rename_value(value: Value, renaming: Mapping[BNode, BNode]) -> Value:
    if isinstance(value, tuple):
        return tuple(renaming.get(t, t) if isinstance(t, BNode) else t for t in value)
    return renaming.get(value, value) if isinstance(value, BNode) else value
