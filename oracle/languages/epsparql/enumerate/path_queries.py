"""All EP-SPARQL cases of the alphabet `paths`: one property path between two ends.

The operators are / | ^ * + ? and, of one predicate or its inverse, !. An end is a variable, at both
ends the same or not, the node :n0, at one end, or a blank node, as the subject.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from rdflib.term import BNode, URIRef, Variable

from .....semantics.epsparql.syntax.tree import EpsparqlQuery
from .....semantics.rdf.syntax.tree import (
    AlternativePath,
    GroupGraphPattern,
    InversePath,
    NegatedPropertySet,
    OneOrMorePath,
    Path,
    SelectQuery,
    SequencePath,
    TermOrVariable,
    TriplePattern,
    TriplesBlock,
    ZeroOrMorePath,
    ZeroOrOnePath,
)
from ....ranks.families import Family, HeldNamings, Letters
from ....ranks.grammars import Grammar
from ...enumerated_graphs import EXAMPLE, PROLOGUE
from .edge_streams import EdgeEnumeration, ToldApart

_LINK = URIRef(EXAMPLE)
_NODE = URIRef(f"{EXAMPLE}n0")
_ENDS: tuple[tuple[TermOrVariable, TermOrVariable], ...] = (
    (Variable("x"), Variable("y")), (Variable("x"), Variable("x")),
    (_NODE, Variable("x")), (Variable("x"), _NODE), (BNode("b"), Variable("x")),
)


class PathEnumeration(EdgeEnumeration):
    """What no path names is seen by `!` and by a path of no step."""

    def families(self, operators: int) -> list[Family[EpsparqlQuery, Any, ToldApart]]:
        return [
            Family(
                PATHS.count(operators, leaves),
                HeldNamings.of(
                    ((word, ends), ToldApart(letters, int(_NODE in ends), others=True))
                    for word, letters in Letters(leaves).all() for ends in _ENDS
                ),
                partial(_query, operators, leaves),
            )
            for leaves in range(1, operators + 2)
        ]


def _query(
    operators: int, leaves: int, shape: int,
    naming: tuple[str, tuple[TermOrVariable, TermOrVariable]],
) -> EpsparqlQuery:
    word, (subject, target) = naming
    path = PATHS.written(operators, leaves, shape, word, lambda letter: URIRef(EXAMPLE + letter))
    where = GroupGraphPattern((TriplesBlock((TriplePattern(subject, path, target),)),))
    return EpsparqlQuery(SelectQuery(None, where), prologue=PROLOGUE)


def _followed(first: Path, second: Path) -> Path:
    """a/b/c is one path."""
    before = first.steps if isinstance(first, SequencePath) else (first,)
    return SequencePath((*before, second))


def _or(first: Path, second: Path) -> Path:
    before = first.alternatives if isinstance(first, AlternativePath) else (first,)
    return AlternativePath((*before, second))


PATHS: Grammar[Path] = Grammar(
    _LINK, _LINK, unary=(InversePath, ZeroOrMorePath, OneOrMorePath, ZeroOrOnePath),
    binary=(_followed, _or),
    more=(NegatedPropertySet((_LINK,), ()), NegatedPropertySet((), (_LINK,))),
)
