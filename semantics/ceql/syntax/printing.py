"""From CEQL's syntax tree to text; `parse` reads back the same tree."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .tree import (
    And,
    AndCondition,
    Arithmetic,
    ArithmeticOperator,
    As,
    Attribute,
    CeqlQuery,
    Comparison,
    Condition,
    Constant,
    Consumption,
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
    Not,
    NotCondition,
    NotFormula,
    Or,
    OrCondition,
    Predicate,
    Projection,
    Range,
    Selected,
    Sequence,
    Strategy,
    StreamDeclaration,
    Term,
    VariableCondition,
    WindowUnit,
    Within,
)

_PLAIN = re.compile(r"[^\W\d]\w*")
_RESERVED = frozenset(
    {
        "ALL", "AND", "ANY", "AS", "BY", "CONSUME", "CREATE", "DECLARE", "DISTINCT", "EVENT",
        "EVENTS", "FALSE", "FILTER", "FROM", "HOUR", "HOURS", "IN", "LAST", "LIKE", "LIMIT", "MAX",
        "MINUTE", "MINUTES", "NEXT", "NONE", "NOT", "OR", "PARTITION", "RANGE", "SECOND", "SECONDS",
        "SELECT", "STREAM", "STRICT", "TRUE", "UNLESS", "WHERE", "WITHIN",
    }
)
_UNITS = (
    ("HOURS", 3_600_000_000_000), ("MINUTES", 60_000_000_000), ("SECONDS", 1_000_000_000),
    ("MILLISECONDS", 1_000_000), ("MICROSECONDS", 1_000),
)
_PRODUCTS = (
    ArithmeticOperator.MULTIPLY, ArithmeticOperator.DIVIDE, ArithmeticOperator.MODULO
)


def to_text(query: CeqlQuery) -> str:
    """The query, one clause a line."""
    strategy = "" if query.strategy is Strategy.ALL else f"{query.strategy} "
    lines = [
        *map(declaration_to_text, query.declarations),
        f"SELECT {strategy}{_selection(query.select)}",
        *([f"FROM {', '.join(map(name_to_text, query.streams))}"] if query.streams else []),
        f"WHERE {formula_to_text(query.formula)}",
    ]
    if query.partition:
        lists = (f"[{', '.join(map(name_to_text, names))}]" for names in query.partition)
        lines.append(f"PARTITION BY {', '.join(lists)}")
    if query.within is not None:
        lines.append(f"WITHIN {within_to_text(query.within)}")
    if query.consume is not Consumption.NONE:
        lines.append(f"CONSUME BY {query.consume}")
    if query.limit is not None:
        lines.append(f"LIMIT {query.limit}")
    return "\n".join(lines) + "\n"


def _selection(select: tuple[Selected, ...] | None) -> str:
    if select is None:
        return "*"
    return ", ".join(map(selected_to_text, select)) or "NONE"


def selected_to_text(selected: Selected) -> str:
    """X or X[a1, a2]"""
    shown = variable_to_text(selected.variable)
    if selected.attributes is None:
        return shown
    return f"{shown}[{', '.join(map(name_to_text, selected.attributes))}]"


def within_to_text(within: Within) -> str:
    """The measure, a duration in the largest unit that counts it wholly."""
    if within.unit is WindowUnit.EVENTS:
        return f"{within.value} EVENTS"
    if within.unit is WindowUnit.ATTRIBUTE:
        return f"{within.value} [{name_to_text(within.attribute or '')}]"
    for unit, nanoseconds in _UNITS:
        amount, rest = divmod(within.value, nanoseconds)
        if rest == 0 and (amount or unit == "MICROSECONDS"):
            return f"{amount} {unit}"
    return f"{within.value / 1_000:g} MICROSECONDS"


# --- φ; the number is how loosely an operator binds -----------------------------------------------

_FILTER, _OR, _CONTIGUOUS, _SEQUENCE, _POSTFIX, _ATOM = range(6)


def formula_to_text(formula: Formula) -> str:
    """A formula with no more parentheses than it needs."""
    return _formula(formula)[0]


def _formula(phi: Formula) -> tuple[str, int]:
    match phi:
        case EventType(name, stream):
            return variable_to_text(Name(name, stream)), _ATOM
        case NotFormula(operand):
            return f"NOT({_atomic(operand)})", _ATOM
        case As(operand, variable):
            return f"{_inside(operand, _POSTFIX)} AS {name_to_text(variable)}", _POSTFIX
        case Iteration(operand):
            return f"{_inside(operand, _POSTFIX)}+", _POSTFIX
        case ContiguousIteration(operand):
            return f"{_inside(operand, _POSTFIX)}:+", _POSTFIX
        case Sequence(left, right):
            return f"{_inside(left, _SEQUENCE)} ; {_inside(right, _POSTFIX)}", _SEQUENCE
        case Contiguous(left, right):
            return f"{_inside(left, _CONTIGUOUS)} : {_inside(right, _SEQUENCE)}", _CONTIGUOUS
        case Disjunction(left, right):
            return f"{_inside(left, _OR)} OR {_inside(right, _CONTIGUOUS)}", _OR
        case Filter(operand, condition):
            text = f"{_inside(operand, _FILTER)} FILTER {condition_to_text(condition)}"
            return text, _FILTER
        case Projection(operand, variables):  # no query has one, but messages may
            names = ", ".join(map(variable_to_text, variables))
            return f"π[{names}]({formula_to_text(operand)})", _ATOM


def _inside(phi: Formula, tightest: int) -> str:
    text, binds = _formula(phi)
    return text if binds >= tightest else f"({text})"


def _atomic(phi: EventType | Filter) -> str:
    # Inside NOT( ) no parentheses can stand, so a condition of FILTER is told by its own.
    if isinstance(phi, EventType):
        return variable_to_text(Name(phi.name, phi.stream))
    assert isinstance(phi.formula, EventType | Filter)
    return f"{_atomic(phi.formula)} FILTER {condition_to_text(phi.condition)}"


# --- θ --------------------------------------------------------------------------------------------


def condition_to_text(condition: Condition) -> str:
    """What stands behind FILTER."""
    match condition:
        case VariableCondition(variable, predicate):
            return f"{variable_to_text(variable)}[{predicate_to_text(predicate)}]"
        case NotCondition(operand):
            return f"NOT {_condition(operand, (VariableCondition, NotCondition))}"
        case AndCondition(left, right):
            tight = (VariableCondition, NotCondition)
            return f"{_condition(left, (*tight, AndCondition))} AND {_condition(right, tight)}"
        case OrCondition(left, right):
            tighter = (VariableCondition, NotCondition, AndCondition)
            return f"{_condition(left, (*tighter, OrCondition))} OR {_condition(right, tighter)}"


def _condition(condition: Condition, plain: tuple[type, ...]) -> str:
    text = condition_to_text(condition)
    return text if isinstance(condition, plain) else f"({text})"


# --- P --------------------------------------------------------------------------------------------


def predicate_to_text(predicate: Predicate) -> str:
    """What stands in X[ ]."""
    match predicate:
        case Comparison(operator, left, right):
            return f"{term_to_text(left)} {operator} {term_to_text(right)}"
        case Like(attribute, pattern):
            return f"{name_to_text(attribute.name)} LIKE {_string(pattern)}"
        case In(attribute, values, negated):
            word = "NOT IN" if negated else "IN"
            return f"{name_to_text(attribute.name)} {word} {{{_values(values)}}}"
        case Range(operand, low, high):
            low_text, high_text = term_to_text(low), term_to_text(high)
            return f"{term_to_text(operand)} IN RANGE ({low_text}, {high_text})"
        case Not(operand):
            return f"NOT {_predicate(operand, (And, Or))}"
        case And(left, right):
            return f"{_predicate(left, (Or,))} AND {_predicate(right, (And, Or))}"
        case Or(left, right):
            return f"{predicate_to_text(left)} OR {_predicate(right, (Or,))}"


def _predicate(predicate: Predicate, loose: tuple[type, ...]) -> str:
    text = predicate_to_text(predicate)
    return f"({text})" if isinstance(predicate, loose) else text


def _values(values: Iterable[Constant] | Interval) -> str:
    if isinstance(values, Interval):
        low = "" if values.low is None else constant_to_text(values.low)
        high = "" if values.high is None else constant_to_text(values.high)
        return f"{low}..{high}"
    return ", ".join(map(constant_to_text, values))


def term_to_text(term: Term) -> str:
    """A term with no more parentheses than it needs."""
    match term:
        case Attribute(name):
            return name_to_text(name)
        case Literal(value):
            return constant_to_text(value)
        case Negative(operand):
            # Two minus signs in a row would begin a comment.
            inner = term_to_text(operand)
            return f"-({inner})" if isinstance(operand, Arithmetic | Negative) else f"-{inner}"
        case Arithmetic(operator, left, right):
            product = operator in _PRODUCTS
            first, second = term_to_text(left), term_to_text(right)
            if product and isinstance(left, Arithmetic) and left.operator not in _PRODUCTS:
                first = f"({first})"
            if isinstance(right, Arithmetic) and (product or right.operator not in _PRODUCTS):
                second = f"({second})"
            return f"{first} {operator} {second}"


def constant_to_text(value: Constant) -> str:
    """A constant, so that it is read back as one of its type."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, int):
        return str(value)
    text = repr(value)
    return text if "e" in text or "." in text else f"{text}.0"


def _string(text: str) -> str:
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


# --- names and declarations -----------------------------------------------------------------------


def variable_to_text(name: Name) -> str:
    """X or S>R"""
    shown = name_to_text(name.name)
    return shown if name.stream is None else f"{name_to_text(name.stream)}>{shown}"


def name_to_text(name: str) -> str:
    """A name, in backquotes where it would be read as something else."""
    if _PLAIN.fullmatch(name) and name.upper() not in _RESERVED:
        return name
    doubled = name.replace("`", "``")
    return f"`{doubled}`"


def declaration_to_text(declaration: StreamDeclaration) -> str:
    """CREATE STREAM S { EVENT A { x:int } }"""
    events = ", ".join(map(_event_to_text, declaration.events))
    return f"CREATE STREAM {name_to_text(declaration.name)} {{ {events} }}"


def _event_to_text(event: EventDeclaration) -> str:
    typed = ", ".join(f"{name_to_text(name)}:{kind}" for name, kind in event.attributes)
    body = f"{{ {typed} }}" if typed else "{ }"
    return f"EVENT {name_to_text(event.name)} {body}"
