"""Property paths: what they join, and how often."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Rows = Callable[..., list[dict[str, str]]]

CHAIN = ":a :p :b . :b :p :c . :c :q :d ."
CYCLE = ":a :p :b . :b :p :a . :b :p :c ."


def ends(rows: Rows, path: str, data: str) -> list[str]:
    """The pairs, as "xy"."""
    return [
        row["x"].lstrip(":") + row["y"].lstrip(":") for row in rows(f"{{ ?x {path} ?y }}", data)
    ]


@pytest.mark.parametrize("path, expected", [
    (":p", "ab bc"), ("^:p", "ba cb"), (":p/:p", "ac"), (":p/:q", "bd"), ("^:p/:p", "bb cc"),
    (":p|:q", "ab bc cd"), (":p|:p", "ab ab bc bc"), ("(:p|:q)/(:p|:q)", "ac bd"),
    (":p?", "aa ab bb bc cc dd"), (":p+", "ab ac bc"), (":p*", "aa ab ac bb bc cc dd"),
    ("(:p/:q)?", "aa bb bd cc dd"), (":p+/:q", "ad bd"), ("(:p|:p)+", "ab ac bc"),
    ("(:p?)+", "aa ab ac bb bc cc dd"), ("^(:p/:q)", "db"), ("(^:p)+", "ba ca cb"),
    ("!:p", "cd"), ("!(:p|:q)", ""), ("!()", "ab bc cd"), ("!^:p", "dc"),
    ("!(:q|^:p)", "ab bc dc"), ("!(:q|^:q)", "ab ba bc cb"), ("(!:q)+", "ab ac bc"),
])
def test_the_pairs_of_a_path(rows: Rows, path: str, expected: str) -> None:
    assert ends(rows, path, CHAIN) == expected.split()


@pytest.mark.parametrize("path, expected", [
    (":p+", "aa ab ac ba bb bc"), (":p*", "aa ab ac ba bb bc cc"), ("(:p/:p)+", "aa ac bb"),
    (":p+/:p+", "aa aa ab ab ac ac ba ba bb bb bc bc"),
])
def test_paths_over_cycles_end(rows: Rows, path: str, expected: str) -> None:
    got = ends(rows, path, CYCLE)
    assert sorted(set(got)) == sorted(set(expected.split()))
    assert ("/" not in path or path.startswith("(")) == (len(got) == len(set(got)))


def test_sequences_count_their_ways_and_closures_do_not(rows: Rows) -> None:
    data = ":a :p :b, :c . :b :p :d . :c :p :d ."
    assert ends(rows, ":p/:p", data) == ["ad", "ad"]
    assert ends(rows, "(:p/:p)?", data).count("ad") == 1
    assert ends(rows, ":p+", data).count("ad") == 1


def test_a_zero_length_path_joins_a_given_term_to_itself(rows: Rows) -> None:
    # … even where the graph does not know the term.
    assert rows("{ :z :p* ?y }", CHAIN) == [{"y": ":z"}]
    assert rows("{ ?x :p? :z }", CHAIN) == [{"x": ":z"}]
    assert rows("{ :z :p* :z }", "") == [{}]
    assert rows("{ :z :p+ :z }", CHAIN) == []
    assert rows("{ :y :p* :z }", CHAIN) == []
    assert rows("{ 1 :p? ?y }", CHAIN) == [{"y": "1"}]


def test_a_variable_at_a_zero_length_path_is_a_node_of_the_graph(rows: Rows) -> None:
    assert rows("{ ?x :p* ?x }", ":a :p :b .") == [{"x": ":a"}, {"x": ":b"}]
    assert rows("{ ?x :p* ?y }", "") == []
    # ?q is bound to a predicate, which is no node.
    assert rows("{ :a ?q :b . ?q :p* ?y }", ":a :p :b .") == []
    assert rows("{ :a ?q :b . ?q :p* :p }", ":a :p :b .") == [{"q": ":p"}]
    # The end of the first step is a variable for the second.
    assert rows("{ :z :p?/:q? ?y }", CHAIN) == []
    assert rows("{ :d :p?/:q? ?y }", CHAIN) == [{"y": ":d"}]


def test_both_ends_given(rows: Rows) -> None:
    assert rows("{ :a :p+ :c }", CHAIN) == [{}]
    assert rows("{ :a :p/:p :c }", CHAIN) == [{}]
    assert rows("{ :a (:p|:p) :b }", CHAIN) == [{}, {}]
    assert rows("{ :a :p? :a }", CHAIN) == [{}]
    assert rows("{ ?x :p+ :c }", CHAIN) == [{"x": ":a"}, {"x": ":b"}]


def test_paths_join_with_the_triples_beside_them(rows: Rows) -> None:
    assert rows("{ ?y :q ?z . ?x :p+ ?y }", CHAIN) == [
        {"x": ":a", "y": ":c", "z": ":d"}, {"x": ":b", "y": ":c", "z": ":d"},
    ]
    assert rows("{ ?x :p/:p/:q [] }", CHAIN) == [{"x": ":a"}]
    assert rows("{ _:n :p+ ?y . _:n :p :b }", CHAIN) == [{"y": ":b"}, {"y": ":c"}]


def test_paths_in_named_graphs_see_their_nodes_only(rows: Rows) -> None:
    assert rows("{ GRAPH :g { ?x :p* ?y } }", CHAIN, {"g": ":e :q 1 ."}) == [
        {"x": "1", "y": "1"}, {"x": ":e", "y": ":e"},
    ]
