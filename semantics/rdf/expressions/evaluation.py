"""The value of an expression (SPARQL 1.1 Query, 17).

An expression has a term for its value, or is in error: then `ExpressionError` is raised. Naming: μ
is `mu`.

Constructor functions are those of 17.5, after XQuery 1.0 Functions and Operators, 17.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import partial

from rdflib.term import BNode, Literal, URIRef, Variable

from ...model.errors import Impossible
from ...model.mappings import SolutionMapping
from ...model.terms import Term, literal
from ..syntax import tree as s
from . import arithmetic
from .arithmetic import NoValue, is_number, to_double, to_float
from .context import Context
from .functions import FUNCTIONS
from .operators import ExpressionError, compare, effective_boolean_value, equals, numeric
from .values import (
    XSD_BOOLEAN,
    XSD_DATE_TIME,
    XSD_DECIMAL,
    XSD_DOUBLE,
    XSD_FLOAT,
    XSD_INTEGER,
    XSD_STRING,
    DateTime,
    DayTimeDuration,
    Float,
    LanguageString,
    Number,
    Value,
    boolean,
    date_time_text,
    decimal_text,
    duration_text,
    integer_text,
    number,
    parse_boolean,
    parse_date_time,
    parse_decimal,
    parse_double,
    parse_float,
    parse_integer,
    value_of,
)


def to_string(term: Term) -> Literal:
    """xsd:string of an IRI or a literal."""
    if isinstance(term, URIRef):
        return literal(str(term))
    value = _simple_value(term)
    if is_number(value):
        return literal(_number_text(value))
    match value:
        case bool():
            return literal("true" if value else "false")
        case DateTime():
            return literal(date_time_text(value))
        case DayTimeDuration():
            return literal(duration_text(value))
    return literal(str(term))


def _number_text(value: Number) -> str:
    """F&O 17.1.2: doubles from 1e-6 up to 1e6 are written without an exponent."""
    if isinstance(value, int):
        return integer_text(value)
    if isinstance(value, Decimal):
        return decimal_text(value)
    double = to_double(value)
    lexical = str(number(value))
    if double == 0:
        return "-0" if lexical.startswith("-") else "0"
    if 1e-6 <= abs(double) < 1e6:
        return decimal_text(Decimal(lexical))
    return lexical


def to_boolean(term: Term) -> Literal:
    """xsd:boolean"""
    value = _simple_value(term)
    if isinstance(value, bool):
        return boolean(value)
    if is_number(value):
        double = to_double(value)
        return boolean(not (double == 0 or math.isnan(double)) if _is_double(value) else value != 0)
    if isinstance(value, str):
        parsed = parse_boolean(_stripped(value))
        if parsed is not None:
            return boolean(parsed)
    raise _no_cast(term, XSD_BOOLEAN)


def _to_number(
    datatype: str,
    convert: Callable[[Number], Number | None],
    parse: Callable[[str], Number | None],
) -> Callable[[Term], Literal]:
    """Return the cast to a numeric type: of a truth value, a number, or the lexical form of one."""

    def cast(term: Term) -> Literal:
        value = _simple_value(term)
        found: Number | None = None
        if isinstance(value, bool):
            found = convert(int(value))
        elif is_number(value):
            found = convert(value)
        elif isinstance(value, str):
            found = parse(_stripped(value))
        if found is None:
            raise _no_cast(term, datatype)
        return number(found)

    return cast


def _exact(value: Number) -> int | Decimal | None:
    """Return the exact number (F&O 17.1.3.3: decimals have no limit), not of infinities or NaN."""
    if isinstance(value, Float):
        value = value.value
    if isinstance(value, float):
        return Decimal(value) if math.isfinite(value) else None
    return value


def _whole(value: Number) -> int | None:
    """F&O 17.1.3.4: a fraction is cut off."""
    exact = _exact(value)
    return None if exact is None else int(exact)


def _decimal(value: Number) -> Decimal | None:
    exact = _exact(value)
    return None if exact is None else Decimal(exact)


to_integer = _to_number(XSD_INTEGER, _whole, parse_integer)
to_decimal = _to_number(XSD_DECIMAL, _decimal, parse_decimal)


def to_date_time(term: Term) -> Literal:
    """xsd:dateTime"""
    value = _simple_value(term)
    if isinstance(value, DateTime) and not value.is_date:
        return literal(_stripped(str(term)), XSD_DATE_TIME)
    if isinstance(value, str) and parse_date_time(_stripped(value)) is not None:
        return literal(_stripped(value), XSD_DATE_TIME)
    raise _no_cast(term, XSD_DATE_TIME)


def _simple_value(term: Term) -> Value:
    """Return the value, if any, of a literal without a language tag."""
    if not isinstance(term, Literal):
        raise ExpressionError("{} is no literal, it cannot be cast", term)
    value = value_of(term)
    if isinstance(value, LanguageString):
        raise ExpressionError("{} has a language tag, it cannot be cast", term)
    return value


def _is_double(value: object) -> bool:
    return isinstance(value, Float | float)


def _stripped(text: str) -> str:
    return text.strip(" \t\n\r")


def _no_cast(term: Term, datatype: str) -> ExpressionError:
    return ExpressionError("{} cannot be cast to {}", term, URIRef(datatype))


CASTS: dict[str, Callable[[Term], Literal]] = {
    XSD_STRING: to_string,
    XSD_BOOLEAN: to_boolean,
    XSD_INTEGER: to_integer,
    XSD_DECIMAL: to_decimal,
    XSD_FLOAT: _to_number(XSD_FLOAT, to_float, parse_float),
    XSD_DOUBLE: _to_number(XSD_DOUBLE, to_double, parse_double),
    XSD_DATE_TIME: to_date_time,
}


__all__ = ["ExpressionError", "evaluate", "holds", "is_true"]


def holds(expression: s.Expression, mu: SolutionMapping) -> bool:
    """μ ⊨ R, where EXISTS has no graph to look at: then it is an error, which is false."""
    return is_true(expression, mu, Context())


def is_true(expression: s.Expression, mu: SolutionMapping, context: Context) -> bool:
    """Return the effective boolean value, an error being false (17.2, FILTER)."""
    try:
        return truth(expression, mu, context)
    except ExpressionError:
        return False


def truth(expression: s.Expression, mu: SolutionMapping, context: Context) -> bool:
    """Return the effective boolean value (17.2.2). Raises ExpressionError."""
    match expression:
        case s.Comparison(operator, left, right):
            return compare(operator, evaluate(left, mu, context), evaluate(right, mu, context))
        case s.And(operands):
            return not _is_among(False, (partial(truth, e, mu, context) for e in operands))
        case s.Or(operands):
            return _is_among(True, (partial(truth, e, mu, context) for e in operands))
        case s.Not(operand):
            return not truth(operand, mu, context)
        case s.In(operand, choices, negated):
            return _is_in(operand, choices, mu, context) != negated
        case s.Exists(pattern, negated):
            if context.exists is None:
                raise ExpressionError("EXISTS stands where there is no graph to look at")
            return context.exists(pattern, mu) != negated
        case s.BuiltIn("BOUND", (Variable() as variable,)):
            return variable in mu
    return effective_boolean_value(evaluate(expression, mu, context))


def evaluate(expression: s.Expression, mu: SolutionMapping, context: Context) -> Term:
    """Return the value of an expression under μ, in grammar order; raises ExpressionError."""
    match expression:
        case Variable():
            return _variable(expression, mu)
        case URIRef() | Literal() | BNode():
            return expression
        case s.Or() | s.And() | s.Not() | s.Comparison() | s.In() | s.Exists():
            return boolean(truth(expression, mu, context))
        case s.Arithmetic(operator, left, right):
            return _arithmetic(operator, left, right, mu, context)
        case s.Sign(operator, operand):
            value = numeric(evaluate(operand, mu, context))
            return number(arithmetic.negate(value) if operator == "-" else value)
        case s.BuiltIn("BOUND"):
            return boolean(truth(expression, mu, context))
        case s.BuiltIn("IF", (condition, then, otherwise)):
            chosen = then if truth(condition, mu, context) else otherwise
            return evaluate(chosen, mu, context)
        case s.BuiltIn("COALESCE", arguments):
            return _coalesce(arguments, mu, context)
        case s.BuiltIn(name, arguments):
            values = [evaluate(argument, mu, context) for argument in arguments]
            return FUNCTIONS[name](context, *values)
        case s.FunctionCall(function, arguments):
            return _call(function, arguments, mu, context)
    raise Impossible(f"an aggregate outside of a group: {expression!r}")


def _variable(variable: Variable, mu: SolutionMapping) -> Term:
    value = mu.get(variable)
    if value is None:
        raise ExpressionError("{} is unbound", variable)
    if isinstance(value, tuple):
        raise ExpressionError("{} is a list of collected values", variable)
    return value


def _is_among(decides: bool, truths: Iterable[Callable[[], bool]]) -> bool:
    """17.2: whether one of the truths is the one that decides, whatever is in error beside it."""
    error: ExpressionError | None = None
    for value in truths:
        try:
            if value() is decides:
                return True
        except ExpressionError as raised:
            error = raised
    if error is not None:
        raise error
    return False


def _is_in(
    operand: s.Expression, choices: tuple[s.Expression, ...], mu: SolutionMapping, context: Context
) -> bool:
    """17.4.1.9: a IN (b, c) is a = b || a = c."""
    value = evaluate(operand, mu, context)

    def equal_to(choice: s.Expression) -> bool:
        return equals(value, evaluate(choice, mu, context))

    return _is_among(True, (partial(equal_to, choice) for choice in choices))


def _coalesce(
    arguments: tuple[s.Expression, ...], mu: SolutionMapping, context: Context
) -> Term:
    """17.4.1.3: the first argument that is not in error."""
    for argument in arguments:
        try:
            return evaluate(argument, mu, context)
        except ExpressionError:
            continue
    raise ExpressionError("COALESCE has no argument without an error")


def _arithmetic(
    operator: str, left: s.Expression, right: s.Expression, mu: SolutionMapping, context: Context
) -> Term:
    """17.3: + - * / on numbers."""
    a = numeric(evaluate(left, mu, context))
    b = numeric(evaluate(right, mu, context))
    match operator:
        case "+":
            return number(arithmetic.add(a, b))
        case "-":
            return number(arithmetic.subtract(a, b))
        case "*":
            return number(arithmetic.multiply(a, b))
        case "/":
            try:
                return number(arithmetic.divide(a, b))
            except NoValue as error:
                raise ExpressionError(str(error)) from None
    raise Impossible(f"no such operator: {operator}")


def _call(
    function: URIRef, arguments: tuple[s.Expression, ...], mu: SolutionMapping, context: Context
) -> Term:
    """17.5 and 17.6: a cast; any other function is unknown, which is an error."""
    cast = CASTS.get(str(function))
    if cast is None:
        raise ExpressionError("the function {} is not known", function)
    if len(arguments) != 1:
        raise ExpressionError("the cast {} takes 1 argument", function)
    return cast(evaluate(arguments[0], mu, context))
