"""Comparisons that pass whole blocks of partial matches by find what item by item is found."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from rdflib.term import URIRef

from denota.engine.checkpoints.streaming_query import restore_state, save_state
from denota.engine.rdf.columns.batch import batch_of
from denota.engine.rdf.sequence.partial_matches import B_LEAST, BLOCK, BLOCKS
from denota.engine.spaseq import SpaseqEngine
from denota.engine.spaseq.columnar.columnar_runs import ColumnarRuns
from denota.engine.spaseq.streaming_query import SpaseqStreamingQuery
from denota.engine.tuning import capacities
from denota.semantics.model.items import TimeKind
from denota.semantics.model.terms import Literal, literal
from denota.semantics.spaseq.syntax.parse import parse
from denota.semantics.streams.merging import StreamItem

EX = "http://example.org/"
XSD = "http://www.w3.org/2001/XMLSchema#"
INTEGERS = [literal(str(value), XSD + "integer") for value in range(40)]
OTHERS = [
    literal(text, XSD + kind)
    for text, kind in (
        ("2.5", "decimal"), ("7.1e0", "double"), ("3e0", "double"), ("NaN", "double"),
        ("5", "string"), ("12", "string"), ("x", "integer"),
    )
]  # fmt: skip


def query(condition: str, operator: str = ":") -> str:
    return (
        f"PREFIX : <{EX}> SELECT * WITHIN 30 FROM STREAM S <{EX}s> WHERE {{ SEQ(A{operator} B)"
        " DEFINE GPM A ON S { ?x :a ?v }"
        f" DEFINE GPM B ON S {{ ?y :b ?w . FILTER({condition}) }} }}"
    )


def items(values: list[Literal], count: int = 160, seed: int = 4) -> list[StreamItem]:
    draw = Random(seed)
    return [
        StreamItem(
            URIRef(EX + "s"), time, 0,
            frozenset(
                {(URIRef(f"{EX}e{time}"), URIRef(EX + draw.choice("aab")), draw.choice(values))}
            ),
            TimeKind.INTEGER,
        )
        for time in range(count)
    ]  # fmt: skip


@pytest.mark.parametrize("condition", ["?v < ?w", "?v <= ?w", "?v > ?w", "?w <= ?v && ?v != 9"])
@pytest.mark.parametrize("operator", [":", ";"])
@pytest.mark.parametrize("values", [INTEGERS, INTEGERS[:9] + OTHERS, OTHERS])
def test_blocks_do_not_show(condition: str, operator: str, values: list[Literal]) -> None:
    tree, given = parse(query(condition, operator)), items(values)
    single, batched = SpaseqEngine(tree), SpaseqEngine(tree)
    expected = Counter(pair for item in given for pair in single.feed(item))
    found: Counter[object] = Counter()
    with capacities(handed=1, compared=2, partial=8, pasts=4):
        for begin in range(0, len(given), 20):
            part = given[begin : begin + 20]
            if begin % 60 == 40:  # as objects and back
                found.update(pair for item in part for pair in batched.feed(item))
            else:
                found.update(batched.feed_batch(batch_of(part, batched.dictionary)))
    assert found == expected != Counter()


def test_blocks_get_bounds_and_survive_a_checkpoint_and_sweeps() -> None:
    tree, given = parse(query("?v < ?w")), items(INTEGERS)
    single = SpaseqEngine(tree)
    expected = Counter(pair for item in given for pair in single.feed(item))
    running = SpaseqStreamingQuery(tree)
    found: Counter[object] = Counter()
    bounded = 0
    with capacities(handed=1, compared=2, terms=0, grown=1):
        for begin in range(0, len(given), 20):
            engine = running.engine
            found.update(engine.feed_batch(batch_of(given[begin : begin + 20], engine.dictionary)))
            (runs,) = engine._remembering()
            assert isinstance(runs, ColumnarRuns)
            held = runs.sequence.held
            least = held.blocks[B_LEAST : BLOCK * held.registers[BLOCKS] : BLOCK]
            bounded += int((least > 0).sum())
            engine.sweep()
            if begin == 80:
                running = restore_state(
                    lambda dictionaries: SpaseqStreamingQuery(tree, dictionaries=dictionaries),
                    save_state(running),
                )
    assert found == expected != Counter()
    assert bounded
