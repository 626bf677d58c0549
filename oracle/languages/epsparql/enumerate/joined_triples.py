"""All EP-SPARQL cases of the alphabet `triples`: triple patterns that share variables.

The operators are two patterns side by side, {…} {…}, SEQ, EQUALS, OPTIONALSEQ, EQUALSOPTIONAL,
UNION, OPTIONAL, MINUS, FILTER EXISTS and NOT EXISTS, and FILTERs of one or two variables. A pattern
is ?s :A ?o, each variable new or known, none twice in one; at most one place of a query is the node
:n0, as an object, or a blank node, as a subject. Where there are two operators, all patterns have
the same subject, and variables only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from typing import Any

from .....semantics.epsparql.syntax.tree import EpsparqlQuery
from ....ranks.families import Family, HeldNamings, Letters
from .edge_streams import EdgeEnumeration, ToldApart, query_of

_BETWEEN = ("", "SEQ", "UNION")
_ALONE = ("EQUALS", "OPTIONALSEQ", "EQUALSOPTIONAL")
"""Between single patterns: the alphabets `steps` and `gaps` have the others."""

_BEHIND = ("OPTIONAL", "MINUS", "FILTER EXISTS", "FILTER NOT EXISTS")
_FILTERS = ("?x = ?y", "?x != ?y", "?y = ?z", "?y != ?z", "BOUND(?z)", "!BOUND(?z)")
_VARIABLES = "xyzuvw"


@dataclass(frozen=True, slots=True)
class GroupShape:
    """A group with a place %s for each of its triple patterns; whether it ends with a FILTER, and
    what variable it has to have for that."""

    text: str
    leaves: int
    filtered: bool = False
    asks: str = ""


class TripleEnumeration(EdgeEnumeration):
    """Queries are a shape and, for its patterns, words."""

    def families(self, operators: int) -> list[Family[EpsparqlQuery, Any, ToldApart]]:
        families = []
        for leaves, asks in product(range(1, operators + 2), ("", "y", "z")):
            shapes = [s for s in _shapes(operators) if (s.leaves, s.asks) == (leaves, asks)]
            namings = [
                (patterns, told) for patterns, told in _namings(leaves, operators > 1)
                if f"?{asks}" in " ".join(patterns)
            ]
            if shapes and namings:
                families.append(Family(
                    len(shapes), HeldNamings.of(namings),
                    partial(_query, shapes),
                ))
        return families


def _query(shapes: list[GroupShape], shape: int, patterns: tuple[str, ...]) -> EpsparqlQuery:
    return query_of(f"SELECT * WHERE {{ {shapes[shape].text % patterns} }}")


@cache
def _shapes(operators: int) -> list[GroupShape]:
    """Every group of so many operators."""
    if operators == 0:
        return [GroupShape("%s", 1)]
    return list(_made(operators))


def _made(operators: int) -> Iterator[GroupShape]:
    if operators == 1:
        yield GroupShape("%s . %s", 2)
    for inner in _shapes(operators - 1):
        if not inner.asks:
            for condition in _FILTERS:
                yield GroupShape(
                    f"{inner.text} FILTER ({condition})", inner.leaves, True,
                    "z" if "?z" in condition else "y",
                )
    for on_left in range(operators):
        for left, right in product(_shapes(on_left), _shapes(operators - 1 - on_left)):
            if left.asks and right.asks:
                continue
            leaves, asks = left.leaves + right.leaves, left.asks or right.asks
            for word in (*_BETWEEN, *(_ALONE if operators == 1 else ())):
                text = f"{{ {left.text} }} {word} {{ {right.text} }}"
                yield GroupShape(text, leaves, asks=asks)
            before = f"{{ {left.text} }}" if left.filtered else left.text
            for word in _BEHIND:
                text = f"{before} {word} {{ {right.text} }}"
                yield GroupShape(text, leaves, word.startswith("FILTER"), asks)


@cache
def _namings(leaves: int, plain: bool) -> list[tuple[tuple[str, ...], ToldApart]]:
    """The triple patterns that may stand in so many places, and what they tell apart."""
    found = []
    for word, letters in Letters(leaves).all():
        for places in _places(leaves, plain):
            patterns = tuple(
                f"{s} :{letter} {o}" for letter, (s, o) in zip(word, places, strict=True)
            )
            found.append((patterns, ToldApart(letters, int(any(":n0" in o for _, o in places)))))
    return found


def _places(leaves: int, plain: bool) -> Iterator[tuple[tuple[str, str], ...]]:
    if leaves == 0:
        yield ()
        return
    for earlier in _places(leaves - 1, plain):
        known = {term for pattern in earlier for term in pattern}
        special = {"_:b", ":n0"} & known
        for subject in _terms(known, "_:b", plain, bool(special)):
            if plain and subject != "?x":
                continue
            met = known | {subject}
            special_now = special or subject == "_:b"
            for target in _terms(met, ":n0", plain, bool(special_now)):
                if target != subject:
                    yield (*earlier, (subject, target))


def _terms(known: set[str], special: str, plain: bool, met: bool) -> Iterator[str]:
    """The variables that are known, a new one, and what is no variable."""
    variables = sum(term[0] == "?" for term in known)
    yield from (f"?{name}" for name in _VARIABLES[: variables + 1])
    if not plain and not met:
        yield special

