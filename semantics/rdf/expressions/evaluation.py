"""What an expression means (SPARQL 1.1 Query, 17).

An expression has a term for its value, or is in error: then `ExpressionError` is raised. Naming: μ
is `mu`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from rdflib.term import BNode, Literal, URIRef, Variable

from ...model.errors import Impossible
from ...model.mappings import SolutionMapping
from ...model.terms import Term
from ..syntax import tree as s
from . import arithmetic
from .arithmetic import NoValue
from .casts import CASTS
from .context import Context
from .functions import FUNCTIONS
from .operators import ExpressionError, compare, effective_boolean_value, equals, numeric
from .values import boolean, number

__all__ = ["ExpressionError", "evaluate", "holds", "is_true"]


def holds(expression: s.Expression, mu: SolutionMapping) -> bool:
    """μ ⊨ R, where EXISTS has no graph to look at: then it is an error, which is false."""
    return is_true(expression, mu, Context())


def is_true(expression: s.Expression, mu: SolutionMapping, context: Context) -> bool:
    """The effective boolean value, an error being false (17.2, FILTER)."""
    try:
        return truth(expression, mu, context)
    except ExpressionError:
        return False


def truth(expression: s.Expression, mu: SolutionMapping, context: Context) -> bool:
    """The effective boolean value (17.2.2). Raises ExpressionError."""
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
    """The value of an expression under μ, in the order of the grammar. Raises ExpressionError."""
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
