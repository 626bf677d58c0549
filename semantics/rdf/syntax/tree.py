"""The syntax tree of SPARQL 1.1 graph patterns, expressions and queries (SPARQL 1.1 Query, 19.8).

The tree keeps SPARQL's own structure: a group is a *sequence* of elements, as written. What a group
means (18.2) is said in `algebra`; engines read the tree in their own way. Positions are carried for
messages and do not take part in equality.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, TypeAlias

from rdflib.term import URIRef, Variable

from ...model.errors import Position, position_field
from ...model.pretty_printing import ShownAsText
from ...model.terms import Term

TermOrVariable: TypeAlias = Term | Variable


# --- property paths (SPARQL 1.1, 9.1 and 18.2.2) -------------------------------------------------


@dataclass(frozen=True, slots=True)
class InversePath:
    """^elt"""

    path: Path


@dataclass(frozen=True, slots=True)
class SequencePath:
    """elt1 / elt2 / …"""

    steps: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class AlternativePath:
    """elt1 | elt2 | …"""

    alternatives: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class ZeroOrMorePath:
    """elt*"""

    path: Path


@dataclass(frozen=True, slots=True)
class OneOrMorePath:
    """elt+"""

    path: Path


@dataclass(frozen=True, slots=True)
class ZeroOrOnePath:
    """elt?"""

    path: Path


@dataclass(frozen=True, slots=True)
class NegatedPropertySet:
    """!(iri1 | … | ^irik | …)"""

    forward: tuple[URIRef, ...]
    inverse: tuple[URIRef, ...]


# Beyond SPARQL: nested regular expressions (nSPARQL, Pérez, Arenas and Gutierrez), in CQELS-CEP.


class Axis(StrEnum):
    """The axis that a step follows: none, or in a triple (x, z, y) x to y, x to z, z to y."""

    SELF = "self"
    NEXT = "next"
    EDGE = "edge"
    NODE = "node"


@dataclass(frozen=True, slots=True)
class AxisPath:
    """axis, axis::a or axis::[exp], with `inverse` axis⁻¹ …; at most one of `label`, `nested`"""

    axis: Axis
    inverse: bool = False
    label: Term | None = None
    nested: Path | None = None


@dataclass(frozen=True, slots=True)
class NestedPath:
    """elt[test]: where elt leads, a path of the test begins"""

    path: Path
    test: Path


@dataclass(frozen=True, slots=True)
class NodeTest:
    """[path] and [path object]: a step that stays where such a path begins"""

    path: Path
    object: Term | None = None


# A link is simply its IRI.
Path: TypeAlias = (
    URIRef | InversePath | SequencePath | AlternativePath | ZeroOrMorePath | OneOrMorePath
    | ZeroOrOnePath | NegatedPropertySet | AxisPath | NestedPath | NodeTest
)


# --- expressions (SPARQL 1.1, 17) ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Or:
    """a || b || …"""

    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class And:
    """a && b && …"""

    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """!a"""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Comparison:
    """a OP b, OP one of = != < > <= >="""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class In:
    """a IN (b, …), a NOT IN (b, …)"""

    operand: Expression
    choices: tuple[Expression, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """a OP b, OP one of + - * /"""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Sign:
    """+a, -a"""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """NAME(arguments), NAME in capitals as in the grammar (STRLEN, BOUND, IF, COALESCE, …)."""

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """iri(arguments): a cast or an extension function"""

    function: URIRef
    arguments: tuple[Expression, ...]
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Exists:
    """EXISTS { … }, NOT EXISTS { … }"""

    pattern: GroupGraphPattern
    negated: bool = False
    position: Position = position_field()


@dataclass(frozen=True, slots=True)
class Aggregate:
    """COUNT, SUM, MIN, MAX, AVG, SAMPLE, GROUP_CONCAT; `operand` is None for COUNT(*)."""

    name: str
    operand: Expression | None
    distinct: bool = False
    separator: str | None = None


Expression: TypeAlias = (
    TermOrVariable | Or | And | Not | Comparison | In | Arithmetic | Sign | BuiltIn | FunctionCall
    | Exists | Aggregate
)


# --- graph patterns (SPARQL 1.1, 5–11) -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TriplePattern:
    """t; the predicate may be a property path. A blank node acts as a variable of its BGP."""

    subject: TermOrVariable
    predicate: TermOrVariable | Path
    object: TermOrVariable
    position: Position = position_field()


@dataclass(frozen=True, slots=True)
class TriplesBlock:
    """t1 . t2 . … : adjacent triple patterns (and paths), one basic graph pattern"""

    triples: tuple[TriplePattern, ...]


@dataclass(frozen=True, slots=True)
class Filter:
    """FILTER R."""

    condition: Expression
    position: Position = position_field()


@dataclass(frozen=True, slots=True)
class OptionalPattern:
    """OPTIONAL { … }"""

    pattern: GroupGraphPattern
    position: Position = position_field()


@dataclass(frozen=True, slots=True)
class UnionPattern:
    """{ … } UNION { … } UNION …; with one alternative it is a nested group"""

    alternatives: tuple[GroupGraphPattern, ...]


@dataclass(frozen=True, slots=True)
class MinusPattern:
    """MINUS { … }"""

    pattern: GroupGraphPattern
    position: Position = position_field()


@dataclass(frozen=True, slots=True)
class NamedGraphPattern:
    """GRAPH name { … }"""

    name: URIRef | Variable
    pattern: GroupGraphPattern
    position: Position = position_field()


@dataclass(frozen=True, slots=True)
class Bind:
    """BIND (expression AS ?v)."""

    expression: Expression
    variable: Variable
    position: Position = position_field()


@dataclass(frozen=True, slots=True)
class InlineData:
    """VALUES (?v …) { (t …) … }; None stands for UNDEF."""

    variables: tuple[Variable, ...]
    rows: tuple[tuple[Term | None, ...], ...]


@dataclass(frozen=True, slots=True)
class SubSelect:
    """{ SELECT … }"""

    query: SelectQuery
    position: Position = position_field()


class EmbeddedPattern:
    """An element that another language adds to the elements of a group (RSEP-QL: WINDOW, MATCH).

    The rules of scope use its variables and groups; its language defines its semantics.

    The rules of scope ask it for its variables and groups; what it means is its language's to say.
    """

    __slots__ = ()

    def variables(self) -> tuple[Variable, ...]:
        """Return the variables in scope: those that a solution may bind."""
        raise NotImplementedError

    def groups(self) -> tuple[GroupGraphPattern, ...]:
        """Return the groups inside it."""
        raise NotImplementedError


Element: TypeAlias = (
    TriplesBlock | Filter | OptionalPattern | UnionPattern | MinusPattern | NamedGraphPattern
    | Bind | InlineData | SubSelect | EmbeddedPattern
)


@dataclass(frozen=True, slots=True)
class GroupGraphPattern(ShownAsText):
    """{ element element … }"""

    LEVELS: ClassVar[int] = 2  # of nesting: more functions recur over groups than over expressions

    elements: tuple[Element, ...] = ()


# --- queries (SPARQL 1.1, 15 and 16) -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Prologue:
    """BASE and PREFIX declarations, by which IRIs were resolved."""

    base: str | None = None
    prefixes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Projection:
    """?v, or (expression AS ?v)"""

    variable: Variable
    expression: Expression | None = None


@dataclass(frozen=True, slots=True)
class OrderCondition:
    """ASC(e), DESC(e)."""

    expression: Expression
    descending: bool = False


@dataclass(frozen=True, slots=True)
class DatasetClause:
    """FROM <g> …, FROM NAMED <g> …"""

    default: tuple[URIRef, ...] = ()
    named: tuple[URIRef, ...] = ()


@dataclass(frozen=True, slots=True)
class SolutionModifier:
    """GROUP BY, HAVING, ORDER BY, LIMIT, OFFSET."""

    group_by: tuple[Projection | Expression, ...] = ()
    having: tuple[Expression, ...] = ()
    order_by: tuple[OrderCondition, ...] = ()
    limit: int | None = None
    offset: int = 0


@dataclass(frozen=True, slots=True)
class SelectQuery:
    """SELECT; `projection` is None for *. Also the body of a sub-select."""

    projection: tuple[Projection, ...] | None
    where: GroupGraphPattern
    modifier: SolutionModifier = SolutionModifier()
    distinct: bool = False
    reduced: bool = False
    values: InlineData | None = None
    dataset: DatasetClause | None = None
    prologue: Prologue = field(default=Prologue(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class AskQuery:
    """ASK."""

    where: GroupGraphPattern
    modifier: SolutionModifier = SolutionModifier()
    values: InlineData | None = None
    dataset: DatasetClause | None = None
    prologue: Prologue = field(default=Prologue(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ConstructQuery:
    """CONSTRUCT { template } WHERE …"""

    template: tuple[TriplePattern, ...]
    where: GroupGraphPattern
    modifier: SolutionModifier = SolutionModifier()
    values: InlineData | None = None
    dataset: DatasetClause | None = None
    prologue: Prologue = field(default=Prologue(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class DescribeQuery:
    """DESCRIBE; `targets` is None for *"""

    targets: tuple[URIRef | Variable, ...] | None
    where: GroupGraphPattern | None
    modifier: SolutionModifier = SolutionModifier()
    values: InlineData | None = None
    dataset: DatasetClause | None = None
    prologue: Prologue = field(default=Prologue(), compare=False, repr=False)


SparqlQuery: TypeAlias = SelectQuery | AskQuery | ConstructQuery | DescribeQuery


_NONE = range(1)
_ONE = range(1, 2)
_TWO = range(2, 3)
_THREE = range(3, 4)
_ANY = range(sys.maxsize)

ARITY: dict[str, range] = {
    **dict.fromkeys(("NOW", "RAND", "STRUUID", "UUID"), _NONE),
    **dict.fromkeys((
        "ABS", "BOUND", "CEIL", "DATATYPE", "DAY", "ENCODE_FOR_URI", "FLOOR", "HOURS", "IRI",
        "ISBLANK", "ISIRI", "ISLITERAL", "ISNUMERIC", "ISURI", "LANG", "LCASE", "MD5", "MINUTES",
        "MONTH", "ROUND", "SECONDS", "SHA1", "SHA256", "SHA384", "SHA512", "STR", "STRLEN",
        "TIMEZONE", "TZ", "UCASE", "URI", "YEAR",
    ), _ONE),
    **dict.fromkeys((
        "CONTAINS", "LANGMATCHES", "SAMETERM", "STRAFTER", "STRBEFORE", "STRDT", "STRENDS",
        "STRLANG", "STRSTARTS",
    ), _TWO),
    "IF": _THREE,
    "BNODE": range(2),
    "REGEX": range(2, 4),
    "SUBSTR": range(2, 4),
    "REPLACE": range(3, 5),
    "COALESCE": _ANY,
    "CONCAT": _ANY,
}


def in_words(arity: range) -> str:
    """Return an arity for people.

    >>> in_words(ARITY["REGEX"])
    '2 to 3 arguments'
    """
    low, high = arity[0], arity[-1]
    if low == high:
        return f"{low or 'no'} argument{'' if low == 1 else 's'}"
    return f"{low} to {high} arguments"
