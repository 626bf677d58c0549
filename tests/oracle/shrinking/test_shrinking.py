"""Shrinking a case: what goes, what stays, and that the meaning is kept in mind."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from rdflib import BNode, URIRef

from denota.oracle.cases.case import Case
from denota.oracle.cases.case_reader import parse_case
from denota.oracle.cases.embedded_text import Text
from denota.oracle.fuzzing.shrinking import hook_of, passes, shrink
from denota.oracle.fuzzing.shrinking.case_size import measure
from denota.oracle.languages.spaseq.case import SpaseqCase, operator_count
from denota.oracle.languages.spaseq.features import features
from denota.semantics.model.errors import QueryError, UnsupportedError
from denota.semantics.model.pretty_printing import text_of
from denota.semantics.spaseq.syntax.parse import parse
from denota.semantics.spaseq.syntax.printing import to_text

QUERY = """\
PREFIX : <http://example.org/>
SELECT ?x ?n
WITHIN 20 SECONDS SLIDE 5 SECONDS
FROM STREAM S1 :s1 FROM STREAM S2 :s2 FROM STREAM S3 :s3
WHERE {
  SEQ(A; B+, (C & (D | E)) : F?)
  DEFINE GPM A ON S1 { ?x :p ?y . ?x :q ?n . OPTIONAL { ?y :r ?z } FILTER (?n > 1 && ?n < 9) }
  DEFINE GPM B ON S2 { { ?u :p ?v } UNION { ?u :r ?v } FILTER (?n + 1 > 0) }
  DEFINE GPM C ON S1 { ?x :q ?m . MINUS { ?x :r :c } }
  DEFINE GPM D ON S2 { ?w :p/:q ?k }
  DEFINE GPM E ON S3 { GRAPH :g { ?w :p ?k } ?w :q ?o . BIND (?o + 1 AS ?i) }
  DEFINE GPM F ON S3 { VALUES ?x { :a :b } ?x :p ?j }
}
"""


def event(name: str, second: int, triples: str) -> str:
    at = f'"2026-01-01T00:00:{second:02}Z"^^xsd:dateTime'
    return f":{name} prov:generatedAtTime {at} .  :{name} {{ {triples} }}\n"


STREAMS = {
    "http://example.org/s1": (
        event("g1", 1, ":a :p :b ; :q 5 . :b :r :c .") + event("g2", 4, "_:x :q 2 , 3 .")
    ),
    "http://example.org/s2": (
        event("g1", 2, ":b :p :c .") + event("g2", 3, ":c :p :b . :b :q 7 .")
        + event("g3", 4, ":a :p :c . :c :q 1 .")
    ),
    "http://example.org/s3": event("g1", 6, ":a :p :d ."),
    "http://example.org/s9": event("g1", 9, ":a :p :d ."),
}


@pytest.fixture
def case() -> Case:
    return Case(
        language="spaseq",
        query=Text(QUERY),
        streams={URIRef(name): Text(text) for name, text in STREAMS.items()},
        prefixes={"": "http://example.org/"},
        kb={URIRef("http://example.org/g"): Text(":c :p :d . :d :p :e .")},
        readings={"kleene": "join", "ties": "merge", "window": "sliding"},
        evaluation={"from": 1_767_225_600_000_000},
        title="a large case",
        cites="nothing yet",
        tags=("fuzz",),
    )


def small(case: Case) -> Case:
    return case.parsed()


def events(case: SpaseqCase) -> int:
    return sum(map(len, case.streams.values()))


def test_whatever_can_go_goes(case: Case) -> None:
    shrunk = small(shrink(case, lambda _: True))
    assert re.search(r"DEFINE GPM A ON S1 \{ \?\w :\w \?\w \}", to_text(shrunk.query))
    assert text_of(shrunk.query.sequence) == "A"
    assert events(shrunk) == 0
    assert features(shrunk) <= {"empty stream"}
    assert shrunk.kb == {}


def test_the_case_keeps_what_it_says_about_itself(case: Case) -> None:
    shrunk = shrink(case, lambda _: True)
    assert (shrunk.title, shrunk.cites, shrunk.tags) == ("a large case", "nothing yet", ("fuzz",))
    assert shrunk.expect is None


ONE_OF_EACH_KIND = [
    ("&", 1), (";", 1), ("+ after an operand", 2), ("deferred filter", 0), ("property path", 0),
    ("kleene=join", 0), ("SLIDE", 0), ("dateTime", 0), ("SELECT list", 0), ("start", 0),
    ("background graph", 0), ("unnamed stream", 0), ("equal times across streams", 0),
]
OTHERS = [
    ("+", 1), ("|", 1), ("nested BOp", 2), (",", 1), (":", 1), ("local filter", 0),
    ("OPTIONAL", 0), ("UNION", 0), ("MINUS", 0), ("GRAPH", 0), ("VALUES", 0), ("BIND", 0),
    ("ties=merge", 0), ("blank node in data", 0),
]


@pytest.mark.parametrize(
    ("needed", "operators"),
    [*ONE_OF_EACH_KIND, *(pytest.param(*each, marks=pytest.mark.slow) for each in OTHERS)],
)
def test_what_is_needed_stays_alone(case: Case, needed: str, operators: int) -> None:
    shrunk = small(shrink(case, lambda case: needed in features(small(case))))
    assert needed in features(shrunk)
    assert operator_count(shrunk.query.sequence) <= operators
    assert events(shrunk) <= 2


def test_events_go_one_by_one(case: Case) -> None:
    shrunk = small(shrink(case, lambda case: events(small(case)) >= 3))
    assert events(shrunk) == 3
    assert sum(len(item.graph) for stream in shrunk.streams.values() for item in stream) == 0


def test_times_become_small_numbers(case: Case) -> None:
    def apart(case: Case) -> bool:
        times = {item.time for stream in small(case).streams.values() for item in stream}
        return len(times) >= 3

    shrunk = small(shrink(case, apart))
    assert sorted(i.time for stream in shrunk.streams.values() for i in stream) == [0, 1, 2]


def test_a_blank_node_that_does_not_matter_becomes_an_iri(case: Case) -> None:
    shrunk = small(shrink(case, lambda case: bool(_subjects(small(case)))))
    assert not any(isinstance(subject, BNode) for subject in _subjects(shrunk))


def _subjects(case: SpaseqCase) -> list[object]:
    return [t[0] for stream in case.streams.values() for item in stream for t in item.graph]


def test_a_difference_in_meaning_is_kept(case: Case) -> None:
    """Among the smaller cases: one whose result depends on `;` being no `:`."""
    tree = parse(QUERY.replace("A; B+, (C & (D | E)) : F?", "A; B"))
    given = small(case.but(query=tree, readings={}, evaluation={}))
    # Without the filters, so that there is a difference to begin with.
    bodies = [
        replace(d, pattern=type(d.pattern)(d.pattern.elements[:1])) for d in tree.definitions[:2]
    ]
    query = replace(given.query, definitions=tuple(bodies), select=None)

    def differs(case: Case) -> bool:
        here = small(case)
        text = to_text(here.query)
        if "; " not in text:
            return False
        any_of_them = here.but(query=parse(text.replace("; ", " : ")))
        return here.denotation() != any_of_them.denotation()

    large = given.but(query=query)
    assert differs(large)
    shrunk = small(shrink(large, differs))
    assert text_of(shrunk.query.sequence) in ("A; B", "A; A")
    assert events(shrunk) == 3


def test_simplifications_without_a_meaning_are_passed_over(case: Case) -> None:
    def fails(case: Case) -> bool:
        if operator_count(small(case).query.sequence) == 0:
            raise QueryError("no sequence of one")
        return True

    assert operator_count(small(shrink(case, fails)).query.sequence) == 1


def test_every_proposal_is_measured_and_every_pass_proposes_something_smaller(case: Case) -> None:
    large = small(case)
    hook = hook_of("spaseq")
    for proposals in passes(hook):
        smaller = (measure(each, hook) < measure(large, hook) for each in proposals(large))
        assert any(smaller), proposals


def test_an_end_after_so_many_attempts(case: Case) -> None:
    attempts: list[Case] = []

    def fails(case: Case) -> bool:
        attempts.append(case)
        return True

    shrink(case, fails, limit=10)
    assert len(attempts) <= 10 + 2  # the last two make it easier to read, not smaller


def test_another_language_is_a_clear_error(case: Case) -> None:
    with pytest.raises(UnsupportedError, match="cypher"):
        shrink(case.but(language="cypher"), lambda _: True)


def test_the_order_of_triples_is_the_same_in_every_process() -> None:
    import subprocess
    import sys

    code = (
        "from denota.oracle.fuzzing.differential import fuzz\n"
        "from denota.oracle.engines.engine_specs import FunctionEngine\n"
        "from denota.oracle.cases.case_writer import case_text\n"
        "report = fuzz(FunctionEngine(lambda query, **rest: [], 'silent'), ['spaseq'],"
        " examples=10, seed=4)\n"
        "print(report.answered, *(case_text(d.case) for d in report.discrepancies))\n"
    )

    def run(hashes: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True,
            env={"PYTHONHASHSEED": hashes, "PATH": ""},
        ).stdout

    one = run("1")
    assert one == run("2")
    assert "title:" in one




def test_a_stream_stays_one_whatever_names_it() -> None:
    """Streams of a file have IRIs as names, those of drawn cases texts."""
    read = parse_case(
        "title: a stream\nlanguage: ceql\ncites: CORE Table 2\nquery: SELECT * FROM S WHERE A\n"
        'streams:\n  S: {csv: "type\\nA\\n", declaration: "CREATE STREAM S { EVENT A { } }"}\n'
        "expect: {level: positions, results: []}\n",
        source="a.case.yaml",
    )
    for of in (str, URIRef):
        named = read.but(streams={of(name): items for name, items in read.stream_sources.items()})
        shrunk = shrink(named, lambda case: "FROM S" in case.text and any(case.streams.values()))
        assert list(map(str, shrunk.stream_sources)) == ["S"]
