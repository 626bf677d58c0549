"""All SPAseq queries with so many operators over an alphabet, one of each isomorphism class.

Names are given in the order in which they are first met (GPMs A, B, …, streams S1, S2, variables
?x, ?y, …), which makes every class appear exactly once: a query that only differs by names would be
given the same ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from string import ascii_uppercase

from rdflib.term import URIRef, Variable

from .....semantics.rdf.syntax.tree import (
    Comparison,
    Element,
    Filter,
    GroupGraphPattern,
    TermOrVariable,
    TriplePattern,
    TriplesBlock,
)
from .....semantics.spaseq.syntax.tree import (
    Definition,
    SequenceExpression,
    SpaseqQuery,
    StreamClause,
)
from ...enumerated_graphs import EXAMPLE, PROLOGUE
from ...enumeration import restricted_growth
from ..alphabets import Alphabet
from .expressions import gpm_count, sequence_expressions
from .windows import WindowChoice

PREDICATE = URIRef(f"{EXAMPLE}p")
OBJECT = URIRef(f"{EXAMPLE}o")

_VARIABLES = ("x", "y", "z", "w", "u", "t", "s", "r", "q", "p", "n", "m")


@dataclass(frozen=True, slots=True)
class EnumeratedQuery:
    """A query with what its streams need to know: how many it names, and what it can see."""

    query: SpaseqQuery
    operators: int
    named_streams: int
    ordered: bool
    """Whether the query compares values by `<`, so that renaming must keep their order."""


@dataclass(frozen=True, slots=True)
class _Bodies:
    """The GPMs' bodies as numbers: a block of equal variables for each slot, and the filters."""

    blocks: tuple[int, ...]
    filters: tuple[tuple[int, int, int], ...]
    """(GPM, its variable, an earlier variable)"""


@cache
def stream_iri(number: int) -> URIRef:
    """The IRI of a stream; streams count from 0."""
    return URIRef(f"{EXAMPLE}u{number + 1}")


def enumerated_queries(
    operators: int, alphabet: Alphabet, window: WindowChoice
) -> Iterator[EnumeratedQuery]:
    """Every query with exactly so many operators, up to renaming, in a fixed order."""
    for expression in sequence_expressions(operators):
        gpms = gpm_count(expression)
        for streams in restricted_growth(gpms, alphabet.streams):
            for bodies in _bodies(gpms, alphabet):
                yield EnumeratedQuery(
                    _query(expression, streams, bodies, alphabet, window),
                    operators,
                    named_streams=max(streams) + 1,
                    ordered=alphabet.ordered and bool(bodies.filters),
                )


def _bodies(gpms: int, alphabet: Alphabet) -> Iterator[_Bodies]:
    slots = 2 if alphabet.edges else 1
    for blocks in restricted_growth(gpms * slots, gpms * slots):
        choices = [
            (gpm, own, earlier)
            for gpm in range(gpms)
            for own in _compared(blocks, gpm, slots, alphabet)
            for earlier in _compared_before(blocks, gpm, slots, alphabet)
        ]
        for filters in _subsets(choices, alphabet.filters):
            yield _Bodies(blocks, filters)


def _compared(blocks: Sequence[int], gpm: int, slots: int, alphabet: Alphabet) -> list[int]:
    """The variables that the GPM introduces and that filters compare."""
    if alphabet.values:
        return [gpm]
    own = blocks[gpm * slots:(gpm + 1) * slots]
    return sorted(set(own) - set(blocks[: gpm * slots]))


def _compared_before(blocks: Sequence[int], gpm: int, slots: int, alphabet: Alphabet) -> list[int]:
    return list(range(gpm)) if alphabet.values else sorted(set(blocks[: gpm * slots]))


def _subsets(
    choices: Sequence[tuple[int, int, int]], most: int
) -> Iterator[tuple[tuple[int, int, int], ...]]:
    yield ()
    if most > 0:
        for k, first in enumerate(choices):
            for rest in _subsets(choices[k + 1:], most - 1):
                yield (first, *rest)


def _query(
    expression: SequenceExpression,
    streams: Sequence[int],
    bodies: _Bodies,
    alphabet: Alphabet,
    window: WindowChoice,
) -> SpaseqQuery:
    return SpaseqQuery(
        select=None,
        within=window.within,
        slide=window.slide,
        streams=tuple(StreamClause(f"S{k + 1}", stream_iri(k)) for k in range(max(streams) + 1)),
        sequence=expression,
        definitions=tuple(
            Definition(ascii_uppercase[gpm], f"S{stream + 1}", _body(gpm, bodies, alphabet))
            for gpm, stream in enumerate(streams)
        ),
        prologue=PROLOGUE,
    )


def _body(gpm: int, bodies: _Bodies, alphabet: Alphabet) -> GroupGraphPattern:
    target: TermOrVariable
    if alphabet.edges:
        subject, target = (_variable(block) for block in bodies.blocks[2 * gpm:2 * gpm + 2])
    else:
        subject = _variable(bodies.blocks[gpm])
        target = _value(gpm) if alphabet.values else OBJECT
    compared = _value if alphabet.values else _variable
    elements: list[Element] = [TriplesBlock((TriplePattern(subject, PREDICATE, target),))]
    elements += (
        Filter(Comparison(alphabet.comparison, compared(own), compared(earlier)))
        for filtered, own, earlier in bodies.filters
        if filtered == gpm
    )
    return GroupGraphPattern(tuple(elements))


def _variable(block: int) -> Variable:
    return Variable(_VARIABLES[block] if block < len(_VARIABLES) else f"x{block}")


def _value(gpm: int) -> Variable:
    return Variable(f"v{gpm + 1}")
