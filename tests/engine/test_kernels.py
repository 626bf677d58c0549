"""Kernels: what Numba keeps on disk is never the wrong code."""

from __future__ import annotations

from types import FunctionType
from typing import NamedTuple

import numpy as np

from denota.engine.kernels import KERNELS, Kernel, compiled, inlined


@inlined
def _twice(value: int) -> int:
    return 2 * value


def _last(values: np.ndarray) -> int:  # type: ignore[type-arg]
    return _twice(values[-1])


def test_a_kernel_is_kept_under_what_it_and_those_it_calls_do() -> None:
    def version(helper: Kernel[..., int]) -> str:
        return compiled(FunctionType(_last.__code__, {"_twice": helper})).version

    once = inlined(lambda value: 2 * value)
    assert version(once) == version(inlined(lambda value: 2 * value)) == version(_twice)
    assert version(once) != version(inlined(lambda value: 3 * value))
    assert version(once) != version(inlined(lambda value: 2 + value))
    assert version(once) != version(compiled(lambda value: 2 * value))


def _step(value: int) -> int:
    return value + STEP  # type: ignore[name-defined, no-any-return]  # noqa: F821


def test_a_kernel_is_kept_under_its_constants() -> None:
    def version(step: object) -> str:
        return compiled(FunctionType(_step.__code__, {"STEP": step})).version

    assert version(np.uint64(1)) == version(np.uint64(1))
    assert len({version(np.uint64(1)), version(np.uint64(2)), version(np.int64(1))}) == 3


class Ends(NamedTuple):
    first: np.ndarray  # type: ignore[type-arg]
    last: np.ndarray  # type: ignore[type-arg]


class Swapped(NamedTuple):
    last: np.ndarray  # type: ignore[type-arg]
    first: np.ndarray  # type: ignore[type-arg]


def _first_of(ends: Ends) -> int:
    return ends.first[0]  # type: ignore[no-any-return]


def test_a_kernel_reads_the_fields_of_its_arguments_by_name() -> None:
    one, two = np.array([1]), np.array([2])
    with KERNELS.allowing(-1):
        kernel = compiled(_first_of)
        assert kernel(Ends(one, two)) == 1
        assert kernel(Swapped(two, one)) == 1  # type: ignore[arg-type]


def test_what_numba_has_kept_is_not_taken_for_what_calls_another() -> None:
    values = np.array([5], np.int64)

    def last(helper: Kernel[..., int]) -> int:
        kernel = compiled(FunctionType(_last.__code__, {"_twice": helper, "__name__": __name__}))
        return int(kernel.compiled(values))

    # One file, one line, one code: Numba alone would answer twice with what it kept at first.
    assert last(inlined(lambda value: 2 * value)) == 10
    assert last(inlined(lambda value: 3 * value)) == 15


def test_a_kernel_is_compiled_where_no_folder_can_be_written() -> None:
    code = compile("def plus(value): return value + 1", "/proc/none/here.py", "exec")
    names: dict[str, FunctionType] = {}
    exec(code, names)
    with KERNELS.allowing(-1):
        assert compiled(names["plus"])(1) == 2
