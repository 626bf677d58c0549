"""The algebra of EP-SPARQL and the translation to it (section 4.2).

The operators of SPARQL's algebra keep their names, and four are added: SEQ becomes SeqJoin, EQUALS
EqJoin, OPTIONALSEQ SeqRightJoin and EQUALSOPTIONAL EqLeftJoin. As in SPARQL, the FILTERs of an
optional group are the condition F of its join.
"""

# The operators of SPARQL's algebra are declared over SPARQL's own; here they hold ours too.
# mypy: disable-error-code="arg-type"

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ..model.trees import remembering
from ..rdf import algebra as a
from ..rdf import translation
from ..rdf.syntax import tree as s
from .intervals import Timed
from .syntax.tree import Operator, TemporalPattern


@dataclass(frozen=True, slots=True)
class SeqJoin:
    """SeqJoin(P1, P2): P2 after P1."""

    left: Algebra
    right: Algebra


@dataclass(frozen=True, slots=True)
class SeqRightJoin:
    """SeqRightJoin(P1, P2, F): P2, and before it P1 where there is one; F is None for true."""

    optional: Algebra
    mandatory: Algebra
    condition: s.Expression | None


@dataclass(frozen=True, slots=True)
class SeqLeftJoin:
    """The hypothetical SEQOPTIONAL: P1, and after it P2 where there is one."""

    mandatory: Algebra
    optional: Algebra
    condition: s.Expression | None


@dataclass(frozen=True, slots=True)
class EqJoin:
    """EqJoin(P1, P2): both over the same interval."""

    left: Algebra
    right: Algebra


@dataclass(frozen=True, slots=True)
class EqLeftJoin:
    """EqLeftJoin(P1, P2, F): P1, and over the same interval P2 where there is one."""

    mandatory: Algebra
    optional: Algebra
    condition: s.Expression | None


@dataclass(frozen=True, slots=True)
class Given:
    """Solutions that have been found elsewhere (by a detection policy)."""

    solutions: tuple[Timed, ...]


Algebra: TypeAlias = (
    a.Algebra | SeqJoin | SeqRightJoin | SeqLeftJoin | EqJoin | EqLeftJoin | Given
)


@remembering
def translate(group: s.GroupGraphPattern) -> Algebra:
    """SPARQL 1.1, 18.2.2.6: element by element, the filters of the group at its end."""
    return translation.translate(group, with_element)


def with_element(before: Algebra, element: s.Element) -> Algebra:
    """Return the algebra of the pattern before an element, extended by that element."""
    if isinstance(element, TemporalPattern):
        return translation.join(before, temporal(element))
    return translation.followed_by(before, element, translate)


def temporal(pattern: TemporalPattern) -> Algebra:
    """Section 4.2: seq ↦ SeqJoin, equals ↦ EqJoin, and so on."""
    left, right = pattern.alternatives
    match pattern.operator:
        case Operator.SEQ:
            return SeqJoin(translate(left), translate(right))
        case Operator.EQUALS:
            return EqJoin(translate(left), translate(right))
        case Operator.OPTIONALSEQ:
            before, condition = optional(left)
            return SeqRightJoin(before, translate(right), condition)
        case Operator.EQUALSOPTIONAL:
            inner, condition = optional(right)
            return EqLeftJoin(translate(left), inner, condition)
        case Operator.SEQOPTIONAL:
            inner, condition = optional(right)
            return SeqLeftJoin(translate(left), inner, condition)


def optional(group: s.GroupGraphPattern) -> tuple[Algebra, s.Expression | None]:
    """SPARQL 1.1, 18.2.2.6: an optional group without its FILTERs, and these."""
    return translation.optional(group, translate)


@remembering
def translate_select(query: s.SelectQuery) -> Algebra:
    """Translate a SELECT, or a sub-select (SPARQL 1.1, 18.2.4 and 18.2.5)."""
    return translation.translate_select(query, translate)
