"""The tree kit: walking, finding, changing, whatever the language."""

from __future__ import annotations

import pytest
from rdflib.term import Variable

from denota.semantics.ceql.syntax import tree as ceql
from denota.semantics.ceql.syntax.parse import parse as parse_ceql
from denota.semantics.model.trees import (
    changed,
    children,
    find,
    has,
    instead,
    mapped,
    names_in,
    outermost,
    parts,
    renamed,
    weight,
)
from denota.semantics.rdf.syntax import tree as s
from denota.semantics.rdf.syntax.parse import parse_group
from denota.semantics.rsepql.syntax.parse import parse as parse_rsepql
from denota.semantics.rsepql.syntax.tree import Event, Moment

GROUP = parse_group(
    "{ ?a <urn:p> ?b . OPTIONAL { ?b <urn:q> ?c } FILTER (?b < 1 || EXISTS { ?d <urn:r> ?e }) }"
)


def test_parts_come_in_the_order_of_the_text() -> None:
    assert "".join(find(GROUP, Variable)) == "abbcbde"
    assert next(parts(GROUP)) is GROUP


def test_what_is_left_out_is_told_and_not_entered() -> None:
    assert "".join(find(GROUP, Variable, but=s.Exists)) == "abbcb"
    assert has(GROUP, s.Exists, but=s.Exists)
    assert len(list(find(GROUP, s.GroupGraphPattern))) == 3
    assert list(outermost(GROUP, s.GroupGraphPattern)) == [GROUP]


def test_children_are_direct() -> None:
    condition = GROUP.elements[2]
    assert [type(child) for child in children(condition)] == [s.Or]
    assert [type(child) for child in children(s.BuiltIn("IF", (Variable("a"), Variable("b"))))] == [
        Variable, Variable,
    ]


def test_what_does_not_change_stays_the_same_object() -> None:
    assert changed(GROUP, lambda part: part) is GROUP
    other = changed(GROUP, instead(Variable("c"), Variable("z")))
    assert "".join(find(other, Variable)) == "abbzbde"
    assert other.elements[0] is GROUP.elements[0]


def test_the_innermost_changes_first() -> None:
    def plain(part: object) -> object:
        return part.operand if isinstance(part, s.Not) else part

    a = Variable("a")
    assert changed(s.Not(s.Not(s.Sign("-", s.Not(a)))), plain) == s.Sign("-", a)
    kept = s.Exists(parse_group("{ FILTER (!?a) }"))
    assert changed(s.Not(kept), plain, but=s.Exists) is kept


def test_mapped_goes_one_step_down() -> None:
    seen: list[object] = []
    mapped(GROUP, lambda part: seen.append(part) or part)  # type: ignore[func-returns-value]
    assert seen == list(GROUP.elements)


@pytest.mark.parametrize(("text", "moments", "events"), [
    ("[RANGE 5 STEP 2]", [5, 2], 0),
    ("[BETWEEN 1 AND 9] OF [FROM 3]", [1, 9, 3], 0),
])
def test_windows_and_their_moments(text: str, moments: list[int], events: int) -> None:
    query = parse_rsepql(
        f"SELECT * FROM NAMED WINDOW <urn:w> ON <urn:s> {text}"
        " WHERE { MATCH { FIRST EVENT <urn:w> { ?a <urn:p> ?b } SEQ EVENT <urn:w> { ?b ?c ?d } } }"
    )
    assert [moment.value for moment in find(query.windows, Moment)] == moments
    assert [each.pattern.elements for each in find(query.form, Event)] == [
        event.pattern.elements for event in find(query, Event)
    ]
    assert len(list(find(query, Event))) == 2


def test_names_without_terms() -> None:
    query = parse_ceql("SELECT * WHERE A AS x ; NOT(B FILTER B[p > 1]) ; A")
    places = ((ceql.EventType, "name"), (ceql.Name, "name"))
    assert names_in(query, places) == ["A", "B"]
    other = renamed(query, places, {"A": "C"})
    assert names_in(other, places) == ["C", "B"]
    assert weight(other.formula) == weight(query.formula) == 13
