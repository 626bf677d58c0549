"""Items that come by the batch: how they are cut into batches changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib.term import URIRef

from denota.engine.capacities import SMALL, capacities
from denota.engine.epsparql import EpsparqlEngine
from denota.engine.rdf.columns.batch import batch_of
from denota.engine.rdf.data.dictionary import Dictionary
from denota.oracle.fuzzing.strategies.streams import lasting
from denota.oracle.judging.comparison import compare
from denota.oracle.languages.interval_solutions import answers
from denota.semantics.epsparql.syntax.analysis import queried
from denota.semantics.epsparql.syntax.parse import parse
from denota.semantics.epsparql.syntax.readings import Readings
from denota.semantics.model.errors import DenotaError
from denota.semantics.model.interval_solutions import IntervalSolution
from denota.semantics.model.items import Item, TimeKind
from denota.semantics.model.terms import literal
from denota.semantics.model.time import XSD
from denota.semantics.streams.merging import StreamItem, merge_intervals
from denota.strategies import EpsparqlCase, epsparql_cases

Solutions = Iterable[IntervalSolution | bool]


def in_batches(case: EpsparqlCase, data: st.DataObject) -> Solutions:
    """What the engine says of the items, some one by one and some by the batch."""
    engine = EpsparqlEngine(case.query, case.kb, case.readings)
    named = queried(case.query, case.streams)
    items = list(merge_intervals(named, [clause.iri for clause in case.query.streams]))
    while items:
        if engine.answered:
            return
        count = data.draw(st.integers(0, len(items)))
        batch: list[StreamItem] = items[: count or 1]
        items = items[count or 1 :]
        if count:
            own = data.draw(st.booleans())
            yield from engine.feed_batch(
                batch_of(batch, engine.dictionary if own else Dictionary())
            )
        else:
            yield from engine.feed(batch[0])
    yield from engine.finish()


def outcome(evaluation: Callable[[], Solutions]) -> list[IntervalSolution | bool] | str:
    try:
        return list(evaluation())
    except DenotaError as error:
        return str(error)


def assert_agree(case: EpsparqlCase, data: st.DataObject) -> None:
    expected, came = outcome(case.denotation), outcome(lambda: in_batches(case, data))
    if isinstance(expected, str) or isinstance(came, str):
        assert came == expected
        return
    wanted, found = (answers(each, title="EP-SPARQL") for each in (expected, came))
    assert not compare(wanted, found, "solutions")


@settings(max_examples=150)
@given(epsparql_cases(), st.data())
def test_batches_say_what_the_definitions_say(case: EpsparqlCase, data: st.DataObject) -> None:
    with capacities(SMALL):
        assert_agree(case, data)


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
PREDICATES = ("p", "q")
TERMS = (
    *(URIRef(f"http://example.org/k{n}") for n in (1, 2)),
    *(literal(str(n), XSD + "integer") for n in (1, 2)),
)


@st.composite
def sequences(draw: st.DrawFn) -> EpsparqlCase:
    """Sequences of what goes by the batch, over items of which some end together."""
    operands = draw(st.lists(st.sampled_from(OPERANDS), min_size=1, max_size=3))
    where = " SEQ ".join(f"{{ {operand} }}" for operand in operands)
    select, end = draw(st.sampled_from(SELECTS)), draw(st.sampled_from(ENDS))
    query = f"PREFIX : <http://example.org/> SELECT {select} WHERE {{ {where} {end} }}"
    triples = st.tuples(
        st.sampled_from(TERMS[:2]),
        st.sampled_from(PREDICATES).map(lambda name: URIRef("http://example.org/" + name)),
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
    kb = {URIRef("http://example.org/g"): known} if known else {}
    return EpsparqlCase(parse(query), {URIRef("http://example.org/s"): tuple(items)}, kb, readings)


@settings(max_examples=300)
@given(sequences(), st.data())
def test_sequences_go_by_columns(case: EpsparqlCase, data: st.DataObject) -> None:
    with capacities(SMALL, columns=data.draw(st.sampled_from((0, 4)))):
        assert_agree(case, data)
