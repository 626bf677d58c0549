"""The queries of the paper's experiments: each family as it is built, and as it is printed."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from denota.semantics.ceql.syntax.parse import parse
from denota.semantics.ceql.syntax.printing import to_text
from denota.semantics.ceql.syntax.tree import EventType, Filter, Sequence, WindowUnit

LENGTHS = (3, 6, 9, 12, 24)
# Where the text of the papers is, on the machines that have it.
PAPERS = Path(os.environ.get("DENOTA_PAPERS", Path(__file__).parents[4] / "shared" / "papers"))


def sequence_query(
    types: list[str], attribute: str, window: int, measure: str, *, named: str = ""
) -> str:
    """P_n of section 5: a sequence of n events, each with a condition of its own."""
    steps = "; ".join(f"{kind} as T{k}" for k, kind in enumerate(types, start=1))
    conditions = " AND ".join(f"T{k}[{attribute} = 'v{k}']" for k in range(1, len(types) + 1))
    return (
        f"SELECT * FROM S WHERE ({steps}) {named} FILTER {conditions}"
        f" WITHIN {window} [{measure}]"
    )


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("more", [[], ["BUY"]])
def test_sequences_of_the_experiments(length: int, more: list[str]):
    types = ["SELL", "BUY", "BUY"] * (length // 3) + more
    query = parse(sequence_query(types, "name", 10_000, "stock_time"))
    assert parse(to_text(query)) == query
    assert query.within is not None
    assert query.within.unit is WindowUnit.ATTRIBUTE
    assert isinstance(query.formula, Filter)
    phi, steps = query.formula.formula, 1
    while isinstance(phi, Sequence):
        phi, steps = phi.left, steps + 1
    assert steps == len(types)
    assert not isinstance(phi, EventType)  # the first one is named, too


def printed_queries() -> list[tuple[str, str]]:
    """The queries of appendices D to G, by name, in the text of the paper."""
    (paper,) = PAPERS.glob("004_*.txt")
    lines = [line.lstrip("Ψ") for line in paper.read_text(encoding="utf-8").splitlines()]
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        begins = re.match(r"\s*(\w+’?(?:x\d)?) = (SELECT .*)", line)
        if begins:
            found.append((begins[1], [begins[2]]))
        elif found and line.strip() and found[-1][1][-1]:
            found[-1][1].append(line)
        elif found:
            found[-1][1].append("")
    return [(name, "\n".join(text)) for name, text in found]


@pytest.mark.skipif(not any(PAPERS.glob("004_*.txt")), reason="the papers are not on this machine")
def test_all_queries_of_the_appendices_parse():
    queries = printed_queries()
    names = {name for name, _ in queries}
    for family, measure in (("S", "stock_time"), ("H", "plug_timestamp"), ("T", "dropoff")):
        for length in LENGTHS:
            assert {f"{family}{length}", f"{family}{length}’"} <= names, measure
    assert {f"Q{number}" for number in range(1, 8)} <= names
    for name, text in queries:
        query = parse(text, source=name)
        assert parse(to_text(query)) == query
