"""Simpler trees, by the types of their fields: the same rules for every language."""

from __future__ import annotations

from typing import Any

from denota.oracle.fuzzing.shrinking.tree_shrinking import field_types, smaller
from denota.semantics.ceql.syntax.parse import parse as parse_ceql
from denota.semantics.ceql.syntax.printing import to_text as ceql_text
from denota.semantics.model.pretty_printing import text_of
from denota.semantics.rsepql.syntax.parse import parse as parse_rsepql
from denota.semantics.rsepql.syntax.tree import MatchPattern, WindowClause
from denota.semantics.spaseq.syntax.parse import parse as parse_spaseq
from denota.semantics.spaseq.syntax.tree import SpaseqQuery


def field_of(node: Any, name: str) -> list[Any]:
    """What is proposed for a field of a construct."""
    kind = field_types(type(node))[name]
    return list(smaller(getattr(node, name), kind, lambda member: tuple(type(member))[:1]))


def test_a_part_stands_for_the_whole_and_parts_of_parts_go() -> None:
    query = parse_rsepql(
        "PREFIX : <http://e/> SELECT * FROM NAMED WINDOW :w ON :s [RANGE 2 STEP 3] OF [FROM 1]"
        " WHERE { MATCH { FIRST (EVENT :w { ?x :p ?y } SEQN EVENT :w { ?x :q ?y }) } }"
    )
    (match,) = query.form.where.elements
    assert isinstance(match, MatchPattern)
    events = {text_of(simpler) for simpler in field_of(match, "event")}
    e1, e2 = (f"EVENT <http://e/w> {{ ?x <http://e/{p}> ?y }}" for p in "pq")
    assert {f"{e1} SEQN {e2}", f"FIRST ({e1})", f"FIRST ({e2})", f"FIRST ({e1} SEQ {e2})"} <= events
    (clause,) = query.windows
    assert isinstance(clause, WindowClause)
    windows = {text_of(simpler) for simpler in field_of(clause, "function")}
    assert {"[FROM 1]", "[RANGE 2 STEP 3]", "[RANGE 1 STEP 3] OF [FROM 1]"} <= windows


def test_steps_operands_and_operators_of_a_sequence() -> None:
    query = parse_spaseq(
        "PREFIX : <http://e/> SELECT * WITHIN 5 FROM STREAM S :s WHERE { SEQ(A; B+, (C & D))"
        + "".join(f" DEFINE GPM {name} ON S {{ ?x :p ?y }}" for name in "ABCD") + " }"
    )
    assert isinstance(query, SpaseqQuery)
    simpler = {text_of(sequence) for sequence in field_of(query, "sequence")}
    assert {
        "A", "A; B+", "A, (C & D)", "A; B, (C & D)", "A; B+, C", "A; B+, D", "A, B+, (C & D)",
    } <= simpler


def test_formulas_of_another_language() -> None:
    query = parse_ceql("SELECT * FROM S WHERE (A OR B+) ; C FILTER A[x > 1 AND y = 2]")
    simpler = {
        ceql_text(type(query)(formula)).partition("WHERE ")[2].strip()
        for formula in field_of(query, "formula")
    }
    assert "A ; C FILTER A[x > 1 AND y = 2]" in simpler
    assert any("y" not in text and "x > 1" in text for text in simpler)
    assert any("+" not in text for text in simpler)
