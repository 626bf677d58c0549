"""Kernels that are kept on disk: the same results, and never the wrong code."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FunctionType
from typing import NamedTuple

import numpy as np
import pytest

from denota.engine.ceql.kernels.sparse import touching
from denota.engine.ceql.windows import falls
from denota.engine.kernels import machine_code
from denota.engine.kernels.compiled import KERNELS, Kernel, compiled, inlined
from denota.engine.kernels.machine_code import NOT_MINE, kinds, loaded, made

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kept on Linux only")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    # Where bounds are checked, nothing is kept.
    monkeypatch.delenv("NUMBA_BOUNDSCHECK", raising=False)
    machine_code._folder.cache_clear()
    yield tmp_path
    machine_code._folder.cache_clear()


def _kept(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.kernel"))


def test_what_was_made_is_loaded_and_gives_the_same(folder: Path) -> None:
    symbols = np.array([1, 0, 2, 1], np.uint32)
    offsets = np.array([0, 1, 1, 3], np.uint64)
    results = []
    for way in (made, loaded):
        which = np.zeros(5, np.uint32)
        arguments = (symbols, offsets, which)
        of = kinds(arguments)
        assert of == ("<u4", "<u8", "<u4")
        more = (arguments, touching._calling(lambda kernel: kernel.compiled)) if way is made else ()
        kernel = way("touching", of, *more)  # type: ignore[operator]
        assert kernel is not None
        results.append((kernel(arguments), which[:2].tolist()))
    assert results[0] == results[1]
    expected = np.zeros(5, np.uint32)
    with KERNELS.allowing(1 << 40):
        assert results[0] == (touching(symbols, offsets, expected), expected[:2].tolist())
    assert len(_kept(folder)) == 1


def test_who_comes_later_waits_for_the_process_that_compiles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    symbols, offsets = np.array([1, 2, 2], np.uint32), np.array([0, 1], np.uint64)
    arguments = (symbols, offsets, np.zeros(5, np.uint32))
    locked, tells = os.pipe()
    holding = machine_code.kernel_lock

    @contextmanager
    def telling(name: str, of: tuple[str, ...]) -> Iterator[None]:
        with holding(name, of):
            os.write(tells, b"locked")
            yield

    child = os.fork()
    if not child:
        monkeypatch.setattr("denota.engine.kernels.compiled.kernel_lock", telling)
        with suppress(BaseException), KERNELS.allowing(-1):
            Kernel(touching._function, touching._machine)(*arguments)
            os._exit(0)
        os._exit(1)
    os.close(tells)  # the end of a child that fails is read, too
    os.read(locked, 6)
    os.close(locked)
    monkeypatch.setattr("denota.engine.kernels.compiled.made", lambda *_: pytest.fail("twice"))
    with KERNELS.allowing(-1):
        Kernel(touching._function, touching._machine)(*arguments)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_damaged_file_is_not_run(folder: Path) -> None:
    arguments = (np.array([1, 2, 1], np.int64),)
    of = kinds(arguments)
    assert of is not None
    assert loaded("falls", of) is None
    assert made("falls", of, arguments, falls._calling(lambda kernel: kernel.compiled))
    (file,) = _kept(folder)
    whole = file.read_bytes()
    for damaged in (
        b"", b"{}", whole[: len(whole) // 2], whole[:-9] + b"\0" * 9, b"\xff\n", b"[]\nxx",
        b"[" * 100_000, b'{"digest": 1, "function": [], "result": {}}\nxx',
        whole.replace(b'"function": "', b'"function": "x'), whole.replace(b'"bool"', b'"none"'),
    ):
        file.write_bytes(damaged)
        assert loaded("falls", of) is None
    file.write_bytes(whole)
    file.chmod(0o666)  # any user could have written what would be executed
    assert loaded("falls", of) is None
    file.chmod(0o600)
    kernel = loaded("falls", of)
    assert kernel is not None
    assert kernel(arguments) is True
    assert kernel((np.array([1, 2, 2], np.int64),)) is False


def test_arguments_of_other_kinds_are_left_to_others() -> None:
    arguments = (np.array([3, 2], np.int64),)
    of = kinds(arguments)
    assert of is not None
    kernel = made("falls", of, arguments, falls._calling(lambda kernel: kernel.compiled))
    assert kernel is not None
    whole = np.arange(6, dtype=np.int64)
    for other in (whole.astype(np.int32), whole[::2], whole.reshape(2, 3), 3, None):
        assert kernel((other,)) is NOT_MINE
    assert kernel((whole,)) is False
    assert kinds((whole[::2],)) is None
    assert kinds(("text",)) is None


def test_what_needs_something_else_is_not_kept(folder: Path) -> None:
    def root(values: np.ndarray) -> float:  # type: ignore[type-arg]
        return float(np.sin(values[0]))

    def index(values: np.ndarray) -> int:  # type: ignore[type-arg]
        if values[0] > 3:
            raise ValueError("an exception is made by the interpreter")
        return int(values[0])

    values = np.ones(1, np.int64)
    of = kinds((values,))
    assert of is not None
    assert made("root", of, (values,), root) is None
    kept = made("index", of, (values,), index)
    assert kept is None or kept((values,)) == 1


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


def test_a_kernel_is_kept_under_the_places_of_its_arguments_fields(folder: Path) -> None:
    one, two = np.array([1]), np.array([2])
    with KERNELS.allowing(-1):
        assert compiled(_first_of)(Ends(one, two)) == 1
        assert compiled(_first_of)(Swapped(two, one)) == 1  # type: ignore[arg-type]
    assert len(_kept(folder)) == 2


def test_what_numba_has_kept_is_not_taken_for_what_calls_another() -> None:
    values = np.array([5], np.int64)

    def last(helper: Kernel[..., int]) -> int:
        kernel = compiled(FunctionType(_last.__code__, {"_twice": helper, "__name__": __name__}))
        return int(kernel.compiled(values))

    # One file, one line, one code: Numba alone would answer twice with what it kept at first.
    assert last(inlined(lambda value: 2 * value)) == 10
    assert last(inlined(lambda value: 3 * value)) == 15


_TWICE = """
import sys, denota
rows = [{"type": "AB"[i % 2], "x": i % 5} for i in range(30_000)]
query = "SELECT * FROM S WHERE A AS a ; B FILTER a[x = 3] WITHIN 9 EVENTS"
found = denota.count(query, {"S": rows})
print(found, "numba" in sys.modules, "llvmlite" in sys.modules)
"""


@pytest.mark.slow  # it compiles anew
def test_a_second_process_does_without_numba() -> None:
    told = [
        subprocess.run(
            [sys.executable, "-c", _TWICE], capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(2)
    ]
    assert told[0][1:] == ["True", "True"]
    assert told[1][1:] == ["False", "True"]
    assert told[0][0] == told[1][0] != "0"
