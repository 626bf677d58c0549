"""Keys and thresholds: a start is inside the window of an end iff its key reaches the threshold."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from denota.engine.ceql.symbols.terms import Values
from denota.engine.ceql.windows import Window
from denota.semantics.ceql.syntax.tree import WindowUnit, Within
from denota.semantics.model.errors import StreamError

LARGEST = (1 << 63) - 1
INTEGERS = [-LARGEST, -5, -1, 0, 1, 2, 7, 1 << 53, (1 << 53) + 1, LARGEST - 3, LARGEST - 1]
FLOATS = [
    -math.inf, -1e308, -2.5, -1.0, -5e-324, -0.0, 0.0, 5e-324, 0.1, 0.2, 0.3, 1.0, 1.1, 2.1, 10.0,
    10.1, 2.0**53, 2.0**53 + 2, 1e16, 1e308, math.inf, math.nan,
]  # fmt: skip


def inside(values: np.ndarray, epsilon: int) -> np.ndarray:
    """For each pair (end, start), what keys and thresholds say."""
    window = Window(Within(epsilon, WindowUnit.ATTRIBUTE, "x"), "paper", "@time")
    descending = np.concatenate([values[-1:], values])  # it falls: thresholds are given
    measured = window.measured({"x": Values("number", descending)}, descending.size)
    keys, thresholds = measured.keys[1:], measured.thresholds[1:]
    assert keys.size == thresholds.size == values.size
    result: np.ndarray = (keys[None, :] >= thresholds[:, None]) & (keys[None, :] > 0)
    return result


@pytest.mark.parametrize("epsilon", [0, 1, 3, 1 << 53, LARGEST])
def test_integers_are_compared_exactly(epsilon):
    said = inside(np.array(INTEGERS, np.int64), epsilon)
    for (i, end), (j, start) in product(enumerate(INTEGERS), enumerate(INTEGERS)):
        assert said[i, j] == (end - start <= epsilon), (end, start)


@pytest.mark.parametrize("epsilon", [0, 1, 2, 10, (1 << 53) + 1, LARGEST])
def test_floats_are_compared_after_rounding_as_python_does(epsilon):
    said = inside(np.array(FLOATS), epsilon)
    for (i, end), (j, start) in product(enumerate(FLOATS), enumerate(FLOATS)):
        assert said[i, j] == (end - start <= epsilon), (end, start)


def test_rising_integers_are_measured_in_the_kernel():
    window = Window(Within(3, WindowUnit.ATTRIBUTE, "x"), "paper", "@time")
    measured = window.measured({"x": Values("number", np.array([1, 5, 5]))}, 3)
    assert measured.keys.size == 3
    assert measured.thresholds.size == 0
    measured = window.measured({"x": Values("number", np.array([4]))}, 1)
    assert measured.thresholds.size == 1


@pytest.mark.parametrize("extreme", [-LARGEST - 1, LARGEST])
def test_the_two_integers_without_a_key(extreme):
    """0 and the largest key mean something else; where the value is missing they do not matter."""
    within = Within(3, WindowUnit.ATTRIBUTE, "x")
    data = np.array([1, extreme, 2])
    with pytest.raises(StreamError, match=rf"tuple 1 has {extreme} in attribute 'x'"):
        Window(within, "paper", "@time").measured({"x": Values("number", data)}, 3)
    missing = Values("number", data, np.array([True, False, True]))
    measured = Window(within, "paper", "@time").measured({"x": missing}, 3)
    assert measured.keys[1] == 0
    for edge in (-LARGEST, LARGEST - 1):
        window = Window(within, "paper", "@time")
        window.measured({"x": Values("number", np.array([edge, edge]))}, 2)


def test_once_the_attribute_has_fallen_nothing_more_is_forgotten():
    window = Window(Within(3, WindowUnit.ATTRIBUTE, "x"), "paper", "@time")
    window.measured({"x": Values("number", np.array([10]))}, 1)
    measured = window.measured({"x": Values("number", np.array([5, 20]))}, 2)
    assert window.forgettable(measured, 1, 3) == 0  # an event at 5 may still come


@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_what_the_disorder_lets_come_is_not_forgotten(kind):
    window = Window(Within(3, WindowUnit.ATTRIBUTE, "x"), "paper", "@time", disorder=5)
    measured = window.measured({"x": Values("number", np.array([10], kind))}, 1)
    least = window.forgettable(measured, 0, 0)
    late = window.measured({"x": Values("number", np.array([5], kind))}, 1)
    assert 1 < least <= int(late.thresholds[0])
