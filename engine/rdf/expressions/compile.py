"""SPARQL expressions compiled to closures over rows of ids (SPARQL 1.1 Query, 17).

Each expression can be had in three forms, whichever its context asks for: its truth (EBV), its
value (what operators compute with), its term (an id; what BIND stores and sameTerm compares). All
three take a row and raise `ExpressionError` for SPARQL's type error.
"""

from __future__ import annotations

import operator
import random
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar

from ....semantics.model.errors import QueryError
from ....semantics.model.iris import resolve
from ....semantics.model.terms import BNode, Literal, Term, URIRef, Variable
from ....semantics.rdf.syntax.tree import (
    Aggregate,
    And,
    Arithmetic,
    BuiltIn,
    Comparison,
    Exists,
    Expression,
    FunctionCall,
    In,
    Not,
    Or,
    Sign,
)
from ..data.dictionary import UNBOUND, Dictionary
from .casts import CASTS, term_of
from .functions import FUNCTIONS, instant, iri, plain, strdt
from .operators import ARITHMETIC, equal, less, less_or_equal, numeric, signed, truth
from .values import NUMERIC, XSD, ExpressionError, Value, value_of

Row: TypeAlias = Sequence[int]
TruthOf: TypeAlias = Callable[[Row], bool]
ValueOf: TypeAlias = Callable[[Row], Value]
TermOf: TypeAlias = Callable[[Row], int]
Result = TypeVar("Result")
ExistsCompiler: TypeAlias = Callable[[Exists], TruthOf]

COMPARISONS: Final[dict[str, Callable[[Value, Value], bool]]] = {
    "=": equal,
    "!=": lambda left, right: not equal(left, right),
    "<": less,
    ">": lambda left, right: less(right, left),
    "<=": less_or_equal,
    ">=": lambda left, right: less_or_equal(right, left),
}
DIRECT: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt,
    ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}
"""For two values of one type of DIRECT_TYPES, Python's own comparison is SPARQL's."""

DIRECT_TYPES: Final = NUMERIC | {str, bool}

_STRING: Final = URIRef(XSD + "string")
_LANG_STRING: Final = URIRef("http://www.w3.org/1999/02/22-rdf-syntax-ns#langString")
_CONSTRUCTORS: Final[dict[str, Callable[[], Value]]] = {
    "RAND": random.random,
    "UUID": lambda: URIRef(f"urn:uuid:{uuid.uuid4()}"),
    "STRUUID": lambda: str(uuid.uuid4()),
    "BNODE": BNode,
}


class ExpressionCompiler:
    """Compiles expressions over rows whose columns `positions` names.

    A variable without a position is unbound in every row. `exists` compiles EXISTS; without it,
    there is no graph to evaluate EXISTS on, and it is an error.
    """

    def __init__(
        self,
        positions: Mapping[Variable, int],
        dictionary: Dictionary,
        exists: ExistsCompiler | None = None,
        labels: dict[str, BNode] | None = None,
    ) -> None:
        self.positions = positions
        self.dictionary = dictionary
        self.exists = exists
        self.labels: dict[str, BNode] = {} if labels is None else labels
        """Blank nodes that BNODE(label) has made for the solution at hand."""

    # --- truth ----------------------------------------------------------------------------------

    def truth(self, expression: Expression) -> TruthOf:
        """EBV of the expression."""
        match expression:
            case Or(operands):
                return _any([self.truth(operand) for operand in operands])
            case And(operands):
                return _all([self.truth(operand) for operand in operands])
            case Not(operand):
                inner = self.truth(operand)
                return lambda row: not inner(row)
            case Comparison(symbol, left, right):
                return self._comparison(symbol, left, right)
            case In(operand, choices, negated):
                return self._membership(operand, choices, negated)
            case Exists(_, negated):
                return self._exists(expression, negated)
            case BuiltIn("BOUND", (Variable() as variable,)):
                return self._bound(variable)
            case BuiltIn("SAMETERM", (left, right)):
                one, other = self.term(left), self.term(right)
                return lambda row: one(row) == other(row)
            case _:
                value = self.value(expression)
                return lambda row: truth(value(row))

    def _bound(self, variable: Variable) -> TruthOf:
        position = self.positions.get(variable)
        if position is None:
            return lambda row: False
        return lambda row: row[position] != UNBOUND

    def _exists(self, expression: Exists, negated: bool) -> TruthOf:
        if self.exists is None:
            raise QueryError("EXISTS has no graph to be evaluated on in a deferred condition")
        found = self.exists(expression)
        return (lambda row: not found(row)) if negated else found

    def _comparison(self, symbol: str, left: Expression, right: Expression) -> TruthOf:
        compare = COMPARISONS[symbol]
        direct = DIRECT[symbol]
        if isinstance(left, URIRef) and symbol in ("=", "!="):
            left, right = right, left
        if isinstance(right, URIRef) and isinstance(left, Variable) and symbol in ("=", "!="):
            return self._is_iri(left, right, symbol == "=")
        one = self.value(left)
        if isinstance(right, Literal):
            constant = value_of(right)
            kind = type(constant) if type(constant) in DIRECT_TYPES else None

            def with_constant(row: Row) -> bool:
                value = one(row)
                if type(value) is kind:
                    return direct(value, constant)
                return compare(value, constant)

            return with_constant
        other = self.value(right)

        def of_two(row: Row) -> bool:
            value, reference = one(row), other(row)
            kind = type(value)
            if kind is type(reference) and kind in DIRECT_TYPES:
                return direct(value, reference)
            return compare(value, reference)

        return of_two

    def _is_iri(self, variable: Variable, iri: URIRef, wanted: bool) -> TruthOf:
        # IRIs are equal iff they are the same term, and no literal equals an IRI: compare ids.
        number = self.dictionary.encode(iri, permanent=True)
        term = self.term(variable)
        if wanted:
            return lambda row: term(row) == number
        return lambda row: term(row) != number

    def _membership(
        self, operand: Expression, choices: tuple[Expression, ...], negated: bool
    ) -> TruthOf:
        # 17.4.1.9: a IN (b, …) is a = b || …, so an error counts only if nothing is equal.
        value = self.value(operand)
        members = [self.value(choice) for choice in choices]

        def is_member(row: Row) -> bool:
            wanted = value(row)
            failed = False
            for member in members:
                try:
                    if equal(wanted, member(row)):
                        return not negated
                except ExpressionError:
                    failed = True
            if failed:
                raise ExpressionError("no member is equal, some cannot be compared")
            return negated

        return is_member

    # --- values ---------------------------------------------------------------------------------

    def value(self, expression: Expression) -> ValueOf:
        """Return the value of the expression."""
        match expression:
            case Variable():
                return self._variable_value(expression)
            case URIRef() | BNode() | Literal():
                constant = value_of(expression)
                return lambda row: constant
            case Or() | And() | Not() | Comparison() | In() | Exists():
                return self.truth(expression)
            case Arithmetic(symbol, left, right):
                return self._arithmetic(symbol, left, right)
            case Sign(symbol, operand):
                inner = self.value(operand)
                return lambda row: signed(symbol, numeric(inner(row)))
            case BuiltIn("BOUND" | "SAMETERM"):
                return self.truth(expression)
            case BuiltIn("IF", (condition, then, otherwise)):
                return _choice(self.truth(condition), self.value(then), self.value(otherwise))
            case BuiltIn("COALESCE", arguments):
                return _first([self.value(argument) for argument in arguments])
            case BuiltIn("STR", (argument,)):
                return self._str(argument)
            case BuiltIn("DATATYPE", (argument,)):
                return self._datatype(argument)
            case BuiltIn("STRDT", (lexical, datatype)):
                made = _applied(strdt, [self.value(lexical), self.value(datatype)])
                return lambda row: value_of(made(row))
            case BuiltIn(name, ()) if name in _CONSTRUCTORS:
                construct = _CONSTRUCTORS[name]
                return lambda row: construct()
            case BuiltIn("NOW", ()):
                dictionary = self.dictionary
                return lambda row: instant(dictionary.started)
            case BuiltIn("BNODE", (label,)):
                return self._labelled_blank_node(label)
            case BuiltIn("IRI" | "URI", (argument,)):
                return self._iri(argument)
            case BuiltIn(name, arguments):
                return _applied(FUNCTIONS[name], [self.value(argument) for argument in arguments])
            case FunctionCall(function, (argument,)) if str(function) in CASTS:
                return _applied(CASTS[str(function)], [self.value(argument)])
            case FunctionCall():
                return _unknown_function
            case Aggregate(name, _):
                raise QueryError(f"the aggregate {name} cannot stand here")
            case _:
                raise QueryError(f"not an expression: {expression!r}")

    def _variable_value(self, variable: Variable) -> ValueOf:
        position = self.positions.get(variable)
        if position is None:
            return _unbound
        values = self.dictionary.values
        return lambda row: values[row[position]]

    def _arithmetic(self, symbol: str, left: Expression, right: Expression) -> ValueOf:
        one, other = self.value(left), self.value(right)
        compute = ARITHMETIC[symbol]

        def result(row: Row) -> Value:
            return compute(one(row), other(row))

        return result

    def _iri(self, argument: Expression) -> ValueOf:
        """IRI, URI: a relative one is resolved against the base of the execution."""
        inner = self.value(argument)
        base = self.dictionary.base

        def named(row: Row) -> Value:
            value = inner(row)
            return value if isinstance(value, URIRef) else iri(resolve(plain(value), base))

        return named

    def _str(self, argument: Expression) -> ValueOf:
        """STR: the lexical form as written, hence from the term."""
        term = self.decoded(argument)

        def lexical(row: Row) -> str:
            found = term(row)
            if isinstance(found, BNode):
                raise ExpressionError("a blank node has no string form")
            return str(found)

        return lexical

    def _datatype(self, argument: Expression) -> ValueOf:
        """DATATYPE: the declared one, hence from the term."""
        term = self.decoded(argument)

        def datatype(row: Row) -> URIRef:
            found = term(row)
            if not isinstance(found, Literal):
                raise ExpressionError("not a literal")
            if found.language is not None:
                return _LANG_STRING
            return found.datatype or _STRING

        return datatype

    def _labelled_blank_node(self, label: Expression) -> ValueOf:
        """BNODE(label): the same node for the same label, within one solution."""
        value = self.value(label)
        labels = self.labels

        def node(row: Row) -> BNode:
            return labels.setdefault(plain(value(row)), BNode())

        return node

    # --- terms ----------------------------------------------------------------------------------

    def term(self, expression: Expression) -> TermOf:
        """Return the id of the expression's term."""
        match expression:
            case Variable():
                return self._variable_term(expression)
            case URIRef() | BNode() | Literal():
                number = self.dictionary.encode(expression, permanent=True)
                return lambda row: number
            case BuiltIn("IF", (condition, then, otherwise)):
                return _choice(self.truth(condition), self.term(then), self.term(otherwise))
            case BuiltIn("COALESCE", arguments):
                return _first([self.term(argument) for argument in arguments])
            case BuiltIn("STRDT", (lexical, datatype)):
                made = _applied(strdt, [self.value(lexical), self.value(datatype)])
                return self._encoded(made)
            case _:
                value = self.value(expression)
                return self._encoded(lambda row: term_of(value(row)))

    def _encoded(self, term: Callable[[Row], Term]) -> TermOf:
        encode = self.dictionary.encode
        return lambda row: encode(term(row))

    def _variable_term(self, variable: Variable) -> TermOf:
        position = self.positions.get(variable)
        if position is None:
            return _unbound

        def number(row: Row) -> int:
            found = row[position]
            if found <= UNBOUND:
                raise ExpressionError("unbound, or a list")
            return found

        return number

    def decoded(self, expression: Expression) -> Callable[[Row], Term]:
        """Return the term itself."""
        number = self.term(expression)
        decode = self.dictionary.decode
        return lambda row: decode(number(row))


def _applied(function: Callable[..., Result], arguments: Sequence[ValueOf]) -> (
    Callable[[Row], Result]
):
    """Return the function of the arguments' values."""
    if len(arguments) == 1:
        (only,) = arguments
        return lambda row: function(only(row))
    if len(arguments) == 2:
        first, second = arguments
        return lambda row: function(first(row), second(row))
    return lambda row: function(*[argument(row) for argument in arguments])


def _choice(
    condition: TruthOf, then: Callable[[Row], Result], otherwise: Callable[[Row], Result]
) -> Callable[[Row], Result]:
    """IF (17.4.1.2)."""
    return lambda row: then(row) if condition(row) else otherwise(row)


def _first(operands: Sequence[Callable[[Row], Result]]) -> Callable[[Row], Result]:
    """COALESCE (17.4.1.3): the first operand that is not in error."""

    def first(row: Row) -> Result:
        for operand in operands:
            try:
                return operand(row)
            except ExpressionError:
                continue
        raise ExpressionError("all operands of COALESCE are in error")

    return first


def _unknown_function(row: Row) -> Any:
    raise ExpressionError("an unknown function")


def _unbound(row: Row) -> Any:
    raise ExpressionError("unbound")


def _any(operands: list[TruthOf]) -> TruthOf:
    """a || b || …: true if one is true, else an error if one is an error (17.2)."""

    def disjunction(row: Row) -> bool:
        failure: ExpressionError | None = None
        for operand in operands:
            try:
                if operand(row):
                    return True
            except ExpressionError as error:
                failure = error
        if failure is not None:
            raise failure
        return False

    return disjunction


def _all(operands: list[TruthOf]) -> TruthOf:
    """a && b && …: false if one is false, else an error if one is an error (17.2)."""

    def conjunction(row: Row) -> bool:
        failure: ExpressionError | None = None
        for operand in operands:
            try:
                if not operand(row):
                    return False
            except ExpressionError as error:
                failure = error
        if failure is not None:
            raise failure
        return True

    return conjunction
