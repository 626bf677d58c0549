"""Patterns on a batch, by columns and one by one, against matching each item alone."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from rdflib.term import URIRef, Variable

from denota.engine.kernels import KERNELS
from denota.engine.rdf.columns.batch import batch_of
from denota.engine.rdf.columns.matching import plan as matching_plan
from denota.engine.rdf.data.dictionary import Dictionary
from denota.engine.rdf.data.graphs import IndexedGraph
from denota.engine.rdf.data.layout import IdRow, Rows
from denota.engine.rdf.matcher import Matcher, compile_pattern
from denota.engine.tuning import capacities
from denota.semantics.model.items import TimeKind
from denota.semantics.model.terms import Graph, Term, literal
from denota.semantics.rdf.syntax.parse import parse_group
from denota.semantics.rdf.syntax.tree import Prologue
from denota.semantics.streams.merging import StreamItem

EX = "http://example.org/"
XSD = "http://www.w3.org/2001/XMLSchema#"
PROLOGUE = Prologue(prefixes=(("", EX), ("xsd", XSD)))


def term(text: str) -> Term:
    """`:a`, `1`, `1.5` (a decimal), `1e0` (a double), `1f` (a float), anything else a string."""
    if text.startswith(":"):
        return URIRef(EX + text[1:])
    if text[-1] == "f" and text[0].isdigit():
        return literal(text[:-1], XSD + "float")
    kinds = {"integer": int, "decimal": lambda t: float(t) if "e" not in t else int(t)}
    for kind, reads in (*kinds.items(), ("double", float)):
        try:
            reads(text)
        except ValueError:
            continue
        return literal(text, XSD + kind)
    return literal(text)


def graph(text: str) -> Graph:
    triples = [line.split() for line in text.split(",") if line.strip()]
    return frozenset((term(s), term(p), term(o)) for s, p, o in triples)


ITEMS = [
    graph(text) for text in (
        ":e :symbol :x, :e :price 10, :e :volume 100, :f :price 20",
        "",
        ":e :symbol :y, :e :price 12.5, :e :volume 12.50",
        ":f :symbol :x, :f :symbol :y, :f :price 3e0, :f :volume 3, :g :price :f, :e :e :e",
        ":e :price 0.1, :e :volume 1e-1, :e :symbol abc, :f :symbol abc, :f :price 0.1f",
        ":a :next :b, :b :next :c, :c :next :a, :a :next :a, :b :price 9007199254740993,"
        " :a :price 9007199254740992, :c :price 9007199254740992e0, :d :price INF",
        ":a :price 1, :b :price 2, :b :symbol :x, :b :volume 3, :b :volume 4, :c :price 5,"
        " :c :symbol :x, :d :price 6, :d :symbol :y, :d :volume 7",
    )
]
COMPANIES = {
    URIRef(EX + "companies"): graph(
        ":x :sector :tech, :y :sector :food, :z :sector :tech, :x :rival :y, :y :rival :y,"
        " :tech :limit 11, :food :limit 12"
    )
}


def matched(matcher: Matcher, items: list[Graph]) -> list[Counter[IdRow]]:
    stream = URIRef(EX + "s")
    batch = batch_of(
        [StreamItem(stream, at, 0, item, TimeKind.INTEGER) for at, item in enumerate(items)],
        matcher.dictionary,
    )
    offsets, rows = matcher.match_columns(batch)
    assert rows.dtype == np.int64
    assert rows.shape == (offsets[-1], len(matcher.columns))
    return [Counter(map(tuple, rows[one:other].tolist())) for one, other in pairwise(offsets)]


def compiled(pattern: str) -> Matcher:
    return compile_pattern(
        parse_group(pattern, prologue=PROLOGUE), Dictionary(), COMPANIES, defer=False
    )


BY_COLUMNS = {
    "join": "{ ?e :symbol ?s ; :price ?p ; :volume ?v }",
    "without variables": "{ :e :symbol :x }",
    "nothing": "{}",
    "constant object": "{ ?e :symbol :x ; :price ?p }",
    "constant subject": "{ :e ?p ?o }",
    "repeated variable": "{ ?x :next ?x }",
    "repeated with predicate": "{ ?x ?x ?x }",
    "no variable shared": "{ ?e :symbol ?s . ?f :price ?p }",
    "two variables shared": "{ ?x :next ?y . ?y ?p ?x }",
    "cycle": "{ ?x :next ?y . ?y :next ?z . ?z :next ?x }",
    "blank node": "{ _:x :symbol ?s ; :price ?p }",
    "sequence of links": "{ ?x :next/:next ?y }",
    "inverse link": "{ ?x ^:next/:price ?y }",
    "number": "{ ?e :price ?p FILTER(?p > 10) }",
    "not an error": "{ ?e :price ?p FILTER(!(?p > 10)) }",
    "equal numbers": "{ ?e :price ?p ; :volume ?v FILTER(?p = ?v) }",
    "large numbers": "{ ?e :price ?p . ?f :price ?q FILTER(?p < ?q) }",
    "equal large numbers": "{ ?e :price ?p . ?f :price ?q FILTER(?p = ?q) }",
    "arithmetic": "{ ?e :price ?p ; :volume ?v FILTER(?p * 10 <= ?v && -?v < ?p / 2) }",
    "division by zero": "{ ?e :price ?p ; :volume ?v FILTER(!(-?p / (?v - ?v) > 1)) }",
    "or": "{ ?e :price ?p ; :volume ?v FILTER(?p > ?v || ?v > 50 || ?p + 'a' > 1) }",
    "strings": "{ ?e :symbol ?s . ?f :symbol ?t FILTER(?s = ?t && ?e != ?f) }",
    "order of strings": "{ ?e :symbol ?s FILTER(?s < 'b') }",
    "IRI": "{ ?e ?p ?o FILTER(?o != :x) }",
    "function": "{ ?e ?p ?o FILTER(isIRI(?o) || regex(str(?o), '^1')) }",
    "function of two": "{ ?e :price ?p ; :volume ?v FILTER(concat(str(?p), str(?v)) > '12') }",
    "same term": "{ ?e :symbol ?s . ?f :symbol ?t FILTER(sameTerm(?s, ?t)) }",
    "unbound in filter": "{ ?e :price ?p FILTER(?p > ?q) }",
    "not bound": "{ ?e :price ?p FILTER(!bound(?q)) }",
    "constant filter": "{ ?e :price ?p FILTER(1 > 2) }",
    "optional": "{ ?e :price ?p OPTIONAL { ?e :symbol ?s } }",
    "optional with filter": "{ ?e :price ?p OPTIONAL { ?e :symbol ?s FILTER(?p > 11) } }",
    "optional in optional": (
        "{ ?e :price ?p OPTIONAL { ?e :symbol ?s OPTIONAL { ?e :volume ?v } } }"
    ),
    "optional in optional, filtered": (
        "{ ?e :price ?p OPTIONAL { ?e :symbol ?s OPTIONAL { ?e :volume ?v } FILTER(bound(?v)) } }"
    ),
    "bound": "{ ?e :price ?p OPTIONAL { ?e :symbol ?s } FILTER(!bound(?s)) }",
    "filter of a group inside": "{ ?e :price ?p { ?e :symbol ?s FILTER(!bound(?p)) } }",
    "union": "{ { ?e :price ?x } UNION { ?e :volume ?y } FILTER(?x > 3 || ?y > 3) }",
    "union goes on": "{ ?e :symbol ?s { ?e :price ?x } UNION { ?e :volume ?x } }",
    "union in optional": "{ ?e :symbol ?s OPTIONAL { { ?e :price ?x } UNION { ?e :volume ?x } } }",
    "bind": "{ ?e :price ?p BIND(?p * 2 AS ?q) BIND(?q + 1 AS ?r) FILTER(?r > 21) }",
    "values": "{ VALUES (?s ?n) { (:x 1) (:y 2) (:x '') } ?e :symbol ?s ; :price ?p }",
    "values alone": "{ VALUES ?s { :x :y } ?e :price ?p }",
    "background": "{ ?e :symbol ?s ; :price ?p GRAPH :companies { ?s :sector ?t } }",
    "background, filtered": (
        "{ ?e :symbol ?s ; :price ?p "
        "GRAPH :companies { ?s :sector ?t . ?t :limit ?l FILTER(?l < 12) } FILTER(?p < ?l) }"
    ),
    "background, both ends": "{ ?e :symbol ?s . ?f :symbol ?t GRAPH :companies { ?s :rival ?t } }",
    "background, one variable": "{ ?e :symbol ?s GRAPH :companies { ?s :rival ?s } }",
    "background, constant": "{ ?e :symbol ?s GRAPH :companies { ?s :sector :tech } }",
    "background, on its own": "{ ?e :price ?p GRAPH :companies { :tech :limit ?l } }",
    "no such graph": "{ ?e :symbol ?s GRAPH :others { } }",
}  # fmt: skip
ONE_BY_ONE = {
    "path": "{ ?x :next+ ?y }",
    "minus": "{ ?e :price ?p MINUS { ?e :symbol ?s } }",
    "exists": "{ ?e :price ?p FILTER EXISTS { ?e :symbol ?s } }",
    "sub-select": "{ ?e :price ?p { SELECT ?e { ?e :symbol ?s } } }",
    "some graph": "{ ?e :symbol ?s GRAPH ?g { ?s :sector ?t } }",
    "background as it is": "{ ?e :symbol ?s OPTIONAL { GRAPH :companies { ?x :sector ?y } } }",
    "bound perhaps": "{ ?e :price ?p OPTIONAL { ?e :symbol ?s } ?f :symbol ?s }",
    "undefined": "{ VALUES (?e ?s) { (:e UNDEF) (:f :x) } ?e :symbol ?s }",
    "volatile": "{ ?e :price ?p FILTER(RAND() < 2) }",
}


@pytest.mark.parametrize("scanned", [0, 8])
@pytest.mark.parametrize("pattern", BY_COLUMNS.values(), ids=BY_COLUMNS)
def test_by_columns(pattern: str, scanned: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching_plan, "matched_singly", None)  # nothing is matched one by one
    matcher = compiled(pattern)
    with capacities(columns=0, scanned=scanned):
        assert matched(matcher, ITEMS) == [Counter(matcher.match(item)) for item in ITEMS]
        assert any(matcher.match(item) for item in ITEMS) != (pattern in NOWHERE)


NOWHERE = {BY_COLUMNS[each] for each in ("unbound in filter", "constant filter", "no such graph")}


@pytest.mark.parametrize("pattern", ONE_BY_ONE.values(), ids=ONE_BY_ONE)
def test_one_by_one(pattern: str) -> None:
    matcher = compiled(pattern)
    with capacities(columns=0):
        assert matched(matcher, ITEMS) == [Counter(matcher.match(item)) for item in ITEMS]
        assert any(matcher.match(item) for item in ITEMS)


def test_one_by_one_where_the_triples_outside_can_match(monkeypatch: pytest.MonkeyPatch) -> None:
    matcher = compiled("{ ?e :price ?p FILTER(?p > 11 && ?p < 25) MINUS { ?e :symbol :x } }")
    looked: list[IndexedGraph] = []
    complete = Matcher.match_indexed

    def match_indexed(self: Matcher, graph: IndexedGraph) -> Rows:
        looked.append(graph)
        return complete(self, graph)

    with capacities(columns=0), monkeypatch.context() as patched:
        patched.setattr(Matcher, "match_indexed", match_indexed)
        found = matched(matcher, ITEMS)
    assert [number for number, rows in enumerate(found) if rows] == [0, 2]
    assert len(looked) == 2


def test_a_small_batch_is_matched_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    matcher = compiled("{ ?e :symbol ?s ; :price ?p }")
    with capacities(columns=100), monkeypatch.context() as patched:
        patched.setattr("denota.engine.rdf.columns.matching.plan.compile_plan", None)
        assert matched(matcher, ITEMS) == [Counter(matcher.match(item)) for item in ITEMS]


def test_compiled_loops_find_the_same() -> None:
    matcher = compiled("{ ?e :symbol ?s ; :price ?p GRAPH :companies { ?s :sector ?t } }")
    many = ITEMS * 3
    with capacities(columns=0), KERNELS.allowing(-1):
        assert matched(matcher, many) == [Counter(matcher.match(item)) for item in many]


def test_what_is_known_of_ids_is_forgotten_with_them() -> None:
    matcher = compiled("{ ?e :price ?p FILTER(?p > 10) FILTER(?p + ?q > 1 || ?p != ?e) }")
    with capacities(columns=0):
        for price in ("5", "20", "1", "30", "x", "40"):
            [found] = matched(matcher, [graph(f":e :price {price}")])
            assert len(found) == (price not in ("1", "5", "x"))
            matcher.dictionary.sweep()


def test_items_of_many_triples_are_joined_by_sorted_keys() -> None:
    large = [
        graph(",".join(f":e{i} :price {i % 7}, :e{i % 50} :symbol :s{i}" for i in range(100 * n)))
        for n in (0, 1, 2)
    ]
    matcher = compiled("{ ?e :symbol ?s ; :price ?p }")
    assert matcher.columns == (Variable("e"), Variable("s"), Variable("p"))
    with capacities(columns=0):
        assert matched(matcher, large) == [Counter(matcher.match(item)) for item in large]
