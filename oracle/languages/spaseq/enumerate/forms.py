"""The queries over an alphabet of forms: the body of each GPM by its form and its variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple, TypeAlias

from rdflib.term import Variable

from .....semantics.model.trees import changed
from .....semantics.rdf.syntax.tree import GroupGraphPattern
from .....semantics.spaseq.syntax.parse import parse
from .....semantics.spaseq.syntax.tree import SpaseqQuery
from ....ranks.families import Weight
from ....ranks.walks import Walks
from ...enumerated_graphs import EXAMPLE
from ..alphabets.forms import Form, FormAlphabet
from .queries import variable
from .streams import Symmetry

Body: TypeAlias = tuple[Form, tuple[int, ...]]
"""A form, and the number that each of its variables has in the query."""

_FORM = f"PREFIX : <{EXAMPLE}> " + (
    "SELECT * WITHIN 1 FROM STREAM S <urn:s> WHERE { SEQ(A) DEFINE GPM A ON S { %s } }"
)
_NAMES = tuple(map(Variable, "xyz"))


class FormedBodies(NamedTuple):
    """Those of a query's GPMs, and the number of the variable that it selects, None for all."""

    bodies: tuple[Body, ...]
    select: int | None


class _State(NamedTuple):
    """How many variables there are so far, how many bodies that are not plain, and whether the
    order of values is seen."""

    known: int = 0
    others: int = 0
    ordered: bool = False


@dataclass(frozen=True)
class FormNamings:
    """The bodies of so many GPMs, and what is selected of their variables."""

    gpms: int
    alphabet: FormAlphabet

    def total(self, weight: Weight[Symmetry]) -> int:
        """The weight of all."""
        return self._walks.total(weight)

    def at(self, rank: int, weight: Weight[Symmetry]) -> tuple[FormedBodies, Symmetry, int]:
        """The bodies that hold this rank, what streams need to know, and the rank in them."""
        steps, about, rest = self._walks.at(rank, weight)
        return FormedBodies(steps[: self.gpms], steps[self.gpms]), about, rest

    @cached_property
    def _walks(self) -> Walks[Any, _State, Symmetry]:
        return _walks(self.gpms, self.alphabet)


@cache
def _walks(gpms: int, alphabet: FormAlphabet) -> Walks[Any, _State, Symmetry]:
    most = alphabet.most[min(gpms, len(alphabet.most)) - 1]

    @cache
    def steps(place: int, state: _State) -> list[tuple[Any, _State]]:
        if place < gpms:
            return [*_bodies(alphabet, state, most)]
        alone = alphabet.selects and state.known > 1 and not state.others
        one = range(state.known) if alone else ()
        return [(selected, state) for selected in (None, *one)]

    return Walks(
        gpms + 1, _State(), steps, lambda state: Symmetry(alphabet.streams, state.ordered)
    )


def _bodies(alphabet: FormAlphabet, state: _State, most: int) -> Iterator[tuple[Body, _State]]:
    """What the next body may be, and what is known after it."""
    for form in (alphabet.plain, *alphabet.others):
        others = state.others + (form is not alphabet.plain)
        if others <= most:
            for named, known in _named(form.variables, state.known):
                if not (form.apart and named[-1] in named[:-1]):
                    yield (form, named), _State(known, others, state.ordered or form.ordered)


def _named(variables: int, known: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Every way to name so many variables, each known or the next new one; how many are then known.
    """
    if not variables:
        yield (), known
        return
    for front, so_far in _named(variables - 1, known):
        for number in range(so_far + 1):
            yield (*front, number), max(so_far, number + 1)


def patterns(bodies: Sequence[Body]) -> list[GroupGraphPattern]:
    """The graph patterns of these bodies."""
    return [_pattern(form, named) for form, named in bodies]


@cache
def _pattern(form: Form, named: tuple[int, ...]) -> GroupGraphPattern:
    variables = dict(zip(_NAMES, map(variable, named), strict=False))
    query: SpaseqQuery = parse(_FORM % form.text)
    pattern: GroupGraphPattern = changed(
        query.definitions[0].pattern,
        lambda part: variables.get(part, part) if isinstance(part, Variable) else part,
    )
    return pattern
