"""Coverage of a language's grammar: in how many queries one rule was directly inside another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, Final, TypeAlias

from lark import Lark, Tree
from lark.grammar import Rule

from ...semantics.model.errors import DenotaError
from ...semantics.rdf.syntax.tree_builder import WATCHED

Pair: TypeAlias = tuple[str, str]
"""A rule of a grammar, and one inside it."""

SUGAR: Final = frozenset({
    "bare_object", "bare_pattern", "bare_properties", "bare_triples", "base_decl",
    "blank_node_property_list_path", "braced_body", "collection_path", "construct_short",
    "describe_query", "duration", "equals_regexp", "inline_data_one_var", "interval_from",
    "inverse_step", "nil", "open_projection", "rdf_type", "reversed_projection", "short_rule",
    "signed_addition", "signed_product",
})
"""Rules that no printed query has, since they abbreviate others."""

_WINDOWS: Final = ("all_window", "now_window", "range_window", "triples_window")
_PRINTED_AS: Final = {
    **{("window_pattern", window): "FROM NAMED WINDOW" for window in _WINDOWS},
    **{
        (form, "stream_operator"): "REGISTER"
        for form in ("ask_query", "construct", "construct_query", "select", "select_query")
    },
    **{(extent, "rdf_literal"): "a number and a unit" for extent in ("extent", "span")},
    ("moment", "rdf_literal"): "a number, a duration or a time",
    **{
        ("nested_path", f"{kind}_literal"): "a test [path object] of its own"
        for kind in ("boolean", "numeric", "rdf")
    },
}
_REFUSED: Final = {
    **{
        (outer, inner): "an attribute must stand before IN and LIKE"
        for outer in ("in_values", "like") for inner in ("literal", "product", "signed_term", "sum")
    },
    **{
        ("kleene_plus", inner): "at most one of + ! ? may follow an element"
        for inner in ("negated", "optional")
    },
    ("event", "var"): "EVENT needs the name of a window",
}
_DECLARING: Final = frozenset({"declaration", "typed"})
_WITHOUT_AGGREGATES: Final = frozenset({"aggregate", "bind", "filter", "group_condition"})


def reason(pair: Pair) -> str:
    """Return why no generated query has a pair of rules; empty: it may have it."""
    outer, inner = pair
    if inner == "aggregate" and outer in _WITHOUT_AGGREGATES:
        return "refused: aggregates stand in SELECT, HAVING and ORDER BY (SPARQL 1.1 Query, 11)"
    if "service_graph_pattern" in pair:
        return "refused: SERVICE asks the network"
    if "check" in pair:
        return "CHECK asks for no results"
    if not _DECLARING.isdisjoint(pair) or pair == ("event", "name"):
        return "declarations stand with the streams"
    if pair in _REFUSED:
        return f"refused: {_REFUSED[pair]}"
    if pair in _PRINTED_AS:
        return f"printed as {_PRINTED_AS[pair]}"
    if outer == "body" and inner != "group_or_union_graph_pattern":
        return "printed in braces"
    return "an abbreviation that is not printed" if not SUGAR.isdisjoint(pair) else ""


@dataclass
class Coverage:
    """The pairs of rules of a language's grammar, one directly inside the other, in cases."""

    cases: Counter[Pair] = field(default_factory=Counter)
    """The number of cases with the second rule inside the first one."""
    answered: Counter[Pair] = field(default_factory=Counter)
    """The number of these cases that had results."""
    grammar: frozenset[Pair] = frozenset()
    """All pairs of the language's grammar."""

    @cached_property
    def possible(self) -> frozenset[Pair]:
        """Return the pairs that a query may have."""
        return frozenset(pair for pair in self.grammar if not reason(pair))

    def count(self, parse: Callable[[], object], *, answered: bool) -> None:
        """Count a query that `parse` parses, also if what it says is refused in the end."""
        found: set[Pair] = set()

        def watch(parser: Lark, start: str, root: Tree[Any]) -> None:
            if not self.grammar:
                self.grammar = grammar_pairs(parser, start)
            found.update(
                pair
                for node in root.iter_subtrees() for inner in node.children
                if isinstance(inner, Tree)
                and (pair := (rule_name(node.data), rule_name(inner.data))) in self.possible
            )

        token = WATCHED.set(watch)
        try:
            with suppress(DenotaError):
                parse()
        finally:
            WATCHED.reset(token)
        self.cases.update(found)
        if answered:
            self.answered.update(found)


def rule_name(name: str) -> str:
    """Return the name of a rule in the file that declares it."""
    return name.rpartition("__")[2]


def is_inlined(name: str) -> bool:
    """Return True if a rule makes no node of a parse tree, as those for repetitions."""
    return name.startswith("_") or rule_name(name).startswith("_")


@cache
def grammar_pairs(parser: Lark, start: str) -> frozenset[Pair]:
    """Return the pairs of rules whose second occurs inside the first in some parse tree."""
    rules: dict[str, list[Rule]] = {}
    for rule in parser.rules:
        rules.setdefault(rule.origin.name, []).append(rule)
    inside: dict[str, set[str]] = {name: set() for name in rules}
    """By symbol, the nodes that may stand for it in the tree of a rule that has it."""
    widths: dict[str, set[int]] = {name: set() for name in rules}
    """By symbol, how many children it may be there; 2: two or more."""

    def nodes_of(rule: Rule) -> set[str]:
        return {
            node for symbol in rule.expansion if not symbol.is_term for node in inside[symbol.name]
        }

    def widths_of(rule: Rule) -> set[int]:
        found = {0}
        for symbol in rule.expansion:
            if not getattr(symbol, "filter_out", False):
                more = {1} if symbol.is_term else widths[symbol.name]
                found = {min(2, some + others) for some in found for others in more}
        return found

    def stands_for(rule: Rule) -> tuple[set[str], set[int]]:
        name = rule.origin.name
        if rule.alias:
            return {rule.alias}, {1}
        several = widths_of(rule)
        if is_inlined(name):  # its children take its place
            return nodes_of(rule), several
        if not rule.options.expand1:
            return {name}, {1}
        itself = {name} if several - {1} else set()  # an only child takes its place
        return itself | (nodes_of(rule) if 1 in several else set()), {1} if several else set()

    grows = True
    while grows:
        grows = False
        for name, several in rules.items():
            for rule in several:
                nodes, counts = stands_for(rule)
                grows |= not (nodes <= inside[name] and counts <= widths[name])
                inside[name] |= nodes
                widths[name] |= counts
    pairs = {
        (rule_name(rule.alias or name), rule_name(node))
        for name, several in rules.items() for rule in several
        if rule.alias or not (is_inlined(name) or (rule.options.expand1 and widths_of(rule) == {1}))
        for node in nodes_of(rule)
    }
    reached = {rule_name(node) for node in inside[start]}
    while more := {inner for outer, inner in pairs if outer in reached} - reached:
        reached |= more
    return frozenset(pair for pair in pairs if reached.issuperset(pair))
