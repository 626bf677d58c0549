"""CEQL inputs: formulas, queries, tuples and whole cases, drawn by choices.

Three event types, three variables and a handful of attributes with few values: queries often match.
Streams have missing attributes, equal timestamps, tuples that are in no partition, and attributes
that decrease as well as increase.

An attribute has one type in a stream, and perhaps another one in another stream. Windows measure
`t`; partitions agree on `k` and `s`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from math import inf, nan, prod
from typing import Final, TypeAlias

from hypothesis.strategies import DrawFn, SearchStrategy, composite

from .....semantics.ceql.syntax.tree import (
    ArithmeticOperator,
    As,
    Attribute,
    CeqlQuery,
    ComparisonOperator,
    Contiguous,
    ContiguousIteration,
    Disjunction,
    EventType,
    Filter,
    Formula,
    Iteration,
    NotFormula,
    Predicate,
    Projection,
    WindowUnit,
)
from .....semantics.ceql.syntax.tree import Sequence as Followed
from .....semantics.model.trees import find
from .....semantics.model.tuples import EventTuple, Value, merged
from ....cases.case import Case, parsed_query
from ....fuzzing.value_tables import ValueTable, ValueTables
from ....inputs.choices import Choices, HypothesisChoices, cases_on, strategies
from ....inputs.streams import arranged
from ..cost_estimate import work
from ..features import CeqlCase
from .queries import RESTRICTIONS, SECOND, STREAMS, TYPES, any_formula, predicate, query, readings

Row = tuple[Value | None, Value | None]
"""The attributes x and y of a tuple; None stands for a missing one."""

_BOUNDARY_VALUES: Final[dict[str, tuple[Value | None, ...]]] = {
    "int": (None, 0, 1, -1, 2, -7, 2**53, 2**53 + 1, 2**63 - 1, -(2**63) + 1, -(2**63)),
    "double": (
        None, 0.0, -0.0, 1.0, 0.5, -7.0, 2.0**53, 2.0**63, -(2.0**63), 5e-324, 1e308, inf, -inf,
        nan,
    ),
    "string": (None, "", "a", "A", "ab", "\u00e9", "e\u0301", "\U0001f600", "1", "true", "a\nb"),
    "boolean": (None, True, False),
}
_CONSTANTS: Final = {
    "int": ("0", "-1", "9007199254740993", "9223372036854775807"),
    "double": ("0.0", "0.5", "-7.0", "9007199254740992.0", "1e308"),
    "string": ("''", "'a'", "'\u00e9'", "'1'"),
    "boolean": ("TRUE", "FALSE"),
}
_SETS: Final = (
    "{0, 9007199254740993}", "{0.5, 1}", "{'', 'a'}", "{0..9007199254740992}", "{..-1}", "{0.5..}",
)
_LIKE: Final = ("", "^a$", "[ab]", "\u00e9", ".", "^.$", "a.b")


def _on_one(kind: str) -> list[str]:
    constants = [each for of_kind in _CONSTANTS.values() for each in of_kind]
    return [
        *(f"x {op} {each}" for op, each in product(ComparisonOperator, constants)),
        *(f"{each} {op} x" for op, each in product(ComparisonOperator, constants)),
        *(f"NOT (x {op} {each})" for op, each in product(("<", "="), _CONSTANTS[kind])),
        *(f"x {word} {each}" for word, each in product(("IN", "NOT IN"), _SETS)),
        *(f"x LIKE '{pattern}'" for pattern in _LIKE),
        *(f"-x {op} 0" for op in ComparisonOperator),
    ]


def _on_two() -> list[str]:
    arithmetic = [
        f"x {op} y {compared} {right}"
        for op, (compared, right) in product(
            ArithmeticOperator, (("<", "0"), ("=", "x"), (">=", "9007199254740993"), ("!=", "0.5"))
        )
    ]
    return [
        *(f"x {op} y" for op in ComparisonOperator), *arithmetic,
        "x IN RANGE (y, 1)", "x IN RANGE (0.0, y)", "NOT (x < y)", "x < y OR x >= y",
        "x = y AND y = x", "x <= y AND NOT (x = y)",
    ]


@cache
def _tables() -> tuple[ValueTable[Row], ...]:
    return (
        *(
            ValueTable[Row](
                f"{condition} ({kind})", condition, [*product(_BOUNDARY_VALUES[kind], (None,))]
            )
            for kind in _BOUNDARY_VALUES for condition in _on_one(kind)
        ),
        *(
            ValueTable(f"{condition} ({one}, {other})", condition,
                  [*product(_BOUNDARY_VALUES[one], _BOUNDARY_VALUES[other])])
            for one, other in product(_BOUNDARY_VALUES, repeat=2) for condition in _on_two()
        ),
    )


def _case(table: ValueTable[Row], rows: Sequence[Row]) -> Case:
    tuples = tuple(
        EventTuple("A", {
            name: value for name, value in zip("xy", row, strict=True) if value is not None
        })
        for row in rows
    )
    query = parsed_query("ceql", f"SELECT * FROM S WHERE A FILTER A[{table.query}]")
    return Case("ceql", query, {"S": tuples}, title=table.name)


VALUE_TABLES = ValueTables(_tables, _case)
"""Every comparison, membership, LIKE and arithmetic operator on values of every two types."""


Attributes: TypeAlias = Mapping[str, Value]

Payload: TypeAlias = tuple[str, dict[str, Value]]
"""(type, attributes without `t`)"""

Event: TypeAlias = tuple[int, str, Payload]
"""(tick, stream, …)"""

_COIN: Final = (False, True)
_ATTEMPTS: Final = 3
"""The number of attempts to draw streams that the query matches."""
_MAX_WORK: Final = 8_000
"""The number of pairs of valuations that the definitions evaluate in a moment."""


def case(choices: Choices, asked: CeqlQuery | None = None) -> CeqlCase:
    """Draw a query, unless one is given, with streams that it often matches, and readings."""
    drawn = query(choices) if asked is None else asked
    read = readings(choices, drawn)
    names = drawn.streams or STREAMS[: choices.among("ceql/streams without FROM", (1, 2))]
    for _ in range(_ATTEMPTS):
        script = _script(choices, drawn, names)
        fitting = _fitting(choices, drawn, script) if asked is None else drawn
        streams = _bounded(fitting, _streams(choices, fitting, names, script))
        made = CeqlCase(fitting, streams, read)
        if made.denotation():
            break
    return made


# --- tuples ---------------------------------------------------------------------------------------

_VALUES: Final[dict[str, tuple[Value, ...]]] = {
    "n": (0, 1, 2, 3, -2, -3), "d": (0.0, 1.0, 1.5, 2.5, -1.0), "s": ("p", "q", "pq", ""),
    "k": (1, 2), "b": (False, True),
}
# One number stands for all values of a tuple, so that few choices make many cases.
_ALL_VALUES: Final = range(prod(map(len, _VALUES.values())))
_KEYS: Final = ("d", "s", "k", "b")
"""The attributes of partitions."""
_FAR: Final = (2**63 - 1, -(2**63) + 1, 2**62, -(2**62), 2**53 + 1)
_OTHER_TYPES: Final = ("the same", "the same", "text", "double", "boolean", "text and double")
_SELDOM, _OFTEN = (False,) * 9 + (True,), (False, False, True)


def _values(choices: Choices) -> dict[str, Value]:
    """Draw a value for every attribute but `t`."""
    number, found = choices.among("", _ALL_VALUES), {}
    for name, known in _VALUES.items():
        number, place = divmod(number, len(known))
        found[name] = known[place]
    return found


def _keys(choices: Choices) -> dict[str, Value]:
    """Draw the values on which the tuples of a round agree; mostly there are some."""
    if choices.among("ceql/keys of a round", ("the same", "the same", "any")) == "any":
        return {}
    found = _values(choices)
    return {name: found[name] for name in _KEYS}


@dataclass(frozen=True)
class _Look:
    """The tuples of a case: how often they lack attributes, mostly those `asked` for, and whether
    numbers are as large as they may be."""

    lacking: str
    far: bool
    asked: tuple[str, ...]

    def of(self, choices: Choices, attributes: Attributes) -> dict[str, Value]:
        """Draw the attributes of one tuple."""
        found = dict(attributes)
        if self.far and choices.among("", _OFTEN):
            found["n"] = choices.among("", _FAR)
        often = _SELDOM if self.lacking == "seldom" else _OFTEN
        if self.lacking != "nothing" and choices.among("", often):
            one = choices.among("", self.asked)
            missing = self.asked if choices.among("", _COIN) else (one,)
            found = {name: value for name, value in found.items() if name not in missing}
        return found


def _look(choices: Choices, asked: Sequence[str] = ()) -> _Look:
    known = tuple(name for name in (*_VALUES, "t") if name in asked)
    lacking = choices.among("ceql/lacking", ("nothing", "seldom", "seldom", "often"))
    far = choices.among("ceql/values", ("near",) * 8 + ("far",)) == "far"
    return _Look(lacking, far, known or (choices.among("", (*_VALUES, "t")),))


def _retyped(attributes: Attributes, types: str) -> dict[str, Value]:
    """Return the same with values of other types, which look alike: 1 as "1", 1.0 or true."""
    match types:
        case "text":
            return {**attributes, **_each(attributes, ("k", "n", "b"), str)}
        case "double":
            return {**attributes, **_each(attributes, ("k", "n"), float)}
        case "text and double":
            doubles = _each(attributes, ("k",), float)
            return {**attributes, **doubles, **_each(attributes, ("n",), str)}
        case "boolean":
            return {**attributes, **_each(attributes, ("k", "n", "s"), bool)}
    return dict(attributes)


def _each(attributes: Attributes, names: Sequence[str], change: object) -> dict[str, Value]:
    return {n: change(attributes[n]) for n in names if n in attributes}  # type: ignore[operator]


def tuples(
    choices: Choices, types: Sequence[str] = TYPES, *, size: int = 7
) -> tuple[EventTuple, ...]:
    """Draw at most `size` tuples of these types, in the order of their timestamps.

    The attribute `t` mostly never decreases.
    """
    grows = choices.among("", (True, True, True, False))
    steps = (0, 1, 1, 2)
    made = []
    time, measure = 0, 0
    look = _look(choices)
    for _ in range(min(choices.among("", (6, 5, 4, 7, 3, 2, 1, 0)), size)):
        time += choices.among("", steps)
        measure = measure + choices.among("", steps) if grows else choices.among("", range(7))
        attributes = look.of(choices, {**_values(choices), "t": measure})
        made.append(EventTuple(choices.among("", tuple(types)), attributes, time * SECOND))
    return tuple(made)


# --- events that the formula asks for -------------------------------------------------------------


def _script(choices: Choices, query: CeqlQuery, names: Sequence[str]) -> list[Event]:
    """Draw the formula's events, once or several times, or any events of its types."""
    if choices.among("ceql/script", ("asked",) * 3 + ("any events",)) == "any events":
        return _any_events(choices, query, names)
    script: list[Event] = []
    tick = 0
    several = len(query.partition) > 0
    rounds = choices.among("ceql/rounds", (1, 1, 2, 2, 3)) + several
    next_round = (
        ("ceql/next round, partitioned", ("in between", "after")) if several
        else ("ceql/next round", ("after", "after", "in between"))
    )
    for number in range(rounds):
        if number and choices.among(*next_round) == "in between":
            tick = 0
        agreed = _keys(choices)
        for kind, told in _word(choices, query.formula):
            tick += _gap(choices) if script else 0
            stream = choices.among("", tuple(names)) if told is None else told
            if stream in names and not choices.among("", (False,) * 19 + (True,)):
                script.append((tick, stream, (kind, {**_values(choices), **agreed})))
        tick = max((event[0] for event in script), default=0)
    return script


def _gap(choices: Choices) -> int:
    return choices.among("ceql/gap", (1, 0, 1, 2, 1, 3))


def _any_events(choices: Choices, query: CeqlQuery, names: Sequence[str]) -> list[Event]:
    """Draw four to eight events of the types that the formula asks for, in any order.

    They match more often than not, in ways in which no single word of the formula does.
    """
    events = find(query.formula, EventType)
    kinds = tuple((phi.name, phi.stream) for phi in events) or (("A", None),)
    agreed = _keys(choices)
    script: list[Event] = []
    tick = 0
    for _ in range(choices.among("ceql/events of any order", (5, 6, 4, 7, 8))):
        kind, told = choices.among("", kinds)
        stream = told if told is not None and told in names else choices.among("", tuple(names))
        script.append((tick, stream, (kind, {**_values(choices), **agreed})))
        tick += _gap(choices)
    return script


def _extras(
    choices: Choices, query: CeqlQuery, names: Sequence[str], last: int
) -> list[Event]:
    """Draw events of any type at any time."""
    kinds = tuple(phi.name for phi in find(query.formula, EventType))
    return [
        (choices.among("", range(last + 2)), choices.among("", tuple(names)),
         (choices.among("", (*kinds, *kinds, "A", "D")), _values(choices)))
        for _ in range(choices.among("ceql/extra events", (0, 1, 2, 1, 3)))
    ]


def _word(choices: Choices, phi: Formula) -> list[tuple[str, str | None]]:
    """Draw types of tuples that the formula matches, with their streams if it names them."""
    match phi:
        case EventType(name, stream):
            return [(name, stream)]
        case Followed(left, right) | Contiguous(left, right):
            return _word(choices, left) + _word(choices, right)
        case Disjunction(left, right):
            return _word(choices, left if choices.among("", _COIN) else right)
        case Iteration(inner) | ContiguousIteration(inner):
            count = choices.among("ceql/iterations", (1, 2, 2, 3))
            return [each for _ in range(count) for each in _word(choices, inner)]
        case As(inner) | Filter(inner) | Projection(inner):
            return _word(choices, inner)
        case NotFormula():
            return [(choices.among("", TYPES), None)]


def _fitting(choices: Choices, query: CeqlQuery, script: Sequence[Event]) -> CeqlQuery:
    """Return the query, with a window that just holds its script, or just does not."""
    how = choices.among("ceql/window fits", ("as drawn",) * 4 + ("tight", "one less", "one more"))
    if query.within is None or how == "as drawn" or not script:
        return query
    ticks = [tick for tick, _, _ in script]
    counted = query.within.unit is WindowUnit.EVENTS
    span = len(script) - 1 if counted else max(ticks) - min(ticks)
    extent = max({"tight": span, "one less": span - 1, "one more": span + 1}[how], 0)
    size = SECOND if query.within.unit is WindowUnit.TIME else 1
    return replace(query, within=replace(query.within, value=extent * size))


# --- streams --------------------------------------------------------------------------------------


def _streams(
    choices: Choices, query: CeqlQuery, names: Sequence[str], script: list[Event]
) -> dict[str, tuple[EventTuple, ...]]:
    last = max((tick for tick, _, _ in script), default=0)
    within = query.within
    size = SECOND if within is not None and within.unit is WindowUnit.TIME else 1
    look = _look(choices, _asked(query))
    events = arranged(
        choices,
        "ceql/streams",
        script + _extras(choices, query, names, last),
        widths=[] if within is None else [within.value // size],
        fresh=lambda event: (event[2][0], _values(choices)),
    )
    measured = choices.among("ceql/t", ("time",) * 4 + ("falls", "half", "slow"))
    types = {
        name: choices.among("ceql/types in another stream", _OTHER_TYPES) if k else "the same"
        for k, name in enumerate(names)
    }
    streams: dict[str, list[EventTuple]] = {name: [] for name in names}
    for tick, stream, (kind, own) in sorted(events, key=lambda event: event[0]):
        t: Value = choices.among("", range(7)) if measured == "falls" else tick
        t = {"half": tick / 2, "slow": tick // 2}.get(measured, t)
        attributes = _retyped(look.of(choices, {**own, "t": t}), types[stream])
        streams[stream].append(EventTuple(kind, attributes, tick * SECOND))
    return {name: tuple(stream) for name, stream in streams.items()}


def _asked(query: CeqlQuery) -> list[str]:
    """Return the attributes that the query asks for."""
    named = [attribute.name for attribute in find(query.formula, Attribute)]
    measured = [] if query.within is None else [query.within.attribute or ""]
    return [*named, *measured, *(name for names in query.partition for name in names)]


def _bounded(
    query: CeqlQuery, streams: dict[str, tuple[EventTuple, ...]]
) -> dict[str, tuple[EventTuple, ...]]:
    """Return the streams without their last tuples, if the definitions would take long."""
    while work(query, [t.type for t in merged(streams, query.streams)], _MAX_WORK) > _MAX_WORK:
        longest = max(streams, key=lambda name: len(streams[name]))
        kept = 4 * len(streams[longest]) // 5
        streams = {**streams, longest: streams[longest][:kept]}
    return streams


ceql_queries = strategies(query)
ceql_readings = strategies(readings)
tuple_streams = strategies(tuples)


def ceql_cases(queries: SearchStrategy[CeqlQuery] | None = None) -> SearchStrategy[CeqlCase]:
    """Return a strategy of cases: queries (or those of `queries`) on streams they often match."""
    return cases_on(case, queries)


@composite
def formulas(draw: DrawFn, size: int = 5, streams: int = 1) -> Formula:
    """Return a strategy of formulas with fewer than 2 × `size` operators."""
    choices = HypothesisChoices(draw)
    return any_formula(choices, streams, choices.among("", range(2 * size)))


@composite
def predicates(draw: DrawFn) -> Predicate:
    """Return a strategy of predicates with at most two operators."""
    choices = HypothesisChoices(draw)
    return predicate(choices, choices.among("", (0, 0, 1, 2)))


__all__ = [
    "RESTRICTIONS", "VALUE_TABLES",
    "case", "ceql_cases", "ceql_queries", "ceql_readings", "formulas", "predicates",
    "tuple_streams",
]
