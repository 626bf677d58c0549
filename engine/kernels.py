"""Kernels: loops over NumPy arrays, interpreted at first and compiled by Numba when it pays.

Loading Numba and the compiled code takes longer than interpreting the loops over a few thousand
events, compiling as long as some ten thousand. So a process begins without Numba: kernels are
called as the Python functions that they are, and their work is charged beforehand. When it exceeds
`Kernels.allowance`, all of them are compiled from then on, or loaded from Numba's cache on disk.
Their state lies in arrays, so this may happen between any two calls; results are the same, in the
same order.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, update_wrapper
from hashlib import sha256
from types import CodeType, FunctionType
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from .warm_up import warm_up

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

STEPS = 1 << 17
"""The number of steps of kernels that are interpreted in one process. They take about as long as
loading Numba, some 0.4 s."""

# Kernels make no arrays, so none is counted: counting references is atomic and costs more than what
# the loops do (`_nrt`: Numba's runtime, which counts).
_OPTIONS: Any = {"_nrt": False}

_WORD = np.uint64(8)  # bytes


class Kernels:
    """The state of JIT compilation in this process: interpreted or compiled kernels."""

    def __init__(self, allowance: int = STEPS) -> None:
        self.allowance = allowance
        """The number of steps that may still be interpreted; below 0: kernels are compiled."""

    def charge(self, steps: int) -> None:
        """Announce that many steps of kernels: a step is a few operations on an event or a node."""
        if self.allowance >= 0:
            self.allowance -= steps

    def compile(self) -> None:
        """Compile kernels from now on, each at its first call."""
        self.allowance = -1

    @property
    def compiled(self) -> bool:
        return self.allowance < 0

    @contextmanager
    def allowing(self, steps: int) -> Iterator[None]:
        """Interpret that many steps in the block, none if negative."""
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

    def __call__(self, *arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
        result: Result
        if KERNELS.allowance < 0 and not _INTERPRETED:
            result = (self._compiled or self.compiled)(*arguments, **named)
            return result
        with np.errstate(over="ignore"):  # unsigned numbers wrap round, as compiled ones do
            result = (self._interpreted or self.interpreted)(*arguments, **named)
        return result

    @cached_property
    def version(self) -> str:
        """The digest of the function: its code, that of kernels it calls, its constants."""
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
        """The function as Numba compiles it, at its first call or from the cache."""
        if self._compiled is None:
            function = self._calling(lambda kernel: kernel.compiled)
            # Numba keeps what it has compiled under this name, and does not notice by itself that
            # a kernel called from here, or a constant, has changed.
            function.__qualname__ += f"-{self.version[:16]}"
            self._compiled = self._machine(function)
        return self._compiled

    def _calling(self, chosen: Callable[[Kernel[..., Any]], Any]) -> Any:
        """Return the function with each kernel that it names replaced by `chosen` of it."""
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
    """Yield the parts of a function's code, with inner functions, without its location."""
    yield code.co_code
    yield code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _written(constant)
        else:
            yield constant


def _njit(**options: Any) -> Callable[[Any], Any]:
    def compile_it(function: Any) -> Any:
        with warm_up():
            import numba

            try:
                dispatcher = numba.njit(cache=True, **_OPTIONS, **options)(function)
            except RuntimeError:  # there is no folder for the cache that can be written
                dispatcher = numba.njit(**_OPTIONS, **options)(function)
            dispatcher.compile = warm_up()(dispatcher.compile)
        return dispatcher

    return compile_it


def compiled(function: Callable[Parameters, Result]) -> Kernel[Parameters, Result]:
    """Return the function as a kernel.

    Bounds are checked where NUMBA_BOUNDSCHECK=1 is set (with a NUMBA_CACHE_DIR of its own: the
    cache does not tell the two apart); then nothing is interpreted.
    """
    return Kernel(function, _njit())


def inlined(function: Callable[Parameters, Result]) -> Kernel[Parameters, Result]:
    """Return a short helper as code that is inlined into each kernel that calls it."""
    return Kernel(function, _njit(inline="always"))


def replaced(
    machine: Callable[[], Any],
) -> Callable[[Callable[Parameters, Result]], Kernel[Parameters, Result]]:
    """Return a decorator that compiles a helper to the code that `machine` makes."""
    return lambda function: Kernel(function, lambda _: machine())


def _load() -> Any:
    """Compile `eight_bytes` to one instruction. No bound is checked."""
    from numba import types
    from numba.extending import intrinsic

    def load(context: Any, data: Any, at: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            place = builder.gep(array.data, [arguments[1]])
            word = context.get_value_type(types.uint64)
            return builder.load(builder.bitcast(place, word.as_pointer()), align=1)

        return types.uint64(data, at), generate

    return intrinsic(load)


@replaced(_load)
def eight_bytes(data: npt.NDArray[np.uint8], at: np.uint64) -> np.uint64:
    """Return the number in data[at:at + 8], the first byte lowest; it need not be aligned."""
    return np.uint64(int.from_bytes(data[at : at + _WORD].tobytes(), sys.byteorder))


def sealed(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the array read-only, as Arrow's buffers are: kernels are compiled for one kind."""
    array.setflags(write=False)
    return array
