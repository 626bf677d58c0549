"""Strategies for predicates, conditions and formulas of CEQL (CORE Table 2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from .....semantics.ceql.syntax.analysis import variables
from .....semantics.ceql.syntax.tree import (
    And,
    AndCondition,
    Arithmetic,
    ArithmeticOperator,
    As,
    Attribute,
    Comparison,
    ComparisonOperator,
    Condition,
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
    Range,
    Term,
    VariableCondition,
)
from .....semantics.ceql.syntax.tree import Sequence as Followed
from .....semantics.model.tuples import Value
from ....fuzzing.strategies.choices import among, choice

TYPES = ("A", "B", "C")
VARIABLES = ("x", "y", "z")
STREAMS = ("S", "T")

# Beyond the largest integer of 64 bits there is no value.
_INTS = st.sampled_from((0, 1, 2, 3))
_LARGE = st.sampled_from((2**63 - 1, -(2**63) + 1, 2**62, -2))
_DOUBLES = st.sampled_from((0.0, 1.0, 1.5, 2.5, -1.0))
_STRINGS = st.sampled_from(("p", "q", "pq", ""))
_COIN = st.booleans()
_OUTSIDE = choice("ceql/bound outside", (False,) * 5 + (True,))
_MOST_TYPES = 5


# --- P --------------------------------------------------------------------------------------------


@st.composite
def predicates(draw: DrawFn, depth: int = 1) -> Predicate:
    """Predicates on the attributes of generated streams; some compare what has no value."""
    kind = draw(_PREDICATE_KINDS if depth else _LEAF_KINDS)
    match kind:
        case "and":
            return And(draw(predicates(depth - 1)), draw(predicates(depth - 1)))
        case "or":
            return Or(draw(predicates(depth - 1)), draw(predicates(depth - 1)))
        case "not":
            return Not(draw(predicates(depth - 1)))
        case "like":
            return Like(Attribute(draw(_LIKE)), draw(_PATTERNS))
        case "in":
            return draw(_memberships())
        case "range":
            return Range(draw(_terms(1)), draw(_terms(0)), draw(_terms(0)))
        case "string":
            operator = draw(_OF_STRINGS)
            one, other = Attribute("s"), Literal(draw(_STRINGS))
            if draw(among((False, False, True))):
                return Comparison(operator, other, one)
            return Comparison(operator, one, other)
        case "boolean":
            operator = draw(among((ComparisonOperator.EQUAL, ComparisonOperator.NOT_EQUAL)))
            return Comparison(operator, Attribute("b"), Literal(draw(_COIN)))
    return Comparison(draw(among(ComparisonOperator)), draw(_terms(1)), draw(_terms(0)))


_LEAF_KINDS = choice(
    "ceql/leaf", ("comparison",) * 3 + ("string", "in", "range", "like", "boolean")
)
_PREDICATE_KINDS = choice(
    "ceql/predicate",
    ("comparison",) * 6 + ("string", "in", "range", "like", "boolean", "and", "or", "not"),
)
_OF_STRINGS = choice("ceql/comparison of strings", tuple(ComparisonOperator))
_ATTRIBUTES = choice("ceql/attribute", ("n", "n", "d", "k", "t", "nowhere", "s"))
_LIKE = choice("ceql/attribute of LIKE", ("s", "s", "n"))
_PATTERNS = st.sampled_from(("p", "^q", "pq?$", "", "[pq]{2}"))


_LEAF_TERMS = choice(
    "ceql/operand", ("attribute",) * 3 + ("literal",) * 3 + ("double", "large", "minus")
)
_ARITHMETIC = choice("ceql/arithmetic", tuple(ArithmeticOperator))
_TERMS = choice(
    "ceql/term",
    ("attribute",) * 6
    + ("literal", "double", "literal", "large", "arithmetic", "arithmetic", "negative"),
)


@st.composite
def _terms(draw: DrawFn, depth: int) -> Term:
    match draw(_TERMS if depth else _LEAF_TERMS):
        case "arithmetic":
            return Arithmetic(draw(_ARITHMETIC), draw(_terms(0)), draw(_terms(0)))
        case "negative":
            return Negative(draw(_terms(0)))
        case "attribute":
            return Attribute(draw(_ATTRIBUTES))
        case "double":
            return Literal(draw(among((0.5, 1.0, 1.5))))
        case "large":
            return _number(draw(_LARGE))
        case "minus":
            return _number(-draw(among((2, 3, 1))))
    return _number(draw(_INTS))


def _number(value: int) -> Term:
    """A number as it is read: a sign is an operator."""
    return Literal(value) if value >= 0 else Negative(Literal(-value))


@st.composite
def _memberships(draw: DrawFn) -> In:
    negated = draw(_NEGATED)
    if draw(_INTERVAL):
        low, high = draw(st.none() | _INTS), draw(_INTS)
        return In(Attribute(draw(among(("n", "d")))), Interval(low, high), negated)
    if draw(_COIN):
        values: tuple[Value, ...] = tuple(draw(st.lists(_STRINGS, min_size=1, max_size=2)))
        return In(Attribute("s"), values, negated)
    numbers = draw(st.lists(_INTS | _DOUBLES, min_size=1, max_size=3))
    return In(Attribute(draw(_IN_NUMBERS)), tuple(numbers), negated)


_NEGATED = choice("ceql/NOT IN", (False, True))
_INTERVAL = choice("ceql/interval", (False, True))
_IN_NUMBERS = choice("ceql/attribute in numbers", ("n", "d", "s"))


# --- θ --------------------------------------------------------------------------------------------


@st.composite
def conditions(draw: DrawFn, names: Sequence[Name], depth: int = 1) -> Condition:
    """Conditions on these variables."""
    kind = draw(_CONDITIONS) if depth else "one"
    match kind:
        case "and":
            left, right = draw(conditions(names, depth - 1)), draw(conditions(names, depth - 1))
            return AndCondition(left, right)
        case "or":
            left, right = draw(conditions(names, depth - 1)), draw(conditions(names, depth - 1))
            return OrCondition(left, right)
        case "not":
            return NotCondition(draw(conditions(names, depth - 1)))
    return VariableCondition(draw(among(names)), draw(predicates()))


_CONDITIONS = choice("ceql/condition", ("one",) * 5 + ("and", "and", "or", "not"))


# --- φ --------------------------------------------------------------------------------------------


@st.composite
def formulas(draw: DrawFn, size: int = _MOST_TYPES, streams: int = 1) -> Formula:
    """CEL formulas of at most `size` event types, nested iteration and disjunction among them."""
    kinds = draw(_ALPHABETS)
    first = draw(st.integers(0, len(TYPES) - kinds))
    atoms = _Atoms(streams, TYPES[first : first + kinds], draw(_DENIED))
    if size >= _FEWEST_OF_RIVALS and draw(_WORDS) == "rivals":
        phi = draw(_rivals(atoms))
    else:
        phi = draw(_shapes(min(draw(_EVENTS), size), atoms))
    return _filtered(draw, phi, 1) if draw(_FILTERED) else phi


_WORDS = choice("ceql/formula", ("any shape",) * 5 + ("rivals",))
_FEWEST_OF_RIVALS = 5
_EVENTS = choice("ceql/event types", (1, 2, 3, 2, 3, 2, 4, 5))
_FILTERED = choice("ceql/filtered", (False, True))
_ALPHABETS = choice("ceql/types in a formula", (3, 3, 2, 1))
"""The fewer types, the more ways there are to match the same tuples, and rivals of each."""
_DENIED = choice("ceql/NOT", (False, False, False, True))


@dataclass(frozen=True)
class _Atoms:
    """What stands at a formula's leaves: of how many streams, which types, whether NOT may."""

    streams: int
    types: Sequence[str]
    denied: bool


@st.composite
def _rivals(draw: DrawFn, atoms: _Atoms) -> Formula:
    """Two or three sequences that end alike: what they match at one end are rivals of each other.

    One goes on where another skips, they are of different lengths, and none need include another.
    """
    last = draw(among(atoms.types))
    words = [
        [draw(among(atoms.types)) for _ in range(draw(_LENGTHS))]
        for _ in range(draw(_SEQUENCES))
    ]
    phi = _sequence(draw, [*words[0], last])
    for word in words[1:]:
        phi = Disjunction(phi, _sequence(draw, [*word, last]))
    return phi


_LENGTHS = choice("ceql/length of a rival", (2, 1, 3, 2))
_SEQUENCES = choice("ceql/rivals", (2, 2, 3))


def _sequence(draw: DrawFn, word: Sequence[str]) -> Formula:
    phi = _event_of_a_rival(draw, word[0])
    for kind in word[1:]:
        phi = Followed(phi, _event_of_a_rival(draw, kind))
    return phi


def _event_of_a_rival(draw: DrawFn, kind: str) -> Formula:
    event = EventType(kind)
    match draw(_LEAF_OF_A_RIVAL):
        case "+":
            return Iteration(event)
        case "AS":
            return As(event, draw(among(VARIABLES)))
    return event


_LEAF_OF_A_RIVAL = choice("ceql/event of a rival", ("itself",) * 5 + ("+", "AS"))


@st.composite
def _shapes(draw: DrawFn, size: int, atoms: _Atoms) -> Formula:
    if size == 1:
        phi = draw(_leaves(atoms))
    else:
        operator = draw(_OPERATORS)
        split = draw(st.integers(1, size - 1))
        left = draw(_shapes(split, atoms))
        if draw(_OPERANDS) == "alike":
            right = draw(_likenesses(left))
        else:
            right = draw(_shapes(size - split, atoms))
        phi = _BINARY[operator](left, right)
    match draw(_POSTFIXES):
        case "+":
            phi = Iteration(phi)
        case ":+":
            phi = ContiguousIteration(phi)
        case "filter":
            phi = _filtered(draw, phi, 0)
    if draw(_NAMED):
        phi = As(phi, draw(among(VARIABLES)))
    return phi


@st.composite
def _likenesses(draw: DrawFn, phi: Formula) -> Formula:
    """The formula again, or what differs from it in what it is called or asks for alone."""
    match draw(_LIKENESSES):
        case "AS":
            return As(phi, draw(among(VARIABLES)))
        case "+":
            return Iteration(phi)
        case "filter":
            return _filtered(draw, phi, 0)
    return phi


_OPERANDS = choice("ceql/operands", ("apart",) * 5 + ("alike",))
_LIKENESSES = choice("ceql/likeness", ("AS", "same", "filter", "+"))
_OPERATORS = choice("ceql/operator", (";", ";", ";", "OR", "OR", ":"))
_POSTFIXES = choice("ceql/postfix", ("none",) * 5 + ("+", "+", ":+", "filter"))
_NAMED = choice("ceql/AS", (False, False, True))
_BINARY: dict[str, Callable[[Formula, Formula], Formula]] = {
    ";": Followed, ":": Contiguous, "OR": Disjunction,
}


@st.composite
def _leaves(draw: DrawFn, atoms: _Atoms) -> Formula:
    stream = draw(among(STREAMS[: atoms.streams])) if draw(_TOLD) else None
    event = EventType(draw(among(atoms.types)), stream)
    match draw(_ATOMS) if atoms.denied else "event":
        case "NOT":
            return NotFormula(event)
        case "NOT of a filter":
            own = [Name(event.name), Name(event.name, stream)]
            return NotFormula(Filter(event, draw(conditions(own, 0))))
    return event


_ATOMS = st.sampled_from(("event", "event", "NOT", "NOT of a filter"))
_TOLD = choice("ceql/stream told", (False,) * 5 + (True,))


def _filtered(draw: DrawFn, phi: Formula, depth: int) -> Formula:
    """The formula with a condition, rarely also on a variable that it does not bind."""
    names = [name_of(shown) for shown in sorted(variables(phi))]
    if draw(_OUTSIDE):
        names.append(Name(OUTER))
    return Filter(phi, draw(conditions(names, depth))) if names else phi


def name_of(shown: str) -> Name:
    """A variable as it is written."""
    stream, _, name = shown.rpartition(">")
    return Name(name, stream or None)


OUTER = "outer"
"""A variable that a condition may ask for before it is bound."""
