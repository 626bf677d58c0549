"""Every language's enumeration: it is answered by the definitions and drawn by fuzzing."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import islice
from typing import Any

import pytest

from denota.oracle.inputs.choices import (
    Choices,
    NothingAllowed,
    Restricted,
    Restriction,
    every,
    random_values,
)
from denota.oracle.inputs.graphs import THINGS
from denota.oracle.inputs.swarms import Swarm
from denota.oracle.languages.cqels.generate.queries import query as cqels_query
from denota.oracle.languages.enumeration import Bounds
from denota.oracle.languages.epsparql.generate import query as epsparql_query
from denota.oracle.languages.registry import alphabets_of, having
from denota.oracle.languages.registry import language as language_of
from denota.oracle.languages.rsepql.generate.queries import query as rsepql_query
from denota.oracle.languages.spaseq.case import operator_count
from denota.oracle.ranks.space import Space
from denota.oracle.sweeps.row_verdicts import check_rows
from denota.semantics.cqels.syntax.tree import TripleSequence, WindowPattern
from denota.semantics.model.trees import find, has, parts
from denota.semantics.rdf.syntax.tree import (
    BuiltIn,
    Comparison,
    Exists,
    Filter,
    GroupGraphPattern,
    TriplePattern,
    TriplesBlock,
)
from denota.semantics.rsepql.syntax.tree import First, Last, NestedWindow, Sequence

every_alphabet = pytest.mark.parametrize(("language", "alphabet"), [
    (name, each) for name in having("enumerate") for each in alphabets_of(name)
])


@cache  # all queries are drawn to be counted
def cases(language: str, alphabet: str) -> Space:
    return Space.of(language, Bounds(1, 2, alphabet=alphabet))


@every_alphabet
def test_the_definitions_have_an_answer_to_every_case(language: str, alphabet: str) -> None:
    space = cases(language, alphabet)
    for block in space.blocks[-3:]:
        rows = list(map(space.row, range(block.first, block.end, -(-block.cases // 20))))
        assert {verdict.outcome for verdict in check_rows(rows, "oracle", 10.0)} == {"pass"}


@every_alphabet
def test_each_query_comes_once_with_its_number_of_operators(language: str, alphabet: str) -> None:
    enumeration = cases(language, alphabet).enumeration
    for operators in (0, 1):
        found = [
            (enumeration.text(tree), str(enumeration.beside(about)), tree)
            for tree, about in islice(enumeration.queries(operators), 3_000)
        ]
        assert len({(text, beside) for text, beside, _ in found}) == len(found)
        for text, _, tree in found[::29]:
            assert language_of(language).parse(text) == tree
            least, most = operators_of(tree, language, alphabet)
            assert least <= operators <= most


def operators_of(tree: Any, language: str, alphabet: str) -> tuple[int, int]:
    """Count the operators of a query: at least, and at most."""
    match language:
        case "cqels":  # more may stand beside windows
            elements = sum(
                len(each.body.elements) if isinstance(each.body, TripleSequence) else 1
                for each in find(tree.where, WindowPattern)
            )
            return elements - 1 + (tree.operator is not None) + (tree.template is not None), 1
        case "epsparql" if alphabet in ("steps", "gaps", "durations", "rules"):
            # Operators between bodies of a triple each, FILTERs of durations, and rules.
            bodies = sum(len(each.triples) for each in find(tree, TriplesBlock))
            wheres = len(tree.rules) + (tree.select is not None)
            durations = [
                each for each in find(tree, Filter) if has(each, BuiltIn) and not has(each, Exists)
            ]
            count = bodies - wheres + len(durations) + len(tree.rules)
            return count, count
        case "rsepql":
            count = sum(
                isinstance(each, First | Last | Sequence | NestedWindow)
                for each in (*parts(tree.form), *parts(tree.windows))
            )
            return count, count
        case "spaseq":
            count = operator_count(tree.sequence)
            return count, count
    return 0, 1


class _CqelsForms:
    def pattern(self, choices: Choices) -> GroupGraphPattern:
        return GroupGraphPattern()

    def condition(self, choices: Choices, variables: Any) -> Comparison:
        return Comparison("=", variables[0], variables[0])

    background = pattern


def _cqels(choices: Choices) -> Any:
    return cqels_query(choices, 1, forms=_CqelsForms())


def _epsparql(choices: Choices) -> Any:
    group = GroupGraphPattern((TriplesBlock((TriplePattern(*THINGS),)),))
    return epsparql_query(choices, 1, bodies=lambda: lambda *_: group)


def _rsepql(choices: Choices) -> Any:
    return rsepql_query(choices, 1, bodies=lambda _, count: [GroupGraphPattern()] * count)


@pytest.mark.parametrize(("language", "alphabet", "draw", "few"), [
    *(("cqels", each, _cqels, 30) for each in ("steps", "windows", "counts", "leaving", "clauses")),
    *(("epsparql", each, _epsparql, 100)
      for each in ("steps", "durations", "rules", "answers", "background")),
    *(("rsepql", each, _rsepql, 100) for each in ("steps", "window-functions", "two-windows")),
])
def test_what_is_enumerated_can_be_drawn_at_random(
    language: str, alphabet: str, draw: Callable[[Choices], Any], few: int
) -> None:
    """All queries are drawn where they are few, but for bodies and durations, which are given."""
    restriction = Restriction(cases(language, alphabet).enumeration.allowed)

    def drawn(choices: Choices) -> Any:
        return draw(Restricted(choices, restriction))

    def at_random(choices: Choices) -> Any:
        while True:
            try:
                return drawn(choices)
            except NothingAllowed:
                pass

    listed = set(every(drawn))
    values = random_values(at_random, "0", 20_000, Swarm())
    found = set(islice(values, 1_000))
    if len(listed) < few:
        while found != listed and (further := set(islice(values, 1_000))):
            found |= further
        assert found == listed
    assert found <= listed
