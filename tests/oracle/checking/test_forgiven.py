"""Each ignored difference beside a fault that it does not cover (docs/comparison.md)."""

import re
from functools import cache
from pathlib import Path

import pytest

from denota.oracle.cases.case_reader import parse_case
from denota.oracle.checking.case_checker import check_case
from denota.oracle.checking.verdicts import Outcome
from denota.oracle.engines.engine import TaskError

PAGE = Path(__file__).parents[3] / "docs" / "comparison.md"
E = "http://example.org/"

SPASEQ = """\
language: spaseq
query: |
  PREFIX : <http://example.org/>
  SELECT ?x ?y WITHIN 2 SLIDE 1 FROM STREAM S :s WHERE { SEQ(A) DEFINE GPM A ON S {
    ?x :p ?z OPTIONAL { ?x :r ?y } } }
streams:
  http://example.org/s: |
    @prefix : <http://example.org/> . @prefix prov: <http://www.w3.org/ns/prov#> .
    :g0 prov:generatedAtTime 0 . :g0 { :o :q :o . }
    :g1 prov:generatedAtTime 1 . :g1 { :a :p :c . :b :p :c ; :r 1 }
    :g2 prov:generatedAtTime 2 . :g2 { :o :q :o . }
"""
TERMS = """\
language: rsepql
query: |
  PREFIX : <http://example.org/>
  SELECT ?x ?y FROM NAMED WINDOW :w ON :s [RANGE 1 STEP 1]
  WHERE { WINDOW :w { ?x :p ?y } } ORDER BY ?y
streams:
  http://example.org/s: |
    @prefix : <http://example.org/> . @prefix prov: <http://www.w3.org/ns/prov#> .
    :g1 prov:generatedAtTime 1 . :g1 { _:a :p "a"@en . _:b :p 1 . :c :p "s" }
evaluate: {at: [1]}
"""
TIMES = """\
language: cqels
query: |
  PREFIX : <http://example.org/>
  CONSTRUCT { ?x :p ?y . ?y :q ?x } FROM NAMED WINDOW :w ON :s [RANGE 1m]
  WHERE { WINDOW :w { ?x :p ?y } }
streams:
  http://example.org/s: |
    @prefix : <http://example.org/> . @prefix prov: <http://www.w3.org/ns/prov#> .
    @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
    :g1 prov:generatedAtTime "2026-01-01T00:00:00Z"^^xsd:dateTime . :g1 { :a :p :b }
"""
CEQL = """\
language: ceql
query: SELECT * FROM S WHERE (A AS x ; B AS y)
streams:
  S: {csv: "type,v\\nA,1\\nA,2\\nB,3\\n"}
"""

class Given:
    """Reports what it is given."""

    name, version, keeps_time = "given", "", True
    languages = ("spaseq", "rsepql", "cqels", "epsparql", "ceql")

    def __init__(self, results, level="pair"):
        self.results, self.level = results, level

    def run(self, case):
        if isinstance(self.results, Exception):
            raise self.results
        return self.results


@cache
def case_of(text):
    case = parse_case(f"title: t\n{text}expect: {{results: []}}\n", source="t.case.yaml")
    return case.but(expect=None)


def verdict(text, results, level="pair"):
    return check_case(case_of(text), Given(results, level))


def iri(name):
    return {"type": "uri", "value": E + name}


def text(value, **more):
    return {"type": "literal", "value": value, **more}


INTEGER = {"datatype": "http://www.w3.org/2001/XMLSchema#integer"}
A, B = {"x": iri("a")}, {"x": iri("b"), "y": text("1", **INTEGER)}
WINDOWS = [[0, 2], [1, 3]]


def pairs(*solutions, windows=None, time=1):
    return [{"window": w, "time": time, "solutions": list(solutions)}
            for w in (windows or told_windows())]


@cache
def told_windows():
    case = case_of(SPASEQ)
    found = case.language.evaluate(case.tree, **case.inputs)
    return sorted({pair.window for pair in found})


def rows(*solutions, **more):
    return [{"time": 1, "solution": mu, **more} for mu in solutions]


def blank(name):
    return {"type": "bnode", "value": name}


def terms(a="a", b="b", at=1, tag="en", one="1", string=None):
    return [
        {"at": at, "solution": {"x": blank(a), "y": text("a", **{"xml:lang": tag})}},
        {"at": at, "solution": {"x": blank(b), "y": text(one, **INTEGER)}},
        {"at": at, "solution": {"x": iri("c"), "y": string or text("s")}},
    ]


def graph(time, *triples):
    listed = [dict(zip(("subject", "predicate", "object"), map(iri, t), strict=True))
              for t in triples]
    return [{"interval": [time, time], "graph": listed}]


FORTH, BACK = "apb", "bqa"
NOON = "2026-01-01T00:00:00Z"


def events(*all_positions, **more):
    return [{"start": 0 if 0 in p else 1, "end": 2, "positions": p, **more} for p in all_positions]


XSD_STRING = "http://www.w3.org/2001/XMLSchema#string"

# What is forgiven -> a case, results that pass, and planted faults that do not.
FORGIVEN = {
    "order-of-results": (
        SPASEQ, lambda: (list(reversed(pairs(B, A))), "pair"),
        [lambda: (pairs(A, B, time=2), "pair"), lambda: (pairs(A, B)[:1], "pair")],
    ),
    "rows-of-pairs": (
        SPASEQ, lambda: (rows(A, B), "row"),
        [lambda: (pairs(A) + pairs(B), "pair"), lambda: (rows(A), "row"),
         lambda: (rows(A, B), "bag")],
    ),
    "rows-without-windows": (
        SPASEQ, lambda: (rows(A, B, A, B), "row"),
        [lambda: (rows(A, B, A, B, A), "row"),
         lambda: (rows(A, B, window=[7, 9]), "row"),
         lambda: (pairs(A, B, windows=[None, None]), "pair")],
    ),
    "unbound": (
        SPASEQ, lambda: (pairs({**A, "y": None}, B), "pair"),
        [lambda: (pairs({**A, "y": text("")}, B), "pair")],
    ),
    "blank-nodes": (
        TERMS, lambda: (terms(a="b", b="p"), "pair"),
        [lambda: (terms(a="q", b="q"), "pair"),
         lambda: ([*terms()[:2], {"at": 1, "solution": {"x": blank("c"), "y": text("s")}}],
                  "pair")],
    ),
    "literals": (
        TERMS, lambda: (terms(tag="EN", string=text("s", datatype=XSD_STRING)), "pair"),
        [lambda: (terms(tag="en-GB"), "pair"), lambda: (terms(one="01"), "pair"),
         lambda: (terms(string=text("s", **INTEGER)), "pair")],
    ),
    "one-time-in-several-objects": (
        TERMS, lambda: ([*terms(), {"at": 2, "solutions": []}], "pair"),
        [lambda: (terms(at=2), "pair"), lambda: ([*terms(), *terms()[:1]], "pair")],
    ),
    "order-by": (
        TERMS, lambda: (list(reversed(terms())), "pair"),
        [lambda: (terms()[:2], "pair")],
    ),
    "instants": (
        TIMES, lambda: (graph("2026-01-01T01:00:00.0+01:00", FORTH, BACK), "pair"),
        [lambda: (graph("2026-01-01T00:00:00.000001Z", FORTH, BACK), "pair"),
         lambda: (graph("2026-01-01T00:00:00+01:00", FORTH, BACK), "pair")],
    ),
    "order-in-a-written-set": (
        TIMES, lambda: (graph(NOON, BACK, FORTH), "pair"),
        [lambda: (graph(NOON, FORTH), "pair"), lambda: (graph(NOON, FORTH, BACK, BACK), "pair")],
    ),
    "order-of-positions": (
        CEQL, lambda: (events([2, 0], [1, 2]), "positions"),
        [lambda: (events([0, 2], [1, 2, 2]), "positions"),
         lambda: (events([0, 1, 2], [1, 2]), "positions")],
    ),
    "bindings-left-out": (
        CEQL + "readings: {output: valuation}\n",
        lambda: (events([0, 2], [1, 2]), "pair"),
        [lambda: (events([0, 2], [1, 2], bindings={"x": [0], "y": [1]}), "pair"),
         lambda: (events([0, 2], [1, 2], [1, 2]), "pair")],
    ),
    "any-right-choice": (
        CEQL.replace("WHERE (A AS x ; B AS y)", "WHERE (A AS x ; B AS y) LIMIT 1"),
        lambda: (events([1, 2]), "positions"),
        [lambda: (events([0, 2], [1, 2]), "positions"), lambda: ([], "positions"),
         lambda: (events([1, 2], [1, 2]), "positions"), lambda: (events([2]), "positions")],
    ),
    "wording-of-errors": (
        CEQL.replace('A,2', 'A'),
        lambda: (TaskError("in its own words"), "positions"),
        [lambda: ([], "positions"), lambda: (RuntimeError("in its own words"), "positions")],
    ),
}


@pytest.mark.parametrize("name", FORGIVEN)
def test_what_is_forgiven_passes(name):
    text_of, passes, _ = FORGIVEN[name]
    results, level = passes()
    found = verdict(text_of, results, level)
    assert found.ok, found


@pytest.mark.parametrize(
    "name, number", [(name, i) for name, (_, _, faults) in FORGIVEN.items()
                     for i in range(len(faults))]
)
def test_nothing_else_is_forgiven(name, number):
    text_of, _, faults = FORGIVEN[name]
    results, level = faults[number]()
    assert verdict(text_of, results, level).outcome in (Outcome.FAIL, Outcome.CRASH)


def test_the_page_lists_what_is_forgiven():
    _, _, behind = PAGE.read_text().partition("## Ignored differences")
    table, _, _ = behind.partition("## Comparison in other commands")
    assert re.findall(r"^\| `([a-z-]+)` \|", table, re.M) == list(FORGIVEN)
