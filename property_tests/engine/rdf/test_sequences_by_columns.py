"""Sequences over batches: the columnar engines compute what the definitions say.

The queries are sequences of patterns that go by columns; the streams have few terms, so that nearly
every item takes part in a match.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib.term import URIRef

from denota.oracle.cases.case import Case, ExpectedResults
from denota.oracle.cases.schedule import random_schedule
from denota.oracle.checking.case_checker import check_case, expectation_of
from denota.oracle.engines.builtin import Production
from denota.oracle.inputs.streams import lasting
from denota.oracle.languages.rsepql.features import RsepqlCase
from denota.semantics.cqels.syntax.parse import parse as parse_cqels
from denota.semantics.epsparql.syntax.parse import parse as parse_epsparql
from denota.semantics.epsparql.syntax.readings import Readings
from denota.semantics.model.items import Item, TimeKind, TimestampedGraph
from denota.semantics.model.terms import literal
from denota.semantics.model.time import XSD
from denota.semantics.rsepql.syntax.evaluation import Evaluation
from denota.semantics.rsepql.syntax.parse import parse as parse_rsepql
from denota.strategies import CqelsCase, EpsparqlCase

from ...examples import examples

EX = "http://example.org/"
LINKS = [URIRef(EX + name) for name in "pq"]
TERMS = (
    *(URIRef(EX + name) for name in ("k1", "k2")),
    *(literal(str(n), XSD + "integer") for n in (1, 2)),
)


# --- RSEP-QL ---

STREAMS = [URIRef(EX + name) for name in "st"]
RSEPQL_TERMS = [URIRef(EX + name) for name in "ab"]
RSEPQL_WINDOWS = ("[RANGE {} STEP 1]",) * 5 + (
    "[FROM {}]", "[BETWEEN {} AND 9]", "[ALL]", "[RANGE {} STEP 2]",
    "[RANGE {} STEP 3 START 1]", "[RANGE {} STEP 2 START 1 BOUNDS CLOSED OPEN]",
    "[ELEMENTS 3 STEP 2] OF [RANGE {} STEP 1]", "[RANGE 3 STEP 1] OF [FROM {}]",
)


def rsepql_streams(most: int) -> st.SearchStrategy[tuple[TimestampedGraph, ...]]:
    """Few terms, so that nearly everything takes part in something."""
    graph = st.frozensets(
        st.tuples(*map(st.sampled_from, (RSEPQL_TERMS, LINKS, RSEPQL_TERMS))),
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
def rsepql_sequences(draw: st.DrawFn, most: int) -> RsepqlCase:
    """Sequences of EVENTs, in windows that move as items come, or by steps."""
    names = "uv"[: draw(st.sampled_from((1, 1, 2)))]
    clauses = " ".join(
        f"FROM NAMED WINDOW :{name} ON :{draw(st.sampled_from('sst'))}"
        f" {draw(st.sampled_from(RSEPQL_WINDOWS)).format(draw(st.integers(1, 8)))}"
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
    query = parse_rsepql(
        f"PREFIX : <{EX}> REGISTER {operator} :out AS {form} {clauses}"
        f" WHERE {{ MATCH {{ {pattern} }} {after} }}"
    )
    when = draw(st.sampled_from((
        Evaluation(), Evaluation(), Evaluation(first=3, last=9), Evaluation(empty=True),
        Evaluation(at=(2, 5, 9)), Evaluation(policy="periodic", period=2),
        Evaluation(policy="non-empty-content"),
        Evaluation(policy="window-close") if "RANGE" in clauses else Evaluation(),
    )))
    return RsepqlCase(query, {name: draw(rsepql_streams(most)) for name in STREAMS}, {}, None, when)


# --- CQELS-CEP ---

PATTERNS = (
    "?a :p ?k", "?b :p ?k", "?a :p ?k", "?b :q ?k", "?k :p ?n", "?k :q ?m . ?k :p ?n",
    "[] :p ?k", "?k ?r :k1", "?k :p ?n FILTER (?n > 1)", "{ ?a :p ?k } UNION { ?k :q ?b }",
)
FILTERS = (
    "", "", "", "FILTER (?a != ?b)", "FILTER (?n <= ?m && ?k != :k2)", "FILTER (?n + 1 > ?m)",
)
MORE = (
    "", "", "", "", "?k :in ?place", "FILTER (?n < 3 || ?a = :k1)", "BIND (STR(?k) AS ?s)",
    "FILTER EXISTS { ?k :in ?place }", "?k :in ?place FILTER (?place != ?b)",
)
WINDOWS = (
    "RANGE 2", "RANGE 3", "RANGE 3", "RANGE 4", "RANGE 6", "ALL", "NOW", "RANGE 4 SLIDE 2",
)
FORMS = ("SELECT", "SELECT", "SELECT ISTREAM", "SELECT RSTREAM", "CONSTRUCT")


@st.composite
def cqels_sequences(draw: st.DrawFn) -> CqelsCase:
    """Sequences in windows over items of which some come together, now and then over intervals."""
    patterns = draw(st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=3))
    widths = draw(st.tuples(st.sampled_from(WINDOWS), st.sampled_from(WINDOWS)))
    more, stream = draw(st.sampled_from(MORE)), draw(st.sampled_from(("s", "s", "t")))
    inner = draw(st.sampled_from(FILTERS))
    if draw(st.booleans()):
        where = f"WINDOW :V {{ SEQ({', '.join(f'{{ {each} }}' for each in patterns)}) {inner} }}"
    else:
        where = (
            f"WINDOW :V {{ {patterns[0]} }} WINDOW :W {{ {patterns[-1]} }} SEQ(:V, :W)"
        )
    form = draw(st.sampled_from(FORMS))
    head = "CONSTRUCT { ?k :met ?a }" if form == "CONSTRUCT" else form + draw(
        st.sampled_from((" *", " ?k"))
    )
    clauses = f"FROM NAMED WINDOW :V ON :s [{widths[0]}]"
    if ":W" in where:
        clauses += f" FROM NAMED WINDOW :W ON :{stream} [{widths[1]}]"
    query = f"PREFIX : <{EX}> {head} {clauses} WHERE {{ {where} {more} }}"
    triples = st.tuples(
        st.sampled_from(TERMS[:2]), st.sampled_from(LINKS),
        st.sampled_from(TERMS),
    )
    lengths = draw(st.sampled_from(((0,), (0,), (0,), (0, 0, 2))))
    streams: dict[URIRef, list[Item]] = {URIRef(EX + "s"): [], URIRef(EX + "t"): []}
    time = 2
    for _ in range(draw(st.integers(3, 10))):
        time += draw(st.sampled_from((1, 1, 1, 0, 2)))
        graph = draw(st.frozensets(triples, min_size=1, max_size=3))
        item = lasting(time, graph, draw(st.sampled_from(lengths)), TimeKind.INTEGER)
        streams[URIRef(EX + draw(st.sampled_from("sst")))].append(item)
    known = frozenset({
        (TERMS[0], URIRef(EX + "in"), TERMS[1]), (TERMS[1], URIRef(EX + "in"), TERMS[2]),
    })
    return CqelsCase(
        query=parse_cqels(query), streams={iri: tuple(items) for iri, items in streams.items()},
        kb={URIRef(EX + "g"): known},
    )


# --- EP-SPARQL ---

OPERANDS = (
    "?a :p ?k", "?b :q ?k", "?k :p ?n", "?k :p ?k", "[] :p ?k", "?a ?r :k1", ":k1 :p ?n",
    "{ ?a :p ?k } UNION { ?k :q ?b }", "?k :p ?n FILTER (?n > 1)", "?k :q ?m FILTER (?m < ?n)",
    "{ ?a :p ?k } SEQ { ?b :q ?k }", "SELECT DISTINCT ?k WHERE { ?a :p ?k }",
    "?k :p ?n . ?k :q ?m", "?k :p ?n . ?k :q ?m", "?a :p ?k . ?k ?r ?b", "?k :p [] ; :q ?m, ?n",
    "?k :p ?n ; :q ?m FILTER (?n != ?m && getDURATION() < 3)", "?k ^:p/:q ?b",
    "{ ?k :p ?n } SEQ { ?k :q ?m } FILTER (getDURATION() <= 3)", "?a :p ?k BIND (STR(?a) AS ?s)",
)
ENDS = (
    "", "FILTER (getDURATION() < 4)", "FILTER (?a != ?b)", "FILTER (?n <= ?m && ?k != :k2)",
    "FILTER (?n + 1 > ?m || getSTARTTIME() > 2)", "BIND (getENDTIME() AS ?t)",
)
SELECTS = ("*", "DISTINCT ?k", "?k ?n", "(COUNT(*) AS ?c)")


@st.composite
def epsparql_sequences(draw: st.DrawFn) -> EpsparqlCase:
    """Sequences of what goes by the batch, over items of which some end together."""
    operands = draw(st.lists(st.sampled_from(OPERANDS), min_size=1, max_size=3))
    where = " SEQ ".join(f"{{ {operand} }}" for operand in operands)
    select, end = draw(st.sampled_from(SELECTS)), draw(st.sampled_from(ENDS))
    query = f"PREFIX : <{EX}> SELECT {select} WHERE {{ {where} {end} }}"
    triples = st.tuples(
        st.sampled_from(TERMS[:2]),
        st.sampled_from(LINKS),
        st.sampled_from(TERMS),
    )
    items: list[Item] = []
    time = 2
    for _ in range(draw(st.integers(3, 10))):
        time += draw(st.sampled_from((1, 1, 1, 0, 2)))
        lasted = draw(st.sampled_from((0, 0, 0, 0, 2)))
        graph = draw(st.frozensets(triples, min_size=1, max_size=3))
        items.append(lasting(time, graph, lasted, TimeKind.INTEGER))
    readings = Readings.of({
        name: draw(st.sampled_from(Readings.choices()[name]))
        for name in ("solutions", "occurrences")
    })
    known = draw(st.one_of(st.just(frozenset()), st.frozensets(triples, min_size=1, max_size=2)))
    kb = {URIRef(EX + "g"): known} if known else {}
    return EpsparqlCase(parse_epsparql(query), {URIRef(EX + "s"): tuple(items)}, kb, readings)


# --- properties ---

SEQUENCES: dict[str, st.SearchStrategy[Any]] = {
    "rsepql": rsepql_sequences(5), "cqels": cqels_sequences(), "epsparql": epsparql_sequences(),
}


def assert_in_batches(case: Case, expected: Any, seed: int) -> None:
    schedule = random_schedule(Random(seed), "batches")
    asked = case.but(expect=expected, schedule=schedule)
    verdict = check_case(asked, Production(), timeout=None)
    assert not verdict.is_failure, (str(schedule), verdict)


@pytest.mark.parametrize("language", SEQUENCES)
def test_batches_give_what_the_definitions_say(language: str) -> None:
    @examples(400)
    @given(SEQUENCES[language], st.integers(0, 10_000))
    def holds(case: Case, seed: int) -> None:
        assert_in_batches(case, expectation_of(case), seed)

    holds()


@examples(200)
@given(rsepql_sequences(30), st.integers(0, 10_000))
def test_batches_give_what_single_items_give(case: RsepqlCase, seed: int) -> None:
    """On streams that are too long to ask the definitions about."""
    assert_in_batches(case, ExpectedResults([*case.matches()], "solutions", partial=False), seed)
