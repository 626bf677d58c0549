"""Strategies for tuples and for streams of them.

An attribute has one type in a stream, and perhaps another one in another stream. `t` is what
windows measure, `k` and `s` are what partitions agree on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from .....semantics.model.tuples import EventTuple, Value
from ....fuzzing.strategies.choices import among, choice
from .formulas import TYPES
from .queries import SECOND

Attributes = Mapping[str, Value]

_VALUES: Final[dict[str, tuple[Value, ...]]] = {
    "n": (0, 1, 2, 3, -2, -3), "d": (0.0, 1.0, 1.5, 2.5, -1.0), "s": ("p", "q", "pq", ""),
    "k": (1, 2), "b": (False, True),
}
_KEYS: Final = ("d", "s", "k", "b")
"""What partitions may agree on."""

# One number says all values of a tuple, another what it lacks: few draws make many cases.
_ALL = st.integers(0, prod(map(len, _VALUES.values())) - 1)
_LACKING = choice("ceql/lacking", ("nothing", "seldom", "seldom", "often"))
_SELDOM, _OFTEN = (st.sampled_from((False,) * rare + (True,)) for rare in (9, 2))
_FAR = (2**63 - 1, -(2**63) + 1, 2**62, -(2**62), 2**53 + 1)
_VALUED = choice("ceql/values", ("near",) * 8 + ("far",))
_STEPS = st.sampled_from((0, 1, 1, 2))
_LENGTHS = st.sampled_from((6, 5, 4, 7, 3, 2, 1, 0))


def values(draw: DrawFn) -> dict[str, Value]:
    """A value for every attribute but `t`."""
    number, found = draw(_ALL), {}
    for name, known in _VALUES.items():
        number, place = divmod(number, len(known))
        found[name] = known[place]
    return found


def keys(draw: DrawFn) -> dict[str, Value]:
    """Those on which the tuples of a partition agree."""
    found = values(draw)
    return {name: found[name] for name in _KEYS}


@dataclass(frozen=True)
class Look:
    """What the tuples of a case are like.

    `lacking` is how often one lacks attributes, mostly of those `asked` for; `far` whether numbers
    are as large as they may be.
    """

    lacking: str
    far: bool
    asked: tuple[str, ...]

    def of(self, draw: DrawFn, attributes: Attributes) -> dict[str, Value]:
        """The attributes of one tuple."""
        found = dict(attributes)
        if self.far and draw(_OFTEN):
            found["n"] = draw(among(_FAR))
        if self.lacking != "nothing" and draw(_SELDOM if self.lacking == "seldom" else _OFTEN):
            missing = draw(st.sampled_from((self.asked, (draw(among(self.asked)),))))
            found = {name: value for name, value in found.items() if name not in missing}
        return found


def look(draw: DrawFn, asked: Sequence[str] = ()) -> Look:
    """What the tuples of a case are like, of which these attributes are asked for."""
    known = tuple(name for name in (*_VALUES, "t") if name in asked)
    more = draw(among((*_VALUES, "t")))
    return Look(draw(_LACKING), draw(_VALUED) == "far", known or (more,))


OTHER_TYPES: Final = ("the same", "the same", "text", "double", "boolean", "text and double")


def retyped(attributes: Attributes, types: str) -> dict[str, Value]:
    """The same with values of other types, which look alike: 1 as "1", as 1.0 or as true."""
    match types:
        case "text":
            return {**attributes, **_each(attributes, ("k", "n", "b"), str)}
        case "double":
            return {**attributes, **_each(attributes, ("k", "n"), float)}
        case "text and double":
            doubles = _each(attributes, ("k",), float)
            return {**attributes, **doubles, **_each(attributes, ("n",), str)}
        case "boolean":
            return {**attributes, **_each(attributes, ("k", "n", "s"), bool)}
    return dict(attributes)


def _each(attributes: Attributes, names: Sequence[str], change: object) -> dict[str, Value]:
    return {n: change(attributes[n]) for n in names if n in attributes}  # type: ignore[operator]


@st.composite
def tuple_streams(
    draw: DrawFn,
    types: Sequence[str] = TYPES,
    *,
    size: int = 7,
    monotone: bool | None = None,
    word: Sequence[str] = (),
) -> tuple[EventTuple, ...]:
    """Streams of at most `size` tuples of these types, in the order of their arrival times.

    The types of `word` come in its order, with others between them.

    The attribute `t` never falls if `monotone` says so (None: mostly).
    """
    grows = draw(among((True, True, True, False))) if monotone is None else monotone
    tuples = []
    time, measure = 0, 0
    seen = look(draw)
    extras = max(min(draw(_LENGTHS), size) - len(word), 0)
    kinds = list(word)[:size]
    for _ in range(extras):
        kinds.insert(draw(st.integers(0, len(kinds))), draw(among(types)))
    for kind in kinds:
        time += draw(_STEPS)
        measure = measure + draw(_STEPS) if grows else draw(st.integers(0, 6))
        attributes = seen.of(draw, {**values(draw), "t": measure})
        tuples.append(EventTuple(kind, attributes, time * SECOND))
    return tuple(tuples)
