"""Choosing among a few values, without building a strategy anew for each choice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from functools import lru_cache
from types import FunctionType
from typing import TypeAlias, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from .swarms import Decision, Option, swarms

T = TypeVar("T")

Names: TypeAlias = Mapping[str, Mapping[str, Mapping[str, Iterable[object]]]]
"""By a group of capabilities and a name in it: options, by the decision that they are of."""


def among(values: Iterable[T]) -> SearchStrategy[T]:
    """One of these values, which must be hashable; shrinks towards the first."""
    return _among(*values)


# By their types, too: True is no 1.
@lru_cache(maxsize=1 << 14, typed=True)
def _among(*values: T) -> SearchStrategy[T]:
    return st.sampled_from(values)


def choice(name: str, options: Iterable[T]) -> SearchStrategy[T]:
    """The decision called `name`, between options that are repeated as often as they weigh.

    The first option is the simplest. A name says whose decision it is: `language/what`. The test
    case's swarm may leave options out; an option is known by its text. Choices of plain terms and
    numbers are not worth a name: `among`.
    """
    return _choice(name, *options)


@lru_cache(maxsize=1 << 14, typed=True)
def _choice(name: str, *options: T) -> SearchStrategy[T]:
    return _decided(decision(name, *options), options)


@lru_cache(maxsize=1 << 14, typed=True)
def decision(name: str, *options: object) -> Decision:
    """Return the decision between options, which swarms know by their text."""
    return Decision(name, tuple(map(label, options)))


def label(option: object) -> str:
    """What an option is called: the same in every process, as a seed means the same in each."""
    if isinstance(option, str):
        return option
    if isinstance(option, Enum):
        return str(option.value)
    if isinstance(option, FunctionType):
        return option.__name__
    shown = repr(option)
    # Neither addresses nor the order of sets.
    assert not any(sign in shown for sign in (" at 0x", "{")), f"{shown} is not its name elsewhere"
    return shown


def avoidable(names: Names) -> dict[tuple[str, str], tuple[Option, ...]]:
    """By group and name: the options that lead to it, as swarms know them."""
    return {
        (group, name): tuple(
            (decision, label(option)) for decision, options in chosen.items()
            for option in options
        )
        for group, by_name in names.items()
        for name, chosen in by_name.items()
    }


@st.composite
def _decided(draw: DrawFn, decision: Decision, options: tuple[T, ...]) -> T:
    swarm = draw(swarms())
    drawn = draw(_place(len(options)))
    return options[swarm.place(decision, drawn)]


@lru_cache(maxsize=1 << 10)
def _place(count: int) -> SearchStrategy[int]:
    return st.sampled_from(range(count))


_DROPPED: SearchStrategy[bool] = st.sampled_from((True,) + (False,) * 19)


def dropped(draw: DrawFn) -> bool:
    """Whether the part drawn just before goes: seldom, but as soon as it may when shrinking.

    Hypothesis shrinks the sequence of choices behind a value. If a part that goes took its choices
    with it, all later ones would shift and mean something else; dropped by a choice of its own, it
    goes alone. So the first, simplest choice is to drop.
    """
    return draw(_DROPPED)
