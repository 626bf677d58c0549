"""Items that come by the batch: how they are cut, and which come one by one, changes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib.term import URIRef

from denota.engine.capacities import SMALL, capacities
from denota.engine.rdf.columns.batch import batch_of
from denota.engine.rdf.data.dictionary import Dictionary
from denota.engine.rsepql import RsepqlEngine
from denota.oracle.languages.rsepql.case import RsepqlCase
from denota.semantics.model.items import TimestampedGraph
from denota.semantics.rdf.isomorphism import isomorphic_graphs
from denota.semantics.rsepql.syntax.evaluation import Evaluation
from denota.semantics.rsepql.syntax.parse import parse
from denota.semantics.rsepql.syntax.results import TimedAnswer
from denota.semantics.streams.merging import merge
from denota.strategies import rsepql_cases

EX = "http://example.org/"
STREAMS = [URIRef(EX + name) for name in "st"]
TERMS = [URIRef(EX + name) for name in "ab"]
LINKS = [URIRef(EX + name) for name in "pq"]
WINDOWS = ("[RANGE {} STEP 1]",) * 5 + (
    "[FROM {}]", "[BETWEEN {} AND 9]", "[ALL]", "[RANGE {} STEP 2]",
    "[RANGE {} STEP 3 START 1]", "[RANGE {} STEP 2 START 1 BOUNDS CLOSED OPEN]",
    "[ELEMENTS 3 STEP 2] OF [RANGE {} STEP 1]", "[RANGE 3 STEP 1] OF [FROM {}]",
)


def in_batches(case: RsepqlCase, data: st.DataObject) -> Iterator[TimedAnswer]:
    """The answers to the items, some one by one and some by the batch."""
    evaluation = Evaluation.of(case.evaluation)
    engine = RsepqlEngine(case.query, case.streams, case.kb, case.readings, evaluation)
    items = list(merge(case.streams, ties="sequence"))
    while items:
        count = data.draw(st.integers(0, len(items)))
        given, items = items[: count or 1], items[count or 1 :]
        if count:
            own = data.draw(st.booleans())
            dictionary = engine.dictionary if own else Dictionary()
            yield from engine.feed_batch(batch_of(given, dictionary))
        else:
            yield from engine.feed(given[0])
        if items and given[-1].iri in engine.streams and data.draw(st.integers(0, 3)) == 0:
            yield from engine.advance(data.draw(st.integers(given[-1].time, items[0].time)))
    yield from engine.close()


def comparable(answers: list[TimedAnswer]) -> list[object]:
    return [
        (each.time, Counter(each.content) if isinstance(each.content, tuple) else each.content)
        for each in answers
    ]


def equal(came: list[TimedAnswer], expected: list[TimedAnswer]) -> bool:
    """Bags of solutions, graphs up to blank nodes."""
    return len(came) == len(expected) and all(
        ours == theirs or (
            isinstance(ours.content, frozenset)
            and isinstance(theirs.content, frozenset)
            and ours.time == theirs.time
            and isomorphic_graphs(ours.content, theirs.content)
        ) or comparable([ours]) == comparable([theirs])
        for ours, theirs in zip(came, expected, strict=True)
    )


@settings(max_examples=150)
@given(rsepql_cases(), st.data())
def test_batches_say_what_the_definitions_say(case: RsepqlCase, data: st.DataObject) -> None:
    expected = case.denotation()
    with capacities(SMALL):
        assert equal(list(in_batches(case, data)), expected)


def streams(most: int) -> st.SearchStrategy[tuple[TimestampedGraph, ...]]:
    """Few terms, so that nearly everything takes part in something."""
    graph = st.frozensets(
        st.tuples(st.sampled_from(TERMS), st.sampled_from(LINKS), st.sampled_from(TERMS)),
        min_size=1, max_size=2,
    )
    item = st.tuples(st.sampled_from((1, 1, 1, 0, 2)), graph)

    def timed(drawn: list[tuple[int, frozenset[tuple[URIRef, URIRef, URIRef]]]]) -> tuple[
        TimestampedGraph, ...
    ]:
        time, found = 0, []
        for step, triples in drawn:
            time += step
            found.append(TimestampedGraph(time, triples))
        return tuple(found)

    return st.lists(item, max_size=most).map(timed)


@st.composite
def sequences(draw: st.DrawFn, most: int) -> RsepqlCase:
    """Sequences of EVENTs, in windows that move as items come, or by steps."""
    names = "uv"[: draw(st.sampled_from((1, 1, 2)))]
    clauses = " ".join(
        f"FROM NAMED WINDOW :{name} ON :{draw(st.sampled_from('sst'))}"
        f" {draw(st.sampled_from(WINDOWS)).format(draw(st.integers(1, 8)))}"
        for name in names
    )
    letter, link = st.sampled_from("xyz"), st.sampled_from("pq")

    def event() -> str:
        several = draw(st.sampled_from((False, False, True)))
        condition = f"FILTER (?{draw(letter)} != ?{draw(letter)})" if several else ""
        return (
            f"EVENT :{draw(st.sampled_from(names))}"
            f" {{ ?{draw(letter)} :{draw(link)} ?{draw(letter)} {condition} }}"
        )

    pattern = event()
    for _ in range(draw(st.integers(0, 2))):
        pattern = draw(
            st.sampled_from((f"({pattern}) SEQ {event()}", f"{event()} SEQ ({pattern})"))
        )
    operator = draw(st.sampled_from(("ISTREAM", "ISTREAM", "DSTREAM", "RSTREAM")))
    form, after = draw(st.sampled_from((
        ("SELECT *", ""), ("SELECT ?x", ""), ("SELECT ?y ?x ?w", ""), ("SELECT DISTINCT ?x", ""),
        ("SELECT (COUNT(*) AS ?n)", ""), ("SELECT *", "FILTER (?x = :a)"), ("ASK", ""),
        ("CONSTRUCT { ?x :r ?y }", ""),
    )))
    query = parse(
        f"PREFIX : <{EX}> REGISTER {operator} :out AS {form} {clauses}"
        f" WHERE {{ MATCH {{ {pattern} }} {after} }}"
    )
    when = draw(st.sampled_from((
        Evaluation(), Evaluation(), Evaluation(first=3, last=9), Evaluation(empty=True),
        Evaluation(at=(2, 5, 9)), Evaluation(policy="periodic", period=2),
        Evaluation(policy="non-empty-content"),
        Evaluation(policy="window-close") if "RANGE" in clauses else Evaluation(),
    )))
    return RsepqlCase(query, {name: draw(streams(most)) for name in STREAMS}, {}, None, when)


@settings(max_examples=200)
@given(sequences(5), st.data())
def test_sequences_over_columns_are_what_the_definitions_say(
    case: RsepqlCase, data: st.DataObject
) -> None:
    expected = case.denotation()
    with capacities(SMALL):
        assert equal(list(in_batches(case, data)), expected)


@settings(max_examples=200)
@given(sequences(30), st.data(), st.booleans())
def test_sequences_over_columns_are_those_of_their_items(
    case: RsepqlCase, data: st.DataObject, small: bool
) -> None:
    with capacities(SMALL if small else None, handed=1):
        assert equal(list(in_batches(case, data)), list(case.matches()))
