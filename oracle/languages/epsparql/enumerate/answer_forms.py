"""All EP-SPARQL cases of the alphabet `answers`: what a query makes of its solutions.

A query is a head (SELECT of variables, DISTINCT or not, of an aggregate by groups or of all, of
getDURATION(); ASK; DESCRIBE), a pattern, or two with an operator between them, and a tail (HAVING,
or ORDER BY, LIMIT and OFFSET). Each of these is an operator, except SELECT * and the pattern.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

from .....semantics.epsparql.syntax.tree import EpsparqlQuery
from ....ranks.families import Family, HeldNamings
from .edge_streams import EdgeEnumeration, ToldApart, query_of

_PATTERNS = (
    ("?x :A ?y",),
    tuple(f"?x :A ?y . ?x :{letter} ?z" for letter in "AB")
    + tuple(f"{{ ?x :A ?y }} SEQ {{ ?x :{letter} ?z }}" for letter in "AB")
    + ("{ ?x :A ?y } UNION { ?x :B ?y }", "?x :A ?y OPTIONAL { ?x :B ?z }"),
)
"""By how many operators they have."""

_PLAIN = ("?x", "?y", "DISTINCT ?x", "DISTINCT *", "?x (GETDURATION() AS ?d)")
_AGGREGATES = ("COUNT(*)", "COUNT(DISTINCT ?y)", "SUM(?y)", "MIN(?y)", "MAX(?y)")
_HAVING = ("COUNT(*) > 1", "SUM(?y) < 3")
_SLICES = (
    "LIMIT 1", "OFFSET 1", "ORDER BY ?y LIMIT 1", "ORDER BY DESC(?y) LIMIT 1",
    "ORDER BY ?x DESC(?y) LIMIT 1", "ORDER BY ?y ?x OFFSET 1",
)
_OTHER = ("ASK", "DESCRIBE ?x", "DESCRIBE :n0")


class AnswerEnumeration(EdgeEnumeration):
    """Terms have an order here: a tail looks at it."""

    def families(self, operators: int) -> list[Family[EpsparqlQuery, str, ToldApart]]:
        return [Family(1, _queries(operators), lambda _, text: query_of(text))]


@cache
def _queries(operators: int) -> HeldNamings[str, ToldApart]:
    """The texts of so many operators."""
    return HeldNamings.of(
        (text, ToldApart("AB" if ":B" in text else "A", others="DESCRIBE" in text, ordered=True))
        for inside in range(min(operators, len(_PATTERNS) - 1) + 1)
        for pattern in _PATTERNS[inside]
        for text in _around(pattern, operators - inside)
    )


def _around(pattern: str, clauses: int) -> Iterator[str]:
    """The queries of a pattern with so many clauses."""
    where = f"WHERE {{ {pattern} }}"
    groups = [
        (f"SELECT {key} ({aggregate} AS ?n)".replace("  ", " "), f"GROUP BY {key}" if key else "")
        for key, aggregate in product(("", "?x"), _AGGREGATES)
    ]
    if clauses == 0:
        yield f"SELECT * {where}"
    if clauses == 1:
        yield from (f"SELECT * {where} {tail}" for tail in _SLICES)
        yield from (f"SELECT {head} {where}" for head in _PLAIN)
        yield from (f"{head} {where} {grouped}" for head, grouped in groups)
        yield from (f"{head} {where}" for head in _OTHER)
    if clauses == 2:
        yield from (f"SELECT {head} {where} {tail}" for head, tail in product(_PLAIN, _SLICES))
        for (head, grouped), having in product(groups, _HAVING):
            yield f"{head} {where} {grouped} HAVING ({having})"
