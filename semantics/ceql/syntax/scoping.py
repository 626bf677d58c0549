"""The names of a query: variables, event types, streams and their attributes.

A condition or selection of a variable that nothing binds has a meaning (V(X) = ∅), and is surely
not meant; so is one of an attribute that no declared event type has, and a comparison that the
declared types make false for every tuple. CORE refuses the like; so does `parse`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from ...model.errors import Position, nearest
from ...model.trees import changed, find, parts
from .analysis import variables
from .tree import (
    Arithmetic,
    As,
    Attribute,
    AttributeType,
    CeqlQuery,
    Comparison,
    Contiguous,
    ContiguousIteration,
    Disjunction,
    EventDeclaration,
    EventType,
    Filter,
    Formula,
    In,
    Interval,
    Iteration,
    Like,
    Literal,
    Name,
    Negative,
    NotFormula,
    Projection,
    Range,
    StreamDeclaration,
    Term,
    VariableCondition,
    WindowUnit,
)
from .tree import Sequence as Followed


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that cannot be meant, and where the query says it."""

    message: str
    position: Position
    certain: bool = True


Events: TypeAlias = frozenset[EventDeclaration] | None
"""The event types that a variable may hold; None: not declared, it may hold anything."""


def faults(query: CeqlQuery, declarations: Sequence[StreamDeclaration] = ()) -> list[Fault]:
    """Return the errors in the names of a query, in the order of its text.

    `declarations` are those of the streams, besides the query's own, which count before them.
    """
    own = {declaration.name: declaration for declaration in (*declarations, *query.declarations)}
    found = (fault for fault in _Scope(query, own).faults() if fault.certain)
    return sorted(dict.fromkeys(found), key=lambda fault: fault.position)


def doubts(query: CeqlQuery) -> list[Fault]:
    """Return the names that the query's own declarations make doubtful, but not erroneous.

    It speaks of an attribute that another event type has: a tuple may have more attributes than are
    declared.
    """
    own = {declaration.name: declaration for declaration in query.declarations}
    found = (fault for fault in _Scope(query, own).faults() if not fault.certain)
    return sorted(dict.fromkeys(found), key=lambda fault: fault.position)


def with_streams_told(query: CeqlQuery) -> CeqlQuery:
    """Return the query, with R read as S1>R OR S2>R … where S1>R is only used outside φ.

    S1, S2, … are the streams of FROM (without one: those declared). So `A FILTER S1>A[P]` asks for
    P of the tuples that came in S1, and of no other, as it does in CORE.
    """
    asked = {name.name for name in find(query, Name) if name.stream is not None}
    streams = query.streams or tuple(declared.name for declared in query.declarations)
    if not asked or not streams:
        return query

    def with_streams(part: object) -> object:
        match part:
            case EventType(name, None, position) if name in asked:
                told: Formula = EventType(name, streams[0], position)
                for stream in streams[1:]:
                    told = Disjunction(told, EventType(name, stream, position))
                return told
        return part

    return replace(query, formula=changed(query.formula, with_streams, but=NotFormula))


class _Scope:
    """The names that a query may use."""

    def __init__(self, query: CeqlQuery, declared: Mapping[str, StreamDeclaration]) -> None:
        self.query = query
        self.read = query.streams or tuple(declared)
        self.declared = {name: each for name, each in declared.items() if name in self.read}
        self.complete = bool(declared) and set(self.read) <= set(declared)
        self.events = {event.name for each in self.declared.values() for event in each.events}
        self.kinds = tuple(find(query.formula, EventType))
        self.bound = {name for phi in self.kinds for name in variables(phi)} | {
            phi.variable for phi in find(query.formula, As)
        }

    def faults(self) -> Iterator[Fault]:
        yield from self.of_formula(self.query.formula)
        for projection in find(self.query.projected, Projection):
            for variable in projection.variables:
                yield from self.of_name(variable)
        held = self.held(self.query.formula)
        for selected in self.query.select or ():
            name = selected.variable
            for attribute in selected.attributes or ():
                yield from self.of_attribute(attribute, held.get(str(name)), name.position)
        for attribute in (a for names in self.query.partition for a in names):
            yield from self.of_attribute(
                attribute, self.everything(), self.query.partition_position
            )
        yield from self.of_window()

    def of_window(self) -> Iterator[Fault]:
        within = self.query.within
        if within is None or within.unit is not WindowUnit.ATTRIBUTE or within.attribute is None:
            return
        everything = self.everything()
        yield from self.of_attribute(within.attribute, everything, within.position)
        if _Kind.NUMBER not in _kinds_of(within.attribute, everything):
            yield Fault(
                f"a window is measured in numbers, and '{within.attribute}' is"
                f" {_declared_as(within.attribute, everything)}",
                within.position,
            )

    # --- variables, event types, streams ---

    def of_formula(self, phi: Formula) -> Iterator[Fault]:
        for kind in self.kinds:
            yield from self.of_event(kind)
        for part in find(phi, Filter):
            held = self.held(part.formula)
            for asked in find(part.condition, VariableCondition):
                variable = asked.variable
                yield from self.of_name(variable)
                yield from _Predicate(self, variable, held.get(str(variable))).faults(asked)

    def of_event(self, phi: EventType) -> Iterator[Fault]:
        if phi.stream is not None and self.read and phi.stream not in self.read:
            yield Fault(
                f"'{phi.stream}>{phi.name}' is of a stream that the query does not read"
                f" (it reads: {', '.join(self.read)})",
                phi.position,
            )
        elif (events := self.declared_as(phi)) is not None and not events:
            names = sorted(
                event.name for name in self.streams_of(phi) for event in self.declared[name].events
            )
            told, hint = ", ".join(names), nearest(phi.name, names)
            where = "no stream" if phi.stream is None else f"stream '{phi.stream}'"
            what = "an" if phi.stream is None else "no"
            yield Fault(
                f"{where} declares {what} event '{phi.name}'{hint} (declared: {told or 'none'})",
                phi.position,
            )

    def of_name(self, name: Name) -> Iterator[Fault]:
        if str(name) in self.bound:
            return
        if name.stream is None and name.name in self.events:
            return
        known = ", ".join(sorted(self.bound))
        yield Fault(f"nothing binds '{name}' (bound are: {known or 'none'})", name.position)

    def streams_of(self, phi: EventType) -> tuple[str, ...]:
        return self.read if phi.stream is None else (phi.stream,)

    def declared_as(self, phi: EventType) -> Events:
        streams = self.streams_of(phi)
        if not streams or not all(name in self.declared for name in streams):
            return None
        return frozenset(
            event
            for name in streams for event in self.declared[name].events if event.name == phi.name
        )

    def everything(self) -> Events:
        """Return the event types that the query speaks of."""
        if not self.complete:
            return None
        return _together(map(self.declared_as, self.kinds))

    def held(self, phi: Formula) -> dict[str, Events]:
        """Return the event types that each variable may hold after φ."""
        match phi:
            case EventType(name, stream):
                own = self.declared_as(phi)
                return {name: own} if stream is None else {name: own, f"{stream}>{name}": own}
            case As(inner, variable):
                held = self.held(inner)
                everything = _together(held.values())
                return {**held, variable: everything}
            case Filter(inner) | Iteration(inner) | ContiguousIteration(inner):
                return self.held(inner)
            case Projection(inner, chosen):
                held = self.held(inner)
                return {name: held[name] for name in map(str, chosen) if name in held}
            case NotFormula():
                return {}
            case Followed(left, right) | Contiguous(left, right) | Disjunction(left, right):
                one, other = self.held(left), self.held(right)
                return {
                    name: _together(held[name] for held in (one, other) if name in held)
                    for name in {**one, **other}
                }

    def of_attribute(
        self, attribute: str, events: Events, position: Position
    ) -> Iterator[Fault]:
        if not events:
            return
        if any(
            attribute == name
            for declared in self.declared.values() for e in declared.events
            for name, _ in e.attributes
        ):
            if not any(attribute == name for e in events for name, _ in e.attributes):
                owners = " or ".join(sorted(event.name for event in events))
                yield Fault(
                    f"no attribute '{attribute}' is declared for {owners}: it is missing",
                    position, certain=False,
                )
            return
        known = ", ".join(dict.fromkeys(
            name
            for declared in self.declared.values() for e in declared.events
            for name, _ in e.attributes
        ))
        yield Fault(
            f"no event has an attribute '{attribute}' (declared: {known or 'none'})", position
        )


def _together(several: Iterable[Events]) -> Events:
    result: frozenset[EventDeclaration] = frozenset()
    for events in several:
        if events is None:
            return None
        result |= events
    return result


# --- types ----------------------------------------------------------------------------------------


class _Kind(StrEnum):
    NUMBER = "a number"
    STRING = "a string"
    BOOLEAN = "a truth value"


_ANY = frozenset(_Kind)
_KINDS = {
    AttributeType.INT: _Kind.NUMBER, AttributeType.DOUBLE: _Kind.NUMBER,
    AttributeType.PRIMARY_TIME: _Kind.NUMBER, AttributeType.STRING: _Kind.STRING,
    AttributeType.BOOLEAN: _Kind.BOOLEAN,
}


def _types_of(attribute: str, events: Events) -> list[AttributeType]:
    declared = (
        kind for event in events or () for name, kind in event.attributes if name == attribute
    )
    return sorted(set(declared))


def _kinds_of(attribute: str, events: Events) -> frozenset[_Kind]:
    return frozenset(_KINDS[kind] for kind in _types_of(attribute, events)) or _ANY


def _declared_as(attribute: str, events: Events) -> str:
    return "declared " + " or ".join(_types_of(attribute, events))


@dataclass(frozen=True, slots=True)
class _Predicate:
    """A predicate on a variable that may hold tuples of some event types."""

    scope: _Scope
    variable: Name
    events: Events

    def faults(self, asked: VariableCondition) -> Iterator[Fault]:
        for part in parts(asked.predicate):
            match part:
                case Attribute(name, position):
                    yield from self.scope.of_attribute(name, self.events, position)
                case Negative(operand):
                    yield from self.need(operand, _Kind.NUMBER, "- takes a number")
                case Arithmetic(operator, left, right):
                    yield from self.need(left, _Kind.NUMBER, f"{operator} takes a number")
                    yield from self.need(right, _Kind.NUMBER, f"{operator} takes a number")
                case Comparison(operator, left, right):
                    yield from self.mismatch(left, f"compared by {operator} with", right)
                case Like(attribute):
                    yield from self.need(attribute, _Kind.STRING, "LIKE takes a string")
                case In(attribute, values):
                    example = values.low if isinstance(values, Interval) else values[0]
                    kind = _Kind.STRING if isinstance(example, str) else _Kind.NUMBER
                    yield from self.need(attribute, kind, f"IN asks for {kind}")
                case Range(operand, low, high):
                    yield from self.mismatch(operand, "compared with", low)
                    yield from self.mismatch(operand, "compared with", high)
                    yield from self.mismatch(low, "beside", high)

    def need(self, term: Term, kind: _Kind, rule: str) -> Iterator[Fault]:
        if kind not in self.kinds(term):
            yield Fault(f"{rule}, not {self.named(term)}", self.place(term))

    def mismatch(self, left: Term, how: str, right: Term) -> Iterator[Fault]:
        if not self.kinds(left) & self.kinds(right):
            place = self.place(left if _place(left).line else right)
            yield Fault(f"{self.named(left)} is {how} {self.named(right)}", place)

    def kinds(self, term: Term) -> frozenset[_Kind]:
        match term:
            case Attribute(name):
                return _kinds_of(name, self.events)
            case Literal(bool()):
                return frozenset({_Kind.BOOLEAN})
            case Literal(str()):
                return frozenset({_Kind.STRING})
            case _:
                return frozenset({_Kind.NUMBER})

    def named(self, term: Term) -> str:
        if isinstance(term, Attribute):
            types = " or ".join(_types_of(term.name, self.events))
            return f"'{term.name}'" + (f" ({types})" if types else "")
        return " or ".join(sorted(self.kinds(term)))

    def place(self, term: Term) -> Position:
        found = _place(term)
        return found if found.line else self.variable.position


def _place(term: Term) -> Position:
    places = (attribute.position for attribute in find(term, Attribute))
    return next((place for place in places if place.line), Position())
