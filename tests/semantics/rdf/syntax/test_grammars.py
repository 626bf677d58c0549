"""A grammar of another language takes over SPARQL's rules and terminals."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from lark import Lark

from denota.semantics.model.errors import QueryError
from denota.semantics.rdf.syntax import tree_builder
from denota.semantics.rdf.syntax.parse import PatternTransformer, parse_group
from denota.semantics.rdf.syntax.tree import GroupGraphPattern, Prologue
from denota.semantics.rdf.syntax.tree_builder import SEMANTICS, load_grammar, parse_text

OTHER = r"""
%import rdf.syntax.grammar (prologue, group_graph_pattern, expression, WS, COMMENT)
%ignore WS
%ignore COMMENT
NAME: /[A-Za-z_]\w*/
start: prologue "MATCH"i NAME (OPERATOR NAME)* definition+
OPERATOR: /[,;:+]/
definition: "DEFINE"i NAME group_graph_pattern
"""


class Other(PatternTransformer):
    def definition(self, children: Sequence[object]) -> tuple[str, object]:
        name, group = children
        return str(name), group

    def start(self, children: Sequence[object]) -> tuple[Prologue, dict[str, GroupGraphPattern]]:
        return self.declared, dict(c for c in children if isinstance(c, tuple))


@pytest.fixture(scope="module")
def parser() -> Lark:
    return Lark(
        OTHER, parser="lalr", propagate_positions=True, maybe_placeholders=False,
        import_paths=[str(SEMANTICS)],
    )


def test_patterns_mean_the_same_within_another_language(parser: Lark) -> None:
    body = (
        "{ ?x a :select ; :p/:q* [ :r (1 'a'@en) ] . # DEFINE\n FILTER(?x<?y && strlen(?x)>-1) "
        "GRAPH <kb> { ?s ?p true } FILTER NOT EXISTS { ?x ^:p|!(:q) 'b'^^<t> } "
        "BIND('1'^^<t>+1 AS ?b) VALUES ?v { UNDEF } { SELECT (COUNT(*) AS ?n) {} } }"
    )
    text = (
        "prefix : <http://e/> BASE <http://b/> match A; B: filter "
        f"define A {body} DEFINE filter {{}}"
    )
    prologue, groups = parse_text(parser, Other(text), text, "start")
    assert prologue == Prologue("http://b/", (("", "http://e/"),))
    assert groups == {"A": parse_group(body, prologue), "filter": GroupGraphPattern()}


def test_errors_name_what_came_by_import_in_plain_words(parser: Lark) -> None:
    text = "MATCH A DEFINE A { ?x }"
    with pytest.raises(QueryError) as caught:
        parse_text(parser, Other(text, source="q"), text, "start")
    assert (caught.value.line, caught.value.column) == (1, 23)
    assert "a prefixed name" in caught.value.message
    assert "__" not in caught.value.message
    text = "MATCH A DEFINE A { ?x a :C }"
    with pytest.raises(QueryError, match="the prefix ':' is not declared"):
        parse_text(parser, Other(text), text, "start")


def test_compiled_grammars_are_kept_in_the_users_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    load_grammar.cache_clear()
    first = load_grammar("rdf/syntax/grammar.lark", ("query", "group_graph_pattern"))
    (tables,) = (tmp_path / "denota").iterdir()
    assert tables.name.startswith("rdf-syntax-grammar-query-group_graph_pattern-python")
    load_grammar.cache_clear()
    again = load_grammar("rdf/syntax/grammar.lark", ("query", "group_graph_pattern"))
    assert again is not first
    assert again.parse("ASK {}", start="query") == first.parse("ASK {}", start="query")
    load_grammar.cache_clear()


def test_a_grammar_is_loaded_where_nothing_can_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(in_the_way))
    assert tree_builder._cache_file("rdf/syntax/grammar.lark", ("query",)) is False
