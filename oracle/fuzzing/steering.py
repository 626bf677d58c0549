"""Steering: which swarm is next, by what the cases so far were made of and have met.

What counts are cases with an answer: an engine that goes wrong where nothing is to be answered
goes wrong in few ways. Rare are options of a decision that few of them have, pairs of options that
few have together, and situations, single ones and pairs, that few have met. Nothing here looks at
a clock, so that one seed steers one way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from random import Random
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from lark import Lark, Tree
from lark.grammar import Rule

from ...semantics.model.errors import DenotaError
from ...semantics.rdf.syntax.building import WATCHED
from ..inputs.swarms import GROUPS, SEEDS, Option, Swarm

Pair: TypeAlias = tuple[str, str]
"""Two situations, in the order of their names; or a rule of a grammar, and one inside it."""

_KEPT: Final = 12  # swarms that are worth changing a little
_TIRED: Final = 0.6  # what is left of a swarm's worth each time that one is made of it
_GLANCES: Final = 40  # pairs of options that are looked at to find a rare one
_HOPELESS: Final = 8  # times as rare as usual: so rare are answers where an option hardly has any
_AGAIN, _PAIRED = 0.35, 0.3  # how often a swarm is a changed one, or has two rare options


@dataclass
class Met:
    """How often cases with an answer have met situations, and two of them.

    `known` says what each is.
    """

    known: Mapping[str, str] = field(default_factory=dict)
    singles: Counter[str] = field(default_factory=Counter)
    pairs: Counter[Pair] = field(default_factory=Counter)

    def count(self, met: Iterable[str]) -> None:
        """One more case with an answer, which has met these."""
        names = sorted(met)
        self.singles.update(names)
        self.pairs.update(combinations(names, 2))

    @property
    def unmet(self) -> tuple[str, ...]:
        """The situations that no case has met."""
        return tuple(name for name in self.known if not self.singles[name])

    @property
    def possible_pairs(self) -> int:
        """How many pairs there are."""
        return len(self.known) * (len(self.known) - 1) // 2


@dataclass
class _Kept:
    swarm: Swarm
    worth: float


@dataclass
class Steering:
    """The swarms of a run in one language, made from its seed and what its cases meet."""

    seed: str
    met: Met = field(default_factory=Met)
    options: Counter[Option] = field(default_factory=Counter)
    """How many cases with an answer have decided so; 0 for what only others have."""
    drawn: Counter[Option] = field(default_factory=Counter)
    """How many cases have, with an answer or without."""
    together: Counter[tuple[int, int]] = field(default_factory=Counter)
    numbers: dict[Option, int] = field(default_factory=dict)
    tried: Counter[tuple[Option, Option]] = field(default_factory=Counter)
    kept: list[_Kept] = field(default_factory=list)
    worth: float = 0.0
    random: Random = field(init=False)

    def __post_init__(self) -> None:
        self.random = Random(self.seed)

    # --- what comes next ---

    def swarm(self) -> Swarm:
        """The next swarm."""
        self.worth = 0.0
        seeds = tuple(self.random.randrange(SEEDS) for _ in range(GROUPS))
        only: Mapping[str, frozenset[str]] = {}
        how = self.random.random()
        if how < _AGAIN and self.kept:
            kept = self.random.choices(self.kept, [each.worth for each in self.kept])[0]
            kept.worth *= _TIRED
            seeds = self._changed(kept.swarm.seeds, seeds)
            only = kept.swarm.only if self.random.random() < 0.5 else {}
        elif how < _AGAIN + _PAIRED:
            only = self._rare_pair()
        return Swarm(seeds, MappingProxyType(self._weights()), only)

    def _changed(self, seeds: Iterable[int], others: Iterable[int]) -> tuple[int, ...]:
        """Seeds with one to three of them from others."""
        places = self.random.sample(range(GROUPS), self.random.choice((1, 2, 3)))
        return tuple(
            b if place in places else a
            for place, (a, b) in enumerate(zip(seeds, others, strict=True))
        )

    def _weights(self) -> dict[Option, float]:
        """Up to four times as much where an option is rarer than the others of its decision.

        Less and less where next to none of the cases that had it have an answer: having it more
        often would not help.
        """
        by_name: dict[str, list[Option]] = {}
        for option in self.options:
            by_name.setdefault(option[0], []).append(option)
        weights = {}
        for options in by_name.values():
            answered = sum(self.options[option] for option in options)
            usual = (answered + 1) / (sum(self.drawn[option] for option in options) + 1)
            mean = answered / len(options)
            for option in options:
                weight = ((mean + 1) / (self.options[option] + 1)) ** 0.5
                share = (self.options[option] + 1) / (self.drawn[option] + 1)
                weight *= min(1.0, _HOPELESS * share / usual)
                weights[option] = min(max(weight, 0.25), 4.0)
        return weights

    def _rare_pair(self) -> dict[str, frozenset[str]]:
        """Of a few pairs of options the one that was met and tried least."""
        known = list(self.numbers)
        found: tuple[Option, Option] | None = None
        least = float("inf")
        for _ in range(_GLANCES if len(known) > 1 else 0):
            a, b = self.random.sample(known, 2)
            if a[0] == b[0]:
                continue
            a, b = min(a, b), max(a, b)
            numbers = sorted((self.numbers[a], self.numbers[b]))
            count = self.together[numbers[0], numbers[1]] + 4 * self.tried[a, b]
            if count < least:
                found, least = (a, b), count
        if found is None:
            return {}
        self.tried[found] += 1
        return {name: frozenset({label}) for name, label in found}

    # --- what has been judged ---

    def learn(self, swarm: Swarm, met: Iterable[str], *, answered: bool) -> None:
        """A case is judged: what it decided, whether it has an answer, and what it has met."""
        decided = sorted(swarm.decided)
        for option in decided:
            if option not in self.numbers:
                self.numbers[option] = len(self.numbers)
                self.options[option] += 0
        self.drawn.update(decided)
        if not answered:
            return
        self.options.update(decided)
        pairs = combinations(sorted(self.numbers[option] for option in decided), 2)
        self.together.update(pairs)
        names = sorted(met)
        self.worth += sum(1.0 / (1 + self.met.singles[name]) for name in names)
        self.worth += sum(1.0 / (1 + self.met.pairs[pair]) for pair in combinations(names, 2))
        self.met.count(names)

    def over(self, swarm: Swarm) -> None:
        """A swarm has no more cases: it is kept if it has met something rare."""
        if not self.worth:
            return
        self.kept.append(_Kept(swarm, self.worth))
        self.kept.sort(key=lambda kept: -kept.worth)
        del self.kept[_KEPT:]


# --- coverage of a grammar ------------------------------------------------------------------------

SUGAR: Final = frozenset({
    "base_decl", "blank_node_property_list_path", "collection_path", "construct_short",
    "describe_query", "inline_data_one_var", "inverse_step", "nil", "rdf_type", "signed_addition",
    "signed_product", "service_graph_pattern",
})
"""Rules that no printed query has: abbreviations, and what reads from outside."""


@dataclass
class Coverage:
    """Which rules of a language's grammar cases have had directly inside which other ones."""

    cases: Counter[Pair] = field(default_factory=Counter)
    """How many cases have had the second rule inside the first one."""
    answered: Counter[Pair] = field(default_factory=Counter)
    """How many of them had results."""
    possible: frozenset[Pair] = frozenset()

    def count(self, parse: Callable[[], object], *, answered: bool) -> None:
        """Count a query that `parse` parses, also if what it says is refused in the end."""
        found: set[Pair] = set()

        def watch(parser: Lark, start: str, root: Tree[Any]) -> None:
            self.possible = self.possible or possible_pairs(parser, start)
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
    """The name of a rule in the file that declares it."""
    return name.rpartition("__")[2]


def is_inlined(name: str) -> bool:
    """Whether a rule makes no node of a parse tree, as those for repetitions."""
    return name.startswith("_") or rule_name(name).startswith("_")


@cache
def possible_pairs(parser: Lark, start: str) -> frozenset[Pair]:
    """The pairs of rules of which one parse tree or another has the second inside the first."""
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
        if rule.alias or not is_inlined(name) for node in nodes_of(rule)
    }
    reached = {rule_name(node) for node in inside[start]} - SUGAR
    while more := {inner for outer, inner in pairs if outer in reached} - reached - SUGAR:
        reached |= more
    return frozenset(pair for pair in pairs if reached.issuperset(pair))
