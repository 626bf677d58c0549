"""Items that come by the batch: how they are cut into batches changes nothing."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib.term import URIRef

from denota.engine.capacities import SMALL, capacities
from denota.engine.cqels import CqelsEngine
from denota.engine.rdf.columns.batch import batch_of
from denota.engine.rdf.data.dictionary import Dictionary
from denota.oracle.fuzzing.strategies.streams import lasting
from denota.oracle.judging.comparison import compare
from denota.oracle.languages.interval_solutions import LEVELS, answers
from denota.semantics.cqels.syntax.parse import parse
from denota.semantics.model.interval_solutions import IntervalResult
from denota.semantics.model.items import Item, TimeKind
from denota.semantics.model.terms import literal
from denota.semantics.model.time import XSD
from denota.semantics.streams.merging import StreamItem, merge_intervals
from denota.strategies import CqelsCase, cqels_cases


def in_batches(case: CqelsCase, data: st.DataObject) -> Iterator[IntervalResult]:
    """What the engine says on the items' arrival, some coming one by one and some by the batch."""
    engine = CqelsEngine(case.query, case.kb, case.readings)
    named = frozenset(clause.stream for clause in case.query.windows) or frozenset(case.streams)
    items = list(merge_intervals(case.streams))
    due: int | None = None
    while items:
        count = data.draw(st.integers(0, len(items)))
        batch: list[StreamItem] = items[: count or 1]
        items = items[count or 1 :]
        if count:
            own = data.draw(st.booleans())
            yield from engine.feed_batch(
                batch_of(batch, engine.dictionary if own else Dictionary())
            )
        else:
            if due is not None and batch[0].end > due:
                yield from engine.settle()
            engine.feed(batch[0])
        if batch[-1].end != due:
            due = None
        if any(item.iri in named and item.end == batch[-1].end for item in batch):
            due = batch[-1].end
    yield from engine.settle()


def assert_agree(case: CqelsCase, data: st.DataObject) -> None:
    emitted = list(in_batches(case, data))
    wanted, found = (answers(each, title="CQELS-CEP") for each in (case.denotation(), emitted))
    assert not compare(wanted, found, "solutions", sets=LEVELS)
    assert len(emitted) == len(set(emitted))


@settings(max_examples=150)
@given(cqels_cases(), st.data())
def test_batches_say_what_the_definitions_say(case: CqelsCase, data: st.DataObject) -> None:
    with capacities(SMALL):
        assert_agree(case.but(evaluation={}), data)


EX = "http://example.org/"
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
TERMS = (
    *(URIRef(EX + name) for name in ("k1", "k2")),
    *(literal(str(n), XSD + "integer") for n in (1, 2)),
)


@st.composite
def sequences(draw: st.DrawFn) -> CqelsCase:
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
        st.sampled_from(TERMS[:2]), st.sampled_from("pq").map(lambda name: URIRef(EX + name)),
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
        query=parse(query), streams={iri: tuple(items) for iri, items in streams.items()},
        kb={URIRef(EX + "g"): known},
    )


@settings(max_examples=300)
@given(sequences(), st.data())
def test_sequences_go_by_columns(case: CqelsCase, data: st.DataObject) -> None:
    with capacities(SMALL, columns=data.draw(st.sampled_from((0, 4)))):
        assert_agree(case, data)
