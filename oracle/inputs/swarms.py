"""Swarms: of every decision that has a name, a test case keeps only some options.

Where every feature is in a tenth of the cases, two of them meet in one of a hundred, and one that
prevents another is nearly always there. A case that leaves some options out altogether has the
others more often, and together (Groce et al., Swarm Testing, ISSTA 2012).

Each test case has one swarm, which all its decisions share. By default it is drawn, and
Hypothesis shrinks it towards one that leaves nothing out; `under` fixes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from random import Random
from typing import Final, TypeAlias, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

T = TypeVar("T")

Option: TypeAlias = tuple[str, str]
"""The name of a decision, and what one of its options is called."""

_KEY: Final = "denota: the swarm of this test case"

GROUPS: Final = 12
"""Decisions fall into so many groups, by their names; each group has a seed."""

SEEDS: Final = 1 << 10
_WHOLE: Final = SEEDS >> 1  # seeds below keep every option: half of all, the simplest


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """A decision: its name, and the labels of its options, in their order."""

    name: str
    labels: tuple[str, ...]


@dataclass(eq=False)
class Swarm:
    """The options that are kept; at least one for each decision.

    `seeds` are numbers below `SEEDS`, one a group; for small ones nothing is left out.
    `only` names, by decision, options that are kept where there are any of them, and no others.
    `decided` are the options that the test case at hand has chosen.
    """

    seeds: Sequence[int] = (0,) * GROUPS
    only: Mapping[str, frozenset[str]] = field(default_factory=dict)
    decided: set[Option] = field(default_factory=set, repr=False)
    _instead: dict[Decision, Sequence[int]] = field(default_factory=dict, repr=False)

    def place(self, decision: Decision, drawn: int) -> int:
        """Return the place of the option that is chosen where the one at the place `drawn` was.

        It is the same where that is kept. So what was drawn means the same in every swarm that
        keeps it, and less is left out without everything else becoming something else.
        """
        instead = self._instead.get(decision)
        if instead is None:
            instead = self._instead[decision] = self._places(decision)
        place = instead[drawn]
        self.decided.add((decision.name, decision.labels[place]))
        return place

    def _places(self, decision: Decision) -> Sequence[int]:
        labels = decision.labels
        kept = self.kept(decision)
        places = [place for place, label in enumerate(labels) if label in kept]
        seed = self.seeds[group_of(decision.name)]
        if seed >= _WHOLE and _chance(str(seed), decision.name, "even") & 1:
            return _evened(labels, places)
        # What is left out is spread over what is kept; the first, simplest, becomes the first.
        return [
            place if label in kept else places[place % len(places) if place else 0]
            for place, label in enumerate(labels)
        ]

    def kept(self, decision: Decision) -> frozenset[str]:
        """Return the options that are kept of a decision."""
        name = decision.name
        labels = frozenset(decision.labels)
        only = self.only.get(name, frozenset()) & labels
        if only:
            return only
        seed = self.seeds[group_of(name)]
        if seed < _WHOLE:
            return labels
        share = _SHARES[_chance(str(seed), name) * len(_SHARES) >> 32]
        luck = {label: (_chance(str(seed), name, label) + 1) / (1 << 32) for label in labels}
        kept = frozenset(label for label in labels if luck[label] > 1.0 - share)
        return kept or frozenset({max(sorted(labels), key=luck.__getitem__)})


def _evened(labels: Sequence[str], places: Sequence[int]) -> Sequence[int]:
    """Return for each place one of these, so that all labels are equally frequent."""
    share = -(-len(labels) // len({labels[place] for place in places}))
    left = {labels[place]: share for place in places}
    instead = {0: places[0]}
    left[labels[places[0]]] -= 1
    for place in places:
        if left[labels[place]] and place not in instead:
            left[labels[place]] -= 1
            instead[place] = place
    first = {labels[place]: place for place in reversed(places)}
    others = iter([first[label] for label, more in left.items() for _ in range(more)])
    return [
        instead[place] if place in instead else next(others) for place in range(len(labels))
    ]


def random_swarm(random: Random) -> Swarm:
    """Return a random swarm."""
    return Swarm([random.randrange(SEEDS) for _ in range(GROUPS)])


_SHARES: Final = (0.7, 0.5, 0.5, 0.3, 0.0)
"""The share of a decision's options that may stay: a part, or only the luckiest one."""


def group_of(name: str) -> int:
    """Return the group of a decision."""
    return _chance(name) % GROUPS


@lru_cache(maxsize=1 << 16)
def _chance(*words: str) -> int:
    """Return a number below 2³² for these words, the same in every process."""
    return int.from_bytes(blake2b("\0".join(words).encode(), digest_size=4).digest(), "big")


_SEEDS = st.tuples(*[st.integers(0, SEEDS - 1)] * GROUPS)


# One function for the drawn and the fixed: Hypothesis tells shared strategies apart by it.
@st.composite
def _swarm(draw: DrawFn, fixed: Swarm | None) -> Swarm:
    if fixed is None:
        return Swarm(draw(_SEEDS))
    fixed.decided.clear()
    return fixed


_DRAWN = st.shared(_swarm(None), key=_KEY)


def swarms() -> SearchStrategy[Swarm]:
    """Return the strategy of the test case's swarm, which is the same in all of its draws."""
    return _DRAWN


@st.composite
def under(draw: DrawFn, swarm: Swarm, strategy: SearchStrategy[T]) -> T:
    """Draw from a strategy under this swarm; the test case must not have drawn one before."""
    draw(st.shared(_swarm(swarm), key=_KEY))
    return draw(strategy)
