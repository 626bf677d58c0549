"""Queries that are legal but surely not meant: what can be said before any event arrives."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import zip_longest
from typing import NamedTuple

from rdflib.term import URIRef, Variable

from ...model.errors import Position, QueryWarning
from ...model.trees import find
from ...rdf.syntax.scoping import not_among
from ...rdf.syntax.tree import Filter, NamedGraphPattern
from ...rdf.syntax.variables import possible_variables, unbound_conditions
from .readings import Readings
from .scoping import atoms, needed_variables, split, variables
from .tree import (
    Atom,
    Conjunction,
    Disjunction,
    KleenePlus,
    Negation,
    OptionalEvent,
    Reference,
    SpaseqQuery,
)


def check_query(
    query: SpaseqQuery,
    stream_iris: Collection[URIRef] | None = None,
    graph_iris: Collection[URIRef] | None = None,
    readings: Readings | None = None,
) -> list[QueryWarning]:
    """Return the warnings about a query.

    `stream_iris` and `graph_iris` are the streams and background graphs that there are; None means
    that this is not known. The codes:

    * `unbound-condition`: a FILTER of a GPM needs a variable that nothing before it binds, so it is
      never true; at the head of the sequence nothing is before it; likewise a FILTER in OPTIONAL,
      say, of a variable that no GPM binds;
    * `unbound-select`: SELECT of a variable that no GPM of the sequence binds;
    * `unknown-stream`, `unknown-graph`: a name that is not among those that there are;
    * `unused-gpm`, `unused-stream`: a GPM that SEQ does not name, a stream that no GPM is on;
    * `collected-join`: under `kleene=collect`, a variable that is a list after a Kleene plus and
      must equal a single value later on;
    * `collected-condition`: likewise, in a FILTER.
    """
    warnings = [
        *not_among("unknown-stream", stream_iris, (
            (each.iri, f"no input for stream <{each.iri}> ({each.name}): it is treated as empty",
             each.position)
            for each in query.streams
        )),
        *not_among("unknown-graph", graph_iris, (
            (each.name, f"there is no background graph <{each.name}>: it is taken as empty",
             each.position)
            for each in find(query.definitions, NamedGraphPattern) if isinstance(each.name, URIRef)
        )),
        *not_among("unused-gpm", [each.name for each in find(query.sequence, Reference)], (
            (each.name, f"GPM {each.name} is defined, but SEQ does not name it", each.position)
            for each in query.definitions
        )),
        *not_among("unused-stream", [each.stream for each in query.definitions], (
            (each.name, f"no GPM is on stream {each.name}: its events count for ',' and Kleene plus"
             " only", each.position)
            for each in query.streams
        )),
        *_unbound_select(query),
        *_Sequence(query, readings or Readings()).warnings(),
        *unbound_conditions(query.definitions, but=[
            each for gpm in query.definitions for each in gpm.pattern.elements
        ]),
    ]
    return sorted(warnings, key=lambda warning: warning.position)


def _unbound_select(query: SpaseqQuery) -> Iterator[QueryWarning]:
    bindable = _bindable(query)
    bound = frozenset().union(*(variables(atom, bindable) for atom in atoms(query.sequence)))
    for variable, position in zip_longest(query.select or (), query.select_positions):
        if variable not in bound:
            yield QueryWarning(
                "unbound-select",
                f"SELECT ?{variable}, which no GPM of the sequence binds",
                position or Position(),
            )


def _bindable(query: SpaseqQuery) -> dict[str, frozenset[Variable]]:
    return {each.name: possible_variables(each.pattern) for each in query.definitions}


class _Pending(NamedTuple):
    """A deferred condition, the GPM it comes from, and what its own branch of Ψ may bind."""

    condition: Filter
    gpm: str
    bound: frozenset[Variable]

    @property
    def needed(self) -> frozenset[Variable]:
        return needed_variables(self.condition.condition)

    def missing(self, past: frozenset[Variable]) -> list[Variable]:
        return sorted(self.needed - self.bound - past)


class _Sequence:
    """Walks a sequence from left to right as its evaluation does, with variables for mappings."""

    def __init__(self, query: SpaseqQuery, readings: Readings) -> None:
        self._atoms = atoms(query.sequence)
        self._readings = readings
        self._bindable = _bindable(query)
        self._deferred = {each.name: split(each.pattern).deferred for each in query.definitions}

    def warnings(self) -> Iterator[QueryWarning]:
        past: frozenset[Variable] = frozenset()
        collected: frozenset[Variable] = frozenset()
        for index, atom in enumerate(self._atoms):
            place = "nothing before it does" if index else "at the head of SEQ nothing is before it"
            for pending in self._pending(atom):
                if missing := pending.missing(past):
                    yield _never_true(pending, missing, place)
                elif lists := sorted(pending.needed & collected):
                    yield _compared_lists(pending, lists)
            yield from self._negated(atom, past | self._next_positive(index))
            bound = variables(atom, self._bindable)
            if lists := sorted(bound & collected):
                yield _joined_lists(lists, atom)
            if isinstance(atom, KleenePlus) and self._readings.kleene == "collect":
                collected |= bound - past
            past |= bound

    def _pending(self, psi: Atom) -> list[_Pending]:
        """Return the conditions that a pair of Ψ owes to the sequence."""
        match psi:
            case Reference(name) | OptionalEvent(Reference(name)):
                own = self._bindable[name]
                return [_Pending(each, name, own) for each in self._deferred[name]]
            case Conjunction(operands):
                joined = variables(psi, self._bindable)
                owed = [
                    each._replace(bound=joined)
                    for operand in operands
                    for each in self._pending(operand)
                ]
                return [each for each in owed if each.missing(frozenset())]
            case Disjunction(operands):
                return [each for operand in operands for each in self._pending(operand)]
            case KleenePlus(operand):
                return self._pending(operand)
            case Negation():
                return []

    def _negated(self, psi: Atom, around: frozenset[Variable]) -> Iterator[QueryWarning]:
        """Yield a negated GPM's pending conditions: on its event or, as an absence, neighbours."""
        match psi:
            case Negation(Reference(name)) | OptionalEvent(Reference(name)):
                place = "nor do its neighbours"
                if self._readings.negation == "event":
                    around, place = frozenset(), "and a negation sees no other event"
                for condition in self._deferred[name]:
                    pending = _Pending(condition, name, self._bindable[name])
                    if missing := pending.missing(around):
                        yield _never_true(pending, missing, place)
            case Conjunction(operands) | Disjunction(operands):
                for operand in operands:
                    yield from self._negated(operand, around)
            case _:
                pass

    def _next_positive(self, index: int) -> frozenset[Variable]:
        for atom in self._atoms[index + 1 :]:
            if not isinstance(atom, Negation | OptionalEvent):
                return variables(atom, self._bindable)
        return frozenset()


def _never_true(pending: _Pending, missing: list[Variable], place: str) -> QueryWarning:
    names = ", ".join(f"?{variable}" for variable in missing)
    gpm = pending.gpm
    return QueryWarning(
        "unbound-condition",
        f"a FILTER of GPM {gpm} is never true: {gpm} does not bind {names}, {place}",
        pending.condition.position,
    )


def _compared_lists(pending: _Pending, lists: list[Variable]) -> QueryWarning:
    names = ", ".join(f"?{variable}" for variable in lists)
    return QueryWarning(
        "collected-condition",
        f"a FILTER of GPM {pending.gpm} looks at {names}, a list (kleene=collect): a type error",
        pending.condition.position,
    )


def _joined_lists(lists: list[Variable], atom: Atom) -> QueryWarning:
    names = ", ".join(f"?{variable}" for variable in lists)
    reference = next(find(atom, Reference))
    return QueryWarning(
        "collected-join",
        f"after a Kleene plus (kleene=collect) {names} is a list, which {reference.name} can never"
        " agree with",
        reference.position,
    )
