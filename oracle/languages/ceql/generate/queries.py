"""CEQL queries: predicates, conditions, formulas (CORE Table 2), clauses, and readings.

Operators are the nodes of a formula that are not event types, the connectives of its conditions and
predicates, and arithmetic. A number of operators is split among the parts by a choice, so that
every value has exactly the operators that are asked for.

Restrictions are the options of choices that are refused where an engine lacks a capability, which
it says in names (`engines.capabilities`): most of what is generated for it is something that it
takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from .....semantics.ceql.syntax.analysis import variables
from .....semantics.ceql.syntax.readings import Readings
from .....semantics.ceql.syntax.scoping import with_streams_told
from .....semantics.ceql.syntax.tree import (
    And,
    AndCondition,
    Arithmetic,
    ArithmeticOperator,
    As,
    Attribute,
    CeqlQuery,
    Comparison,
    ComparisonOperator,
    Condition,
    Consumption,
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
    Name,
    Negative,
    Not,
    NotCondition,
    NotFormula,
    Or,
    OrCondition,
    Predicate,
    Projection,
    Range,
    Selected,
    Strategy,
    Term,
    VariableCondition,
    WindowUnit,
    Within,
)
from .....semantics.ceql.syntax.tree import Sequence as Followed
from .....semantics.model.trees import find
from .....semantics.model.tuples import Value
from ....inputs.choices import Choices, Options

T = TypeVar("T")

TYPES: Final = ("A", "B", "C")
VARIABLES: Final = ("x", "y", "z")
STREAMS: Final = ("S", "T")
OUTER: Final = "outer"
"""A variable that a condition may use before it is bound."""

_COIN: Final = (False, True)
_INTS: Final = (0, 1, 2, 3)
_LARGE: Final = (2**63 - 1, -(2**63) + 1, 2**62, -2)  # beyond 64 bits there is no value
_DOUBLES: Final = (0.0, 1.0, 1.5, 2.5, -1.0)
_STRINGS: Final = ("p", "q", "pq", "")


# --- P --------------------------------------------------------------------------------------------


def predicate(choices: Choices, operators: int) -> Predicate:
    """Draw a predicate on the attributes of generated streams; some compare what has no value."""
    if not operators:
        return _atom(choices)
    match choices.among("ceql/predicate", _PREDICATES):
        case "and":
            return And(*_both(choices, operators, predicate))
        case "or":
            return Or(*_both(choices, operators, predicate))
        case "not":
            return Not(predicate(choices, operators - 1))
        case "calculated":
            operator = choices.among("ceql/comparison", tuple(ComparisonOperator))
            return Comparison(operator, _term(choices, operators), _term(choices, 0))
        case "calculated in a range":
            return Range(_term(choices, operators), _term(choices, 0), _term(choices, 0))
    return _atom(choices)  # an engine may have none of the others


_PREDICATES: Final = (
    *("calculated",) * 4, *("and", "or", "not") * 2, "calculated in a range", "without operators"
)


def _atom(choices: Choices) -> Predicate:
    match choices.among("ceql/predicate without operators", _ATOMIC):
        case "like":
            attribute = Attribute(choices.among("ceql/attribute of LIKE", ("s", "s", "n")))
            return Like(attribute, choices.among("regex", ("p", "^q", "pq?$", "", "[pq]{2}")))
        case "in":
            return _membership(choices)
        case "range":
            return Range(_term(choices, 0), _term(choices, 0), _term(choices, 0))
        case "string":
            operator = choices.among("ceql/comparison of strings", tuple(ComparisonOperator))
            one, other = Attribute("s"), Literal(choices.among("string", _STRINGS))
            if choices.among("ceql/turned", (False, False, True)):
                return Comparison(operator, other, one)
            return Comparison(operator, one, other)
        case "boolean":
            equality = (ComparisonOperator.EQUAL, ComparisonOperator.NOT_EQUAL)
            operator = choices.among("", equality)
            return Comparison(operator, Attribute("b"), Literal(choices.among("", _COIN)))
    operator = choices.among("ceql/comparison", tuple(ComparisonOperator))
    left = _attribute(choices) if choices.among("ceql/left side", _SIDES) else _term(choices, 0)
    return Comparison(operator, left, _term(choices, 0))


_ATOMIC: Final = ("comparison",) * 5 + ("string", "in", "range", "like", "boolean")
_SIDES: Final = (True, True, False)


def _term(choices: Choices, operators: int) -> Term:
    if operators:
        if choices.among("ceql/term", ("arithmetic", "arithmetic", "negative")) == "negative":
            return Negative(_term(choices, operators - 1))
        operator = choices.among("ceql/arithmetic", tuple(ArithmeticOperator))
        return Arithmetic(operator, *_both(choices, operators, _term))
    match choices.among("ceql/operand", _OPERANDS):
        case "attribute":
            return _attribute(choices)
        case "double":
            return Literal(choices.among("double", (0.5, 1.0, 1.5)))
        case "large":
            return _number(choices.among("large", _LARGE))
        case "minus":
            return _number(-choices.among("minus", (2, 3, 1)))
    return _number(choices.among("int", _INTS))


_OPERANDS: Final = ("attribute",) * 3 + ("literal",) * 3 + ("double", "large", "minus")


def _attribute(choices: Choices) -> Attribute:
    options = ("n", "n", "d", "k", "t", "nowhere", "s")
    return Attribute(choices.among("ceql/attribute", options))


def _number(value: int) -> Term:
    """Return a number as it is read: a sign is an operator."""
    return Literal(value) if value >= 0 else Negative(Literal(-value))


def _membership(choices: Choices) -> In:
    negated = choices.among("ceql/NOT IN", _COIN)
    if choices.among("ceql/interval", _COIN):
        low, high = choices.among("low", (None, None, *_INTS)), choices.among("int", _INTS)
        return In(Attribute(choices.among("", ("n", "d"))), Interval(low, high), negated)
    size = choices.among("size of a set", (1, 2, 3))
    if size < 3 and choices.among("", (False, True, True)):
        strings = tuple(choices.among("string", _STRINGS) for _ in range(size))
        return In(Attribute("s"), strings, negated)
    numbers: tuple[Value, ...] = tuple(
        choices.among("number in a set", (*_INTS, *_DOUBLES)) for _ in range(size)
    )
    attribute = choices.among("ceql/attribute in numbers", ("n", "d", "s"))
    return In(Attribute(attribute), numbers, negated)


def _both(
    choices: Choices, operators: int, part: Callable[[Choices, int], T]
) -> tuple[T, T]:
    """Draw the two operands of an operator that is one of so many."""
    left = choices.among("", range(operators))
    return part(choices, left), part(choices, operators - 1 - left)


# --- θ --------------------------------------------------------------------------------------------


def condition(choices: Choices, operators: int, names: Sequence[Name]) -> Condition:
    """Draw a condition on these variables."""
    def part(choices: Choices, operators: int) -> Condition:
        return condition(choices, operators, names)

    if operators:
        match choices.among("ceql/condition", _CONDITIONS):
            case "and":
                return AndCondition(*_both(choices, operators, part))
            case "or":
                return OrCondition(*_both(choices, operators, part))
            case "not":
                return NotCondition(part(choices, operators - 1))
    return VariableCondition(choices.among("", tuple(names)), predicate(choices, operators))


_CONDITIONS: Final = ("one",) * 3 + ("and", "and", "or", "not")


# --- φ --------------------------------------------------------------------------------------------


@dataclass
class Scope:
    """The names of a formula: its streams, its event types and the variables that it binds.

    A new name is the first that is not used, so that no two formulas differ only in their names.
    """

    streams: int = 1
    types: int = len(TYPES)
    used: dict[Sequence[str], int] = field(default_factory=dict)

    def name(self, choices: Choices, names: Sequence[str], most: int) -> str:
        """Draw a name that is used, or the first that is not."""
        used = self.used.get(names, 0)
        place = choices.among("", range(min(used + 1, most)))
        self.used[names] = max(used, place + 1)
        return names[place]

    def type(self, choices: Choices) -> str:
        """Draw an event type."""
        return self.name(choices, TYPES, self.types)

    def variable(self, choices: Choices) -> str:
        """Draw a variable for AS."""
        return self.name(choices, VARIABLES, len(VARIABLES))


def formula(choices: Choices, operators: int, scope: Scope) -> Formula:
    """Draw a formula with exactly so many operators."""
    if not operators:
        return _event(choices, scope)
    match choices.among("ceql/formula", _FORMULAS):
        case "+":
            return Iteration(formula(choices, operators - 1, scope))
        case ":+":
            return ContiguousIteration(formula(choices, operators - 1, scope))
        case "AS":
            return As(formula(choices, operators - 1, scope), scope.variable(choices))
        case "FILTER":
            of_condition = _of_condition(choices, operators)
            return _filtered(
                choices, of_condition, formula(choices, operators - 1 - of_condition, scope)
            )
        case "NOT":
            return _denied(choices, operators, scope)
        case "SELECT":
            phi = formula(choices, operators - 1, scope)
            return Projection(phi, tuple(chosen(choices, phi)))
        case operator:
            of_left = choices.among("", range(operators))
            left = formula(choices, of_left, scope)
            right = _right(choices, operators - 1 - of_left, left, of_left, scope)
            return _BINARY[operator](left, right)


_FORMULAS: Final = (
    *(";",) * 5, *("OR",) * 4, ":", ":", "+", "+", "+", ":+", *("FILTER",) * 4, *("AS",) * 3, "NOT",
    "SELECT",
)
_BINARY: Final[dict[str, Callable[[Formula, Formula], Formula]]] = {
    ";": Followed, ":": Contiguous, "OR": Disjunction,
}


def _event(choices: Choices, scope: Scope) -> EventType:
    told = choices.among("ceql/stream told", (False,) * 5 + (True,))
    stream = choices.among("", STREAMS[: scope.streams]) if told else None
    return EventType(scope.type(choices), stream)


def _denied(choices: Choices, operators: int, scope: Scope) -> NotFormula:
    event = _event(choices, scope)
    if operators == 1:
        return NotFormula(event)
    own = [Name(event.name), Name(event.name, event.stream)]
    of_condition = choices.among("operators of a condition", (operators - 2,))
    return NotFormula(Filter(event, condition(choices, of_condition, own)))


def chosen(choices: Choices, phi: Formula) -> list[Name]:
    """Draw the variables of a SELECT, up to two that the formula binds."""
    names = [name_of(shown) for shown in sorted(variables(phi))]
    counts = (1, 1, 2, 2, 0) if len(names) > 1 else (1, 1, 1, 1, 0) if names else (0,)
    found: list[Name] = []
    for _ in range(choices.among("variables selected", counts)):
        found.append(choices.among("", tuple(n for n in names if n not in found)))
    return found


def _of_condition(choices: Choices, operators: int) -> int:
    """Draw how many of a FILTER's operators are its condition's: often none."""
    counts = (0,) * (operators // 2) + tuple(range(operators))
    return choices.among("operators of a condition", counts)


def _filtered(choices: Choices, operators: int, phi: Formula) -> Formula:
    """Add a condition of so many operators, rarely also on a variable that is not bound."""
    names = [name_of(shown) for shown in sorted(variables(phi))]
    if choices.among("ceql/bound outside", (False,) * (5 if names else 0) + (True,)):
        names.append(Name(OUTER))
    return Filter(phi, condition(choices, operators, names))


def _right(
    choices: Choices, operators: int, left: Formula, of_left: int, scope: Scope
) -> Formula:
    """Draw a right operand; some are the left one, or that with one operator more."""
    if operators == of_left:
        if choices.among("ceql/operands", ("apart",) * 2 + ("alike",)) == "alike":
            return left
    elif operators == of_left + 1:
        match choices.among("ceql/likeness", ("none",) * 4 + ("AS", "FILTER", "+")):
            case "AS":
                return As(left, scope.variable(choices))
            case "+":
                return Iteration(left)
            case "FILTER":
                return _filtered(choices, 0, left)
    return formula(choices, operators, scope)


def rivals(choices: Choices, scope: Scope) -> Formula:
    """Draw two or three sequences that end alike: their matches at one end are rivals.

    One skips events where another does not, they are of different lengths, and none need include
    another.
    """
    last = scope.type(choices)
    phi: Formula | None = None
    for _ in range(choices.among("ceql/rivals", (2, 2, 3))):
        length = choices.among("ceql/length of a rival", (2, 1, 3, 2))
        word = [*(scope.type(choices) for _ in range(length)), last]
        sequence = _event_of_a_rival(choices, word[0], scope)
        for kind in word[1:]:
            sequence = Followed(sequence, _event_of_a_rival(choices, kind, scope))
        phi = sequence if phi is None else Disjunction(phi, sequence)
    assert phi is not None
    return phi


def _event_of_a_rival(choices: Choices, kind: str, scope: Scope) -> Formula:
    event = EventType(kind)
    match choices.among("ceql/event of a rival", ("itself",) * 5 + ("+", "AS")):
        case "+":
            return Iteration(event)
        case "AS":
            return As(event, scope.variable(choices))
    return event


def name_of(shown: str) -> Name:
    """Return a variable as it is written."""
    stream, _, name = shown.rpartition(">")
    return Name(name, stream or None)


SECOND: Final = 1_000_000_000
GRAMMAR_VERSION: Final = 1
"""Changes whenever the drawing functions draw other queries, as certificates are of all of them."""

_OPERATORS: Final = (3, 4, 5, 2, 6, 5, 7, 4, 8, 1, 10, 0, 9, 6)
_STRATEGIES: Final = (
    *(Strategy.ALL,) * 3, *(Strategy.NEXT, Strategy.LAST, Strategy.MAX) * 2, Strategy.STRICT,
)
_SEVERAL: Final = (
    *((Strategy.ALL, most) for most in (1, 2, 3)),
    *((Strategy.ANY, most) for most in (None, 1, 2, 3)),
)
_CONSUMPTIONS: Final = (Consumption.NONE,) * 4 + (Consumption.ANY, Consumption.PARTITION)
_PARTITIONS: Final = (
    (("k",),), (("k",),), (("s",),), (("k", "s"),), (("k",), ("b",)), (("d",),),
)
_MEASURES: Final = ("none",) * 4 + ("events", "t", "time") * 2 + ("another attribute",)


def any_formula(choices: Choices, streams: int = 1, operators: int | None = None) -> Formula:
    """Draw a formula of few types or many: few are matched in many ways, which are rivals."""
    scope = Scope(streams, choices.among("ceql/types in a formula", (3, 3, 2, 1)))
    if operators is None:
        if choices.among("ceql/word", ("any",) * 5 + ("rivals",)) == "rivals":
            return rivals(choices, scope)
        operators = choices.among("ceql/operators", _OPERATORS)
    return formula(choices, operators, scope)


def query(choices: Choices, operators: int | None = None) -> CeqlQuery:
    """Draw a query with any clauses, most of them few, and perhaps a number of operators."""
    streams = choices.among("ceql/streams", (1, 1, 1, 2, 2))
    phi = any_formula(choices, streams, operators)
    if any(OUTER in map(str, find(each.condition, Name)) for each in find(phi, Filter)):
        phi = As(phi, OUTER)
    named = STREAMS[:streams]
    order = choices.among("ceql/FROM", ("in order", "in order", "turned", "none"))
    consume = choices.among("ceql/consume", _CONSUMPTIONS)
    # Consumption tells partitions apart, where there are some.
    likely = (True,) if consume is Consumption.NONE else (True,) * 3
    partitioned = choices.among("ceql/partitioned", (False, *likely))
    strategy, limit = Strategy.ALL, None
    # One decision of two options: where several results are right, little is compared.
    if choices.among("ceql/several results are right", (False,) * 6 + (True,)):
        strategy, limit = choices.among("LIMIT and ANY", _SEVERAL)
    if strategy is Strategy.ALL:
        strategy = choices.among("ceql/strategy", _STRATEGIES)
    return with_streams_told(CeqlQuery(
        formula=phi,
        select=_selection(choices, phi),
        strategy=strategy,
        streams={"in order": named, "turned": named[::-1], "none": ()}[order],
        partition=choices.among("ceql/partition", _PARTITIONS) if partitioned else (),
        within=_window(choices),
        consume=consume,
        limit=limit,
    ))


def _window(choices: Choices) -> Within | None:
    measure = choices.among("ceql/within", _MEASURES)
    if measure == "none":
        return None
    extent = choices.among("ceql/extent", (2, 3, 4, 5, 1, 0, 6))
    match measure:
        case "events":
            return Within(extent, WindowUnit.EVENTS)
        case "time":
            return Within(extent * SECOND, WindowUnit.TIME)
        case "t":
            return Within(extent, WindowUnit.ATTRIBUTE, "t")
    return Within(extent, WindowUnit.ATTRIBUTE, "d" if extent < 6 else "s")


def _selection(choices: Choices, phi: Formula) -> tuple[Selected, ...] | None:
    if choices.among("ceql/select", ("*",) * 3 + ("some",)) == "*":
        return None
    told = "ceql/attributes selected", (False,) * 5 + (True,)
    return tuple(
        Selected(name, ("n",) if choices.among(*told) else None) for name in chosen(choices, phi)
    )


def readings(choices: Choices, query: CeqlQuery) -> Readings:
    """Draw readings; one that cannot matter to the query keeps its default."""
    outputs = ("complex-event",) * 3 + ("valuation",)
    chosen: dict[str, object] = {"output": choices.among("ceql/output", outputs)}
    if query.within is not None:
        if query.within.unit is WindowUnit.ATTRIBUTE:
            chosen["within"] = choices.among("ceql/how within is read", ("paper", "paper", "core"))
        if query.strategy is not Strategy.ALL:
            chosen["strategy"] = choices.among(
                "ceql/when strategies choose", ("before-within", "after-within")
            )
    if any(len(names) > 1 for names in query.partition):
        chosen["partition"] = choices.among("ceql/how partitions are read", ("paper", "core"))
    if query.limit is not None:
        chosen["limit"] = choices.among("ceql/what is limited", ("event", "query"))
    return Readings.of(chosen)


_ORDERS = tuple(each for each in ComparisonOperator if each not in ("=", "!="))
_BY_GROUP: Final[Mapping[str, Mapping[str, Options]]] = {
    "operators": {
        ";": {"ceql/formula": (";",), "ceql/word": ("rivals",)}, ":": {"ceql/formula": (":",)},
        "OR": {"ceql/formula": ("OR",), "ceql/word": ("rivals",)},
        "+": {"ceql/formula": ("+",), "ceql/likeness": ("+",), "ceql/event of a rival": ("+",)},
        ":+": {"ceql/formula": (":+",)},
        "AS": {
            "ceql/formula": ("AS",), "ceql/likeness": ("AS",), "ceql/event of a rival": ("AS",),
        },
        "FILTER": {"ceql/formula": ("FILTER",), "ceql/likeness": ("FILTER",)},
        "NOT": {"ceql/formula": ("NOT",)}, "SELECT in a formula": {"ceql/formula": ("SELECT",)},
        "S>R": {"ceql/stream told": (True,)},
    },
    "conditions": {
        "θ AND θ": {"ceql/condition": ("and",)}, "θ OR θ": {"ceql/condition": ("or",)},
        "NOT θ": {"ceql/condition": ("not",)},
        "θ on what is bound outside": {"ceql/bound outside": (True,)},
    },
    "predicates": {
        "P AND P": {"ceql/predicate": ("and",)}, "P OR P": {"ceql/predicate": ("or",)},
        "NOT P": {"ceql/predicate": ("not",)},
        "LIKE": {"ceql/predicate without operators": ("like",)},
        "IN": {"ceql/predicate without operators": ("in",)},
        "NOT IN": {"ceql/NOT IN": (True,)}, "interval": {"ceql/interval": (True,)},
        "IN RANGE": {
            "ceql/predicate": ("calculated in a range",),
            "ceql/predicate without operators": ("range",),
        },
        "TRUE, FALSE": {"ceql/predicate without operators": ("boolean",)},
        "arithmetic": {
            "ceql/predicate": ("calculated", "calculated in a range"),
            "ceql/operand": ("large", "minus"),
        },
        "order of strings": {"ceql/comparison of strings": _ORDERS},
        "comparison of terms": {
            "ceql/left side": (False,), "ceql/operand": ("attribute",),
        },
    },
    "strategies": {
        "SELECT ANY": {"ceql/several results are right": (True,)},
        **{
            f"SELECT {each}": {"ceql/strategy": (each,)}
            for each in Strategy if each not in ("ALL", "ANY")
        },
    },
    "windows": {
        "no WITHIN": {"ceql/within": ("none",)}, "WITHIN time": {"ceql/within": ("time",)},
        "WITHIN events": {"ceql/within": ("events",)},
        "WITHIN attribute": {"ceql/within": ("t", "another attribute")},
    },
    "clauses": {
        "projection": {"ceql/select": ("some",)}, "SELECT NONE": {"ceql/select": ("some",)},
        "PARTITION BY": {"ceql/partitioned": (True,)},
        "several lists": {"ceql/partition": ((("k",), ("b",)),)},
        "LIMIT": {"ceql/several results are right": (True,)},
        "several streams": {"ceql/streams": (2,)},
        **{
            f"CONSUME BY {each}": {"ceql/consume": (each,)}
            for each in Consumption if each != "NONE"
        },
    },
    "readings": {
        "output=valuation": {"ceql/output": ("valuation",)},
        "within=core": {"ceql/how within is read": ("core",)},
        "strategy=after-within": {"ceql/when strategies choose": ("after-within",)},
        "partition=core": {"ceql/how partitions are read": ("core",)},
        "limit=query": {"ceql/what is limited": ("query",)},
    },
    "streams": {"2": {"ceql/streams": (2,), "ceql/streams without FROM": (2,)}},
    "data": {
        "missing attribute": {"ceql/lacking": ("seldom", "often")},
        "comparison of different types": {
            "ceql/attribute": ("s",), "ceql/attribute of LIKE": ("n",),
            "ceql/attribute in numbers": ("s",),
            "ceql/types in another stream": ("text", "boolean", "text and double"),
        },
        "attribute that no tuple has": {"ceql/attribute": ("nowhere",)},
    },
}

RESTRICTIONS: Final = {
    (group, name): refused
    for group, by_name in _BY_GROUP.items() for name, refused in by_name.items()
}
"""By a group of capabilities and a name in it: the options that are refused to do without it."""
