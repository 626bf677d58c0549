"""All SPAseq queries with so many operators over an alphabet, one of each isomorphism class.

Names are given in the order in which they are first met (GPMs A, B, …, streams S1, S2, variables
?x, ?y, …), which makes every class appear exactly once: a query that only differs by names would be
given the same ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from math import comb
from string import ascii_uppercase

import numpy
from numpy.typing import NDArray
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
from ....ranks.families import Weight, word_at, words_total
from ...enumerated_graphs import EXAMPLE, PROLOGUE
from ..alphabets.single_triples import Alphabet
from .streams import Symmetry
from .windows import WindowChoice

PREDICATE = URIRef(f"{EXAMPLE}p")
OBJECT = URIRef(f"{EXAMPLE}o")

_VARIABLES = ("x", "y", "z", "w", "u", "t", "s", "r", "q", "p", "n", "m")


@dataclass(frozen=True, slots=True)
class Bodies:
    """The GPMs' bodies as numbers: a block of equal variables for each slot, and the filters."""

    blocks: tuple[int, ...]
    filters: tuple[tuple[int, int, int], ...]
    """(GPM, its variable, an earlier variable)"""


@cache
def stream_iri(number: int) -> URIRef:
    """The IRI of a stream; streams count from 0."""
    return URIRef(f"{EXAMPLE}u{number + 1}")


@dataclass(frozen=True)
class GpmNamings:
    """The streams and the bodies of so many GPMs, by weights of what their streams need to know."""

    gpms: int
    alphabet: Alphabet

    def total(self, weight: Weight[Symmetry]) -> int:
        """The weight of all."""
        return words_total(self.gpms, self.alphabet.streams, self._weights(weight))

    def at(
        self, rank: int, weight: Weight[Symmetry]
    ) -> tuple[tuple[tuple[int, ...], Bodies], Symmetry, int]:
        """Streams and bodies that hold this rank, what streams need to know, the rank in them."""
        streams, rest = word_at(self.gpms, self.alphabet.streams, self._weights(weight), rank)
        plain, filtered = self._about(max(streams) + 1)
        bodies, rest = self._bodies(rest, weight(plain), weight(filtered))
        return (streams, bodies), filtered if bodies.filters else plain, rest

    def _weights(self, weight: Weight[Symmetry]) -> tuple[int, ...]:
        counts = _filter_counts(self.gpms, self.alphabet)
        weights = [0]
        for named in range(1, self.alphabet.streams + 1):
            plain, filtered = map(weight, self._about(named))
            weights.append((len(counts) - 1) * plain + int(counts[-1]) * filtered)
        return tuple(weights)

    def _about(self, named: int) -> tuple[Symmetry, Symmetry]:
        """What is known of streams where there is no filter, and where there are some."""
        return Symmetry(named, False), Symmetry(named, self.alphabet.ordered)

    def _bodies(self, rank: int, plain: int, filtered: int) -> tuple[Bodies, int]:
        counts = _filter_counts(self.gpms, self.alphabet)
        starts = numpy.arange(len(counts)) * plain + counts * filtered
        number = int(numpy.searchsorted(starts, rank, side="right")) - 1
        rest = rank - int(starts[number])
        slots = self.gpms * self.alphabet.slots
        blocks, _ = word_at(slots, slots, (1,) * (slots + 1), number)
        if rest < plain:
            return Bodies(blocks, ()), rest
        chosen, rest = divmod(rest - plain, filtered)
        subsets = _subsets(_choices(blocks, self.gpms, self.alphabet), self.alphabet.filters)
        return Bodies(blocks, next(islice(subsets, chosen + 1, None))), rest


@cache
def _filter_counts(gpms: int, alphabet: Alphabet) -> NDArray[numpy.int64]:
    """In how many ways the bodies before those of each word of blocks have filters; and all."""
    slots = gpms * alphabet.slots
    return numpy.cumsum([0, *(
        sum(
            comb(len(_choices(blocks, gpms, alphabet)), filters)
            for filters in range(1, alphabet.filters + 1)
        )
        for blocks in restricted_growth(slots, slots)
    )])


def _choices(
    blocks: Sequence[int], gpms: int, alphabet: Alphabet
) -> list[tuple[int, int, int]]:
    return [
        (gpm, own, earlier)
        for gpm in range(gpms)
        for own in _compared(blocks, gpm, alphabet)
        for earlier in _compared_before(blocks, gpm, alphabet)
    ]


def _compared(blocks: Sequence[int], gpm: int, alphabet: Alphabet) -> list[int]:
    """The variables that the GPM introduces and that filters compare."""
    if alphabet.values:
        return [gpm]
    slots = alphabet.slots
    own = blocks[gpm * slots:(gpm + 1) * slots]
    return sorted(set(own) - set(blocks[: gpm * slots]))


def _compared_before(blocks: Sequence[int], gpm: int, alphabet: Alphabet) -> list[int]:
    return list(range(gpm)) if alphabet.values else sorted(set(blocks[: gpm * alphabet.slots]))


def _subsets(
    choices: Sequence[tuple[int, int, int]], most: int
) -> Iterator[tuple[tuple[int, int, int], ...]]:
    yield ()
    if most > 0:
        for k, first in enumerate(choices):
            for rest in _subsets(choices[k + 1:], most - 1):
                yield (first, *rest)


def query_of(
    expression: SequenceExpression,
    streams: Sequence[int],
    bodies: Sequence[GroupGraphPattern],
    window: WindowChoice,
    select: Variable | None = None,
) -> SpaseqQuery:
    """The query of an expression, with a stream and a body for each GPM."""
    return SpaseqQuery(
        select=None if select is None else (select,),
        within=window.within,
        slide=window.slide,
        streams=tuple(StreamClause(f"S{k + 1}", stream_iri(k)) for k in range(max(streams) + 1)),
        sequence=expression,
        definitions=tuple(
            Definition(ascii_uppercase[gpm], f"S{stream + 1}", body)
            for gpm, (stream, body) in enumerate(zip(streams, bodies, strict=True))
        ),
        prologue=PROLOGUE,
    )


def body_of(gpm: int, bodies: Bodies, alphabet: Alphabet) -> GroupGraphPattern:
    """The graph pattern of a GPM."""
    target: TermOrVariable
    if alphabet.edges:
        subject, target = (variable(block) for block in bodies.blocks[2 * gpm:2 * gpm + 2])
    else:
        subject = variable(bodies.blocks[gpm])
        target = _value(gpm) if alphabet.values else OBJECT
    compared = _value if alphabet.values else variable
    elements: list[Element] = [TriplesBlock((TriplePattern(subject, PREDICATE, target),))]
    elements += (
        Filter(Comparison(alphabet.comparison, compared(own), compared(earlier)))
        for filtered, own, earlier in bodies.filters
        if filtered == gpm
    )
    return GroupGraphPattern(tuple(elements))


def variable(block: int) -> Variable:
    """The variable of this number."""
    return Variable(_VARIABLES[block] if block < len(_VARIABLES) else f"x{block}")


def _value(gpm: int) -> Variable:
    return Variable(f"v{gpm + 1}")


def restricted_growth(length: int, most: int) -> Iterator[tuple[int, ...]]:
    """Every way to name `length` things by at most `most` names, new names in their order.

    >>> list(restricted_growth(2, 2)), len(list(restricted_growth(4, 4)))
    ([(0, 0), (0, 1)], 15)
    """
    if length == 0:
        yield ()
        return
    for front in restricted_growth(length - 1, most):
        for name in range(min(max(front, default=-1) + 2, most)):
            yield (*front, name)
