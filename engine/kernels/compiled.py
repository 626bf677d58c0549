"""Hot loops: plain Python functions over NumPy arrays, interpreted at first and compiled for more.

To load Numba and what it has compiled takes longer than to interpret the loops over a few thousand
events, to compile takes as long as some ten thousand. So a process begins without Numba: kernels
are called as the Python functions that they are, and what they have to do is charged beforehand.
When it is more than `Kernels.allowance` all of them are compiled by Numba from then on (or read
from its cache on disk). All that they know lies in arrays, so this may happen between any two
calls; results are the same, in the same order.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, update_wrapper
from hashlib import sha256
from types import CodeType, FunctionType
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from ..getting_ready import getting_ready
from .machine_code import NOT_MINE, KeptKernel, kernel_lock, kinds, loaded, made, shapes

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

STEPS = 1 << 16
"""So many steps of kernels are interpreted in one process; they take some 0.2 s."""

# Kernels make no arrays, so none is counted: counting references is atomic and costs more than what
# the loops do (`_nrt`: Numba's runtime, which counts).
_OPTIONS: Any = {"cache": True, "_nrt": False}


class Kernels:
    """Whether the kernels of this process are compiled yet."""

    def __init__(self, allowance: int = STEPS) -> None:
        self.allowance = allowance
        """How many steps may still be interpreted; below 0: kernels are compiled."""

    def charge(self, steps: int) -> None:
        """Kernels are about to do so much: a step is a few operations on an event or a node."""
        if self.allowance >= 0:
            self.allowance -= steps

    def compile(self) -> None:
        """From now on kernels are compiled, each at its first call."""
        self.allowance = -1

    @property
    def compiled(self) -> bool:
        return self.allowance < 0

    @contextmanager
    def allowing(self, steps: int) -> Iterator[None]:
        """For a while so many steps are interpreted, below 0 none."""
        before, self.allowance = self.allowance, steps
        try:
            yield
        finally:
            self.allowance = before


# What Numba checks is checked where nothing else runs; where it is told not to compile, nothing is.
_CHECKED = os.environ.get("NUMBA_BOUNDSCHECK") == "1"
_INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT") == "1"
KERNELS = Kernels(-1 if _CHECKED else STEPS)


class Kernel(Generic[Parameters, Result]):
    """A function that is interpreted or compiled, and calls others as it is called itself.

    `machine` makes what takes its place where it is compiled.
    """

    def __init__(
        self, function: Callable[Parameters, Result], machine: Callable[[Any], Any]
    ) -> None:
        update_wrapper(self, function)
        self._function: Any = function
        self._machine = machine
        self._interpreted: Any = None
        self._compiled: Any = None
        self._kept: dict[tuple[str, ...], KeptKernel | None] = {}
        self._latest: KeptKernel | None = None

    def __call__(self, *arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
        result: Result
        if KERNELS.allowance < 0 and not _INTERPRETED:
            result = self._run(arguments)
            return result
        with np.errstate(over="ignore"):  # unsigned numbers wrap round, as compiled ones do
            result = (self._interpreted or self.interpreted)(*arguments, **named)
        return result

    def _run(self, arguments: tuple[Any, ...]) -> Any:
        """Compiled: by what has been kept on disk, without Numba, or else by Numba itself."""
        if self._latest is not None:
            result = self._latest(arguments)
            if result is not NOT_MINE:
                return result
        self._latest = None if _CHECKED else self._kept_for(arguments)
        if self._latest is None:
            return (self._compiled or self.compiled)(*arguments)
        return self._latest(arguments)

    def _kept_for(self, arguments: tuple[Any, ...]) -> KeptKernel | None:
        of = kinds(arguments)
        if of is None:
            return None
        if of not in self._kept:
            shape = sha256(repr(shapes(arguments)).encode()).hexdigest()
            name = f"{self._function.__name__}-{self.version[:16]}-{shape[:8]}"
            with getting_ready():
                kept = loaded(name, of)
                if kept is None:
                    with kernel_lock(name, of):
                        kept = loaded(name, of) or made(
                            name, of, arguments, self._calling(lambda kernel: kernel.compiled)
                        )
                self._kept[of] = kept
        return self._kept[of]

    @cached_property
    def version(self) -> str:
        """What it does, as a digest: of its code, that of kernels it calls, its constants."""
        function = self._function
        parts: list[object] = [function.__module__, *_written(function.__code__)]
        for name in function.__code__.co_names:
            value = function.__globals__.get(name)
            if isinstance(value, Kernel):
                parts.append(value.version)
            elif isinstance(value, int | float | str | tuple | np.generic):
                parts.append(value)
            else:  # a named tuple of arrays, say
                parts.append(getattr(value, "_fields", None))
        for cell in self._machine.__closure__ or ():  # what takes its place, or Numba's options
            made = cell.cell_contents
            parts += _written(made.__code__) if hasattr(made, "__code__") else [made]
        return sha256(repr(parts).encode()).hexdigest()

    @property
    def interpreted(self) -> Callable[Parameters, Result]:
        """The function, which calls other kernels interpreted."""
        if self._interpreted is None:
            self._interpreted = self._calling(lambda kernel: kernel.interpreted)
        result: Callable[Parameters, Result] = self._interpreted
        return result

    @property
    def compiled(self) -> Any:
        """What Numba makes of it, at its first call or from the cache."""
        if self._compiled is None:
            function = self._calling(lambda kernel: kernel.compiled)
            # Numba keeps what it has compiled under this name, and does not notice by itself that
            # a kernel called from here, or a constant, has changed.
            function.__qualname__ += f"-{self.version[:16]}"
            self._compiled = self._machine(function)
        return self._compiled

    def _calling(self, chosen: Callable[[Kernel[..., Any]], Any]) -> Any:
        """The function with kernels among its global names replaced by what is `chosen`."""
        function = self._function
        names = {
            name: chosen(value) if isinstance(value, Kernel) else value
            for name in function.__code__.co_names
            if (value := function.__globals__.get(name)) is not None
        }
        for name in ("__builtins__", "__name__", "__file__"):
            names[name] = function.__globals__.get(name)
        made = FunctionType(function.__code__, names, function.__name__)
        return update_wrapper(made, function)


def _written(code: CodeType) -> Iterator[object]:
    """What a function does, with those inside of it, and nothing of where it lies."""
    yield code.co_code
    yield code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _written(constant)
        else:
            yield constant


def _njit(**options: Any) -> Callable[[Any], Any]:
    def compile_it(function: Any) -> Any:
        with getting_ready():
            import numba

            dispatcher = numba.njit(**_OPTIONS, **options)(function)
            dispatcher.compile = getting_ready()(dispatcher.compile)
        return dispatcher

    return compile_it


def compiled(function: Callable[Parameters, Result]) -> Kernel[Parameters, Result]:
    """A kernel.

    Bounds are checked where NUMBA_BOUNDSCHECK=1 is set (with a NUMBA_CACHE_DIR of its own: the
    cache does not tell the two apart); then nothing is interpreted.
    """
    return Kernel(function, _njit())


def inlined(function: Callable[Parameters, Result]) -> Kernel[Parameters, Result]:
    """A short helper, copied into each kernel that calls it."""
    return Kernel(function, _njit(inline="always"))


def replaced(
    machine: Callable[[], Any],
) -> Callable[[Callable[Parameters, Result]], Kernel[Parameters, Result]]:
    """A helper for which something else stands where it is compiled: what `machine` makes."""
    return lambda function: Kernel(function, lambda _: machine())


def sealed(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array, read-only as those in Arrow's buffers are: kernels are compiled for one kind."""
    array.setflags(write=False)
    return array
