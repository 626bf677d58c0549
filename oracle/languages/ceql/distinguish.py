"""Streams of tuples that two CEQL queries can tell apart, and the first on which they differ.

Streams hold tuples on which the queries' predicates turn (`alphabet`), and gaps, of time or of
an attribute, that fit and exceed their windows.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product
from math import isfinite, prod
from random import Random

from ....semantics.ceql.core_extensions import Choice, choices
from ....semantics.ceql.predicates import satisfies
from ....semantics.ceql.syntax.results import ComplexEvent
from ....semantics.ceql.syntax.tree import (
    As,
    Attribute,
    CeqlQuery,
    Comparison,
    Contiguous,
    ContiguousIteration,
    Disjunction,
    EventType,
    Filter,
    Formula,
    In,
    Interval,
    Iteration,
    Like,
    Literal,
    NotFormula,
    Predicate,
    Projection,
    Range,
    VariableCondition,
    WindowUnit,
    regular_expression,
)
from ....semantics.ceql.syntax.tree import Sequence as Followed
from ....semantics.model.errors import DenotaError
from ....semantics.model.trees import find
from ....semantics.model.tuples import EventTuple, Value, merged
from ...distinguishing import Side, Witness
from ...distinguishing.alphabet import first_of_each, near_points, near_texts
from ...distinguishing.search import Data

OTHER = "Z"
"""An event type that neither query names."""

Tuple = tuple[str, Mapping[str, Value]]
"""(event type, attributes)"""

_MAX_COMBINATIONS = 4096  # of values; beyond, one attribute varies at a time
_PLAIN: tuple[Value, ...] = (0, 1, 2)  # where no constant is known
_ANY_TYPE: tuple[Value, ...] = (0, 0.5, "", "other", False, True)
_LARGEST = 1 << 63  # integers have 64 bits


def alphabet(a: CeqlQuery, b: CeqlQuery) -> list[Tuple]:
    """Return (event type, attributes), the plainest first; the last ones are of type `OTHER`.

    Of the tuples of one type that all predicates and partitions take alike, one is there.
    """
    keys = {name for query in (a, b) for names in query.partition for name in names}
    windows = (query.within for query in (a, b))
    measured = {each.attribute for each in windows if each is not None and each.attribute}
    predicates = [each.predicate for each in find((a.formula, b.formula), VariableCondition)]
    values = _values(predicates, keys, measured)

    def known(attributes: Mapping[str, Value]) -> Hashable:
        return _truths(attributes, predicates), *map(attributes.get, sorted(keys | measured))

    named = dict.fromkeys(phi.name for phi in find((a.formula, b.formula), EventType))
    assignments = first_of_each(_assignments(values), known)
    of_keys = first_of_each(_assignments({name: values[name] for name in sorted(keys)}), known)
    other = OTHER
    while other in named:
        other += OTHER
    return [
        *((kind, each) for kind in named for each in assignments),
        *((other, each) for each in of_keys),
    ]


def _truths(attributes: Mapping[str, Value], predicates: Iterable[Predicate]) -> tuple[bool, ...]:
    event = EventTuple(OTHER, attributes)
    return tuple(satisfies(event, predicate) for predicate in predicates)


def _assignments(values: Mapping[str, Sequence[Value | None]]) -> Iterator[dict[str, Value]]:
    """Yield all choices of values if they are few, else those in which one attribute varies."""
    if prod(map(len, values.values())) <= _MAX_COMBINATIONS:
        chosen: Iterable[tuple[Value | None, ...]] = product(*values.values())
    else:
        chosen = _one_by_one(list(values.values()))
    for each in chosen:
        yield {name: v for name, v in zip(values, each, strict=True) if v is not None}


def _one_by_one(values: list[Sequence[Value | None]]) -> Iterator[tuple[Value | None, ...]]:
    plain = [known[0] for known in values]
    yield tuple(plain)
    for place, known in enumerate(values):
        for value in known[1:]:
            yield (*plain[:place], value, *plain[place + 1 :])


def _values(
    predicates: Iterable[Predicate], keys: Collection[str], measured: Collection[str]
) -> dict[str, Sequence[Value | None]]:
    """Return the values of each attribute that the conditions on it tell apart.

    None stands for a missing value. An attribute that is compared with another one, or that is a
    window's, has all values near its constants.
    """
    atoms = {
        atom: {each.name for each in find(atom, Attribute)}
        for atom in find(tuple(predicates), Comparison, Like, In, Range)
    }
    constants: dict[str, list[Value]] = {name: [1, 2] for name in sorted(keys)}
    for atom, names in atoms.items():
        for name in sorted(names):
            constants.setdefault(name, []).extend(_constants(atom))
    values: dict[str, Sequence[Value | None]] = {}
    for name, given in constants.items():
        own = [atom for atom, names in atoms.items() if names == {name}]
        related = any(name in names and len(names) > 1 for names in atoms.values())
        near = _near(given)
        exact = near if related or name in measured else given if name in keys else []
        values[name] = first_of_each(
            (*near, None, *_ANY_TYPE), partial(_known, name=name, atoms=own, exact=exact)
        )
    return values


def _known(
    value: Value | None, *, name: str, atoms: Iterable[Predicate], exact: Collection[Value]
) -> Hashable:
    truths = _truths({} if value is None else {name: value}, atoms)
    if value is None or value not in exact:
        return truths
    return truths, isinstance(value, bool), value  # TRUE equals 1 in Python


def _constants(atom: Predicate) -> Iterator[Value]:
    for literal in find(atom, Literal):
        yield literal.value
        if isinstance(literal.value, int | float):
            yield -literal.value
    match atom:
        case Like(_, pattern):
            yield from _strings(pattern)
        case In(_, Interval(low, high)):
            yield from (bound for bound in (low, high) if bound is not None)
        case In(_, tuple() as listed):
            yield from listed


def _near(constants: Collection[Value]) -> list[Value]:
    """Return values about constants, first those of the first constant's type."""
    truths = [value for value in constants if isinstance(value, bool)]
    texts = [value for value in constants if isinstance(value, str)]
    numbers = [
        value for value in constants if not isinstance(value, bool | str) and isfinite(value)
    ]
    points = [
        point for point in near_points(numbers, 1)
        if isinstance(point, float) or -_LARGEST <= point < _LARGEST
    ]
    near: dict[type, list[Value]] = {
        float: [*points, *map(float, points)], str: [*near_texts(texts)] if texts else [],
        bool: [*truths],
    }
    if not any(near.values()):
        return list(_PLAIN)
    first = next(iter(constants))
    own = near.pop(type(first) if isinstance(first, bool | str) else float)
    return [*own, *(value for others in near.values() for value in others)]


def predicates_on(query: CeqlQuery, names: Collection[str]) -> list[Predicate]:
    """Return the predicates of the query's conditions on variables of these names."""
    return [
        each.predicate for each in find(query.formula, VariableCondition)
        if each.variable.name in names
    ]


def _strings(pattern: str) -> Iterator[str]:
    """Yield strings that a simple pattern finds, and one that it does not."""
    literal = re.sub(r"[\^$\\]|\.\*|\.\+|\*|\+|\?", "", pattern)
    tried = (literal, *literal.split("|"), re.sub(r"\[(.)[^\]]*\]", r"\1", literal), "a", "1", "")
    found = [text for text in tried if regular_expression(pattern).search(text)]
    yield from found[:1]
    if found:
        yield found[0] + "z"
        yield "z" + found[0]
    yield from (t for t in ("z", "", "0") if not regular_expression(pattern).search(t))


Streams = Mapping[str, tuple[EventTuple, ...]]

_SECOND = 1_000_000_000
_STREAM = "S"
_CARELESS = 0.1  # of the tuples are drawn without regard to the conditions


def space(a: Side, b: Side) -> TupleStreams:
    """Return the streams that two queries may tell apart."""
    return TupleStreams(a.query, b.query)


def difference(a: Side, b: Side, data: Data) -> Witness | None:
    """Return the witness that these streams are, None if both sides answer alike."""
    answers: list[tuple[Choice, ...]] = []
    errors: list[str] = []
    for side in (a, b):
        try:
            answers.append(
                choices(
                    side.query, list(merged(data.streams, side.query.streams)), side.readings
                )
            )
            errors.append("")
        except DenotaError as error:
            answers.append(())
            errors.append(error.message)
    bare = a.readings.output != b.readings.output
    possible = [_possible(each, bare=bare) for each in answers]
    open_choices = [
        sorted(_choice(each, bare=bare) for each in side if each.count < len(each.candidates))
        for side in answers
    ]
    alike = possible[0] == possible[1]
    fail_alike = bool(errors[0]) == bool(errors[1])
    if alike and fail_alike and open_choices[0] == open_choices[1]:
        return None
    note = ""
    if alike and not any(errors):
        note = "Both may answer the same, and leave another choice among it."
    only_a, only_b = possible[0] - possible[1], possible[1] - possible[0]
    return Witness(
        data.streams, data.kb, tuple(sorted(only_a)), tuple(sorted(only_b)), errors[0], errors[1],
        note,
    )


def _possible(answers: tuple[Choice, ...], *, bare: bool) -> frozenset[ComplexEvent]:
    events = (event for each in answers if each.count for event in each.candidates)
    return frozenset(replace(event, bindings=None) if bare else event for event in events)


def _choice(choice: Choice, *, bare: bool) -> tuple[list[ComplexEvent], int]:
    return sorted(_possible((choice,), bare=bare)), choice.count


# --- streams --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TupleStreams:
    """Streams of tuples for two queries."""

    a: CeqlQuery
    b: CeqlQuery

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.a.streams, *self.b.streams))) or (_STREAM,)

    @cached_property
    def measured(self) -> list[str]:
        return list(dict.fromkeys(
            query.within.attribute for query in (self.a, self.b)
            if query.within is not None and query.within.attribute is not None
        ))

    @cached_property
    def timed(self) -> bool:
        return len(self.names) > 1 or any(
            query.within is not None and query.within.unit is WindowUnit.TIME
            for query in (self.a, self.b)
        )

    @cached_property
    def gaps(self) -> list[tuple[int, ...]]:
        gaps = [self._gaps(WindowUnit.ATTRIBUTE, name) for name in self.measured]
        if self.timed:
            gaps.append(self._gaps(WindowUnit.TIME, None))
        return gaps

    def _gaps(self, unit: WindowUnit, attribute: str | None) -> tuple[int, ...]:
        """Return a step, none, and what just fits and just exceeds a window."""
        step = _SECOND if unit is WindowUnit.TIME else 1
        found = {step: None, 0: None}
        for query in (self.a, self.b):
            within = query.within
            if within is not None and within.unit is unit and within.attribute == attribute:
                found.update({within.value: None, within.value + step: None})
        if unit is WindowUnit.ATTRIBUTE:
            found[-1] = None
        return tuple(found)

    @cached_property
    def letters(self) -> list[Tuple]:
        return alphabet(self.a, self.b)

    def listed(self, events: int) -> Iterator[Data]:
        """Yield all streams of a number of tuples over the alphabet."""
        placed = [(name, letter) for letter in self.letters for name in self.names]
        for chosen in product(placed, repeat=events):
            for steps in product(product(*self.gaps), repeat=max(0, events - 1)):
                yield self._made(chosen, steps)

    def _made(
        self, chosen: tuple[tuple[str, Tuple], ...], steps: tuple[tuple[int, ...], ...]
    ) -> Data:
        streams: dict[str, tuple[EventTuple, ...]] = dict.fromkeys(self.names, ())
        place = [0] * (len(self.measured) + self.timed)
        for number, (name, (kind, given)) in enumerate(chosen):
            if number:
                place = [old + gap for old, gap in zip(place, steps[number - 1], strict=True)]
            attributes: dict[str, Value] = {**given}
            for attribute, value in zip(self.measured, place, strict=False):
                attributes.setdefault(attribute, value)
            time = place[-1] if self.timed else None
            streams[name] = (*streams[name], EventTuple(kind, attributes, time))
        return Data({name: _of_one_type(stream) for name, stream in streams.items()})

    # --- some of them ---

    def drawn(self, random: Random, most: int) -> Data:
        """Return tuples that one of the queries asks for, in order, with others among them."""
        query = random.choice((self.a, self.b))
        letters = [
            self._letter(random, query, kind, names)
            for kind, names in _word(random, query.formula, frozenset())
        ]
        for _ in range(random.choice((0, 1, 1, 2, 3))):
            extra = random.choice(letters if letters and random.random() < 0.7 else self.letters)
            letters.insert(random.randint(0, len(letters)), extra)
        while len(letters) > most:
            letters.pop(random.randrange(len(letters)))
        chosen = tuple((random.choice(self.names), letter) for letter in letters)
        steps = tuple(
            tuple(gap[0] if random.random() < 0.6 else random.choice(gap) for gap in self.gaps)
            for _ in chosen[1:]
        )
        return self._made(chosen, steps)

    def _letter(
        self, random: Random, query: CeqlQuery, kind: str, names: frozenset[str]
    ) -> Tuple:
        """Return a tuple of which most conditions on its variables hold, now and then another."""
        letters = [letter for letter in self.letters if letter[0] == kind]
        if not letters:
            return kind, {}
        if random.random() < _CARELESS:
            return random.choice(letters)
        asked = predicates_on(query, names | {kind})
        holding = [
            sum(satisfies(EventTuple(*letter), predicate) for predicate in asked)
            for letter in letters
        ]
        most = max(holding)
        return random.choice([
            letter for letter, held in zip(letters, holding, strict=True) if held == most
        ])

    # --- less ---

    def smaller(self, data: Data) -> Iterator[Data]:
        """Yield streams without a tuple, or without an attribute of one."""
        streams: Streams = data.streams
        for name, stream in streams.items():
            for place in range(len(stream)):
                yield Data({**streams, name: stream[:place] + stream[place + 1 :]})
        for name, stream in streams.items():
            for place, each in enumerate(stream):
                for attribute in each.attributes:
                    fewer = {n: v for n, v in each.attributes.items() if n != attribute}
                    less = replace(each, attributes=fewer)
                    yield Data({**streams, name: (*stream[:place], less, *stream[place + 1 :])})


def _of_one_type(stream: tuple[EventTuple, ...]) -> tuple[EventTuple, ...]:
    """Return the stream with attributes of one type each, that of the first value or double.

    Values of other types are left out.
    """
    columns: dict[str, list[Value]] = {}
    for each in stream:
        for name, value in each.attributes.items():
            columns.setdefault(name, []).append(value)
    kinds = {
        name: (int, float) if type(values[0]) in (int, float) else (type(values[0]),)
        for name, values in columns.items()
    }
    doubles = {
        name for name, values in columns.items()
        if float in kinds[name] and any(isinstance(value, float) for value in values)
    }
    return tuple(
        replace(each, attributes={
            name: float(value) if name in doubles else value
            for name, value in each.attributes.items() if type(value) in kinds[name]
        })
        for each in stream
    )


def _word(
    random: Random, phi: Formula, names: frozenset[str]
) -> Iterator[tuple[str, frozenset[str]]]:
    """Event types that a formula matches in turn, each with the variables it is in."""
    match phi:
        case EventType(name):
            yield name, names
        case Followed(left, right) | Contiguous(left, right):
            yield from _word(random, left, names)
            yield from _word(random, right, names)
        case Disjunction(left, right):
            yield from _word(random, random.choice((left, right)), names)
        case Iteration(inner) | ContiguousIteration(inner):
            for _ in range(random.choice((1, 2, 2, 3))):
                yield from _word(random, inner, names)
        case As(inner, variable):
            yield from _word(random, inner, names | {variable})
        case Filter(inner) | Projection(inner):
            yield from _word(random, inner, names)
        case NotFormula():
            yield OTHER, names



