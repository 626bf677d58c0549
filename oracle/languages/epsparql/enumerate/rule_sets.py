"""All EP-SPARQL cases of the alphabet `rules`: CONSTRUCT rules, and what asks for what they make.

A query is up to two rules and, behind them, a SELECT or none. Each rule is an operator; so is what
stands between two patterns: nothing, SEQ, EQUALS, OPTIONALSEQ, EQUALSOPTIONAL, OPTIONAL, MINUS or
FILTER EXISTS. The triple of a template has the last object of the pattern, or a blank node. Queries
are left out whose rules depend on themselves by what they must not see, or by the blank nodes that
they make, of which there is no end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

from .....semantics.epsparql.syntax.strata import strata
from .....semantics.epsparql.syntax.tree import EpsparqlQuery
from .....semantics.model.errors import QueryError
from ....ranks.families import Family, HeldNamings, Letters
from .edge_streams import EdgeEnumeration, ToldApart, query_of

_BETWEEN = (
    ".", "SEQ", "EQUALS", "OPTIONALSEQ", "EQUALSOPTIONAL", "OPTIONAL", "MINUS", "FILTER EXISTS",
)
_ABSENT = ("MINUS", "EXISTS")
"""What is behind these binds nothing."""

_MOST_RULES = 2


@dataclass(frozen=True, slots=True)
class Part:
    """A rule or a SELECT with a place %s for each letter, how many it has, whether a rule's
    template has a blank node."""

    text: str
    letters: int
    blank: bool = False


class RuleEnumeration(EdgeEnumeration):
    """What is constructed is seen as what comes."""

    def families(self, operators: int) -> list[Family[EpsparqlQuery, str, ToldApart]]:
        return [Family(1, _queries(operators), lambda _, text: query_of(text))]


@cache
def _queries(operators: int) -> HeldNamings[str, ToldApart]:
    """The texts of so many operators; held: 1,100 of two."""
    return HeldNamings.of(
        (text, ToldApart(letters))
        for parts in _parts(operators)
        for word, letters in Letters(sum(part.letters for part in parts)).all()
        if (text := _written(parts, word))
    )


def _parts(operators: int) -> Iterator[tuple[Part, ...]]:
    """Rules, and a SELECT or none."""
    for rules in range(min(operators, _MOST_RULES) + 1):
        for each in product(range(operators - rules + 1), repeat=rules + 1):
            if sum(each) == operators - rules:
                *bodies, asked = each
                for chosen in product(*map(_rules, bodies)):
                    yield from ((*chosen, select) for select in _selects(asked))
                    if chosen and not asked:
                        yield chosen


def _selects(operators: int) -> list[Part]:
    return [Part(f"SELECT * WHERE {{ {text} }}", letters) for text, letters in _groups(operators)]


def _rules(operators: int) -> list[Part]:
    rules = []
    for text, letters in _groups(operators):
        bound = letters > 1 and not any(word in text for word in _ABSENT)
        for target in ("?z" if bound else "?y", "_:b"):
            head = f"CONSTRUCT {{ ?x :%s {target} }}"
            rules.append(Part(f"{head} WHERE {{ {text} }}", letters + 1, target == "_:b"))
    return rules


def _groups(operators: int) -> Iterator[tuple[str, int]]:
    """Groups of so many operators, and how many letters each has."""
    if operators == 0:
        yield "?x :%s ?y", 1
    if operators == 1:
        for word in _BETWEEN:
            if word == ".":
                yield "?x :%s ?y . ?y :%s ?z", 2
            elif word in ("OPTIONAL", "MINUS", "FILTER EXISTS"):
                yield f"?x :%s ?y {word} {{ ?y :%s ?z }}", 2
            else:
                yield f"{{ ?x :%s ?y }} {word} {{ ?y :%s ?z }}", 2


def _written(parts: tuple[Part, ...], word: str) -> str:
    """The text with these letters; empty if there is no closure."""
    rules = [part for part in parts if part.text.startswith("CONSTRUCT")]
    text = " ".join(part.text for part in rules) % tuple(
        word[: sum(part.letters for part in rules)]
    )
    if rules and not _closed(text, tuple(part.blank for part in rules)):
        return ""
    return " ".join(part.text for part in parts) % tuple(word)


@cache
def _closed(rules: str, blank: tuple[bool, ...]) -> bool:
    """Whether there is an end of what rules construct, of which these make blank nodes."""
    try:
        ordered = strata(query_of(rules).rules, "default")
    except QueryError:
        return False
    return not any(
        stratum.recursive and any(blank[i] for i in stratum.rules) for stratum in ordered
    )
