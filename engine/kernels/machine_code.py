"""What Numba has compiled, kept on disk so that later processes need no Numba to run it.

To import Numba and to read its own cache takes 0.5 s, far longer than most streams; to load an
object file takes some milliseconds with LLVM alone. A file holds one kernel, compiled for one
processor and one kind of arguments, beside a line that tells how to call it. Only what refers to
nothing outside of itself is kept.

Arrays are handed over as Numba hands them over (see its data model): two pointers that kernels
without references do not look at, how many items there are and how long each, where they lie, the
shape, the strides.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import platform
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Lock
from typing import Any

import numpy as np

from ...semantics.model.errors import Impossible

NOT_MINE = object()
_NOTHING = object()
_MOST_HELD = 1 << 20  # bytes of an array that is held until the next call

# See `compiled`; nothing but what is called from here is made.
_OPTIONS: Any = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

_SCALARS: dict[type, str] = {
    np.uint64: "uint64", np.int64: "int64", int: "int64", bool: "bool",
}  # fmt: skip
_C = {"uint64": ctypes.c_uint64, "int64": ctypes.c_int64, "bool": ctypes.c_uint8}
_POINTER, _SIZE = ctypes.c_void_p, ctypes.c_int64
_OF_ARRAY = (_POINTER, _POINTER, _SIZE, _SIZE, _POINTER, _SIZE, _SIZE)
_RESULTS: dict[str, Any] = {
    "none": None, "uint64": ctypes.c_uint64, "int64": ctypes.c_int64, "bool": ctypes.c_uint8,
    "int32": ctypes.c_int32, "uint32": ctypes.c_uint32,
}  # fmt: skip
_RETURNS: dict[str, Callable[[Any], Any]] = {"bool": bool, "none": lambda _: None}


def kinds(arguments: Sequence[Any]) -> tuple[str, ...] | None:
    """What kind each argument is of; None if one is of none that can be handed over.

    A named tuple is handed over as what it holds, one after the other.
    """
    found: list[str] = []
    for value in arguments:
        if isinstance(value, tuple):
            inner = kinds(value)
            if inner is None:
                return None
            found += inner
        elif isinstance(value, np.ndarray):
            if not _is_plain(value):
                return None
            found.append(value.dtype.str)
        elif (kind := _SCALARS.get(type(value))) is not None:
            found.append(kind)
        else:
            return None
    return tuple(found)


def shapes(arguments: Sequence[Any]) -> list[Any]:
    """The names of the fields of named tuples, and of those inside: code knows them by place."""
    return [
        (getattr(value, "_fields", None), shapes(value))
        for value in arguments if isinstance(value, tuple)
    ]


def _is_plain(array: Any) -> bool:
    flags = array.flags
    return bool(array.ndim == 1 and flags.c_contiguous and flags.aligned)


def loaded(name: str, of: tuple[str, ...]) -> KeptKernel | None:
    """The kernel as it has been kept; None if it has not."""
    file = _file(name, of)
    try:
        header, _, code = _own_bytes(file).partition(b"\n") if file else (b"", b"", b"")
        told = json.loads(header)
        symbol, result = str(told["function"]), str(told["result"])
        if told["digest"] != _digest(symbol, result, code):
            return None
    except (OSError, ValueError, TypeError, LookupError, RecursionError):
        return None
    return KeptKernel(_linked(code, symbol), of, result)


def _own_bytes(file: Path) -> bytes:
    """Return the content of a file that nobody but this user, or root, can have written.

    It is machine code, which is executed. Raises OSError for any other file.
    """
    with open(file, "rb") as opened:
        status = os.fstat(opened.fileno())
        if status.st_uid not in (0, os.geteuid()) or status.st_mode & 0o022:
            raise PermissionError(f"{file} may be someone else's")
        return opened.read()


def _digest(function: str, result: str, code: bytes) -> str:
    return hashlib.sha256(f"{function} {result}\n".encode() + code).hexdigest()


@contextmanager
def kernel_lock(name: str, of: tuple[str, ...]) -> Iterator[None]:
    """Hold the lock of a kernel: processes that begin together compile it once.

    The system releases it when a process ends. There is none where nothing can be kept.
    """
    file = _file(name, of)
    lock = None
    with suppress(OSError):
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            lock = os.open(file.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    if lock is None:
        yield
        return
    import fcntl

    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        with suppress(OSError):  # also for a fork that has the descriptor
            fcntl.flock(lock, fcntl.LOCK_UN)
        os.close(lock)


def made(
    name: str, of: tuple[str, ...], arguments: Sequence[Any], function: Any
) -> KeptKernel | None:
    """What Numba makes of a function for such arguments, which is kept.

    None where it does not stand alone, or where nothing can be kept.
    """
    file = _file(name, of)
    if file is None:
        return None
    import numba

    dispatcher = numba.njit(**_OPTIONS)(function)
    kind = tuple(dispatcher.typeof_pyval(value) for value in arguments)
    dispatcher.compile(kind)
    compiled = dispatcher.overloads[kind]
    symbol, result = compiled.fndesc.llvm_func_name, str(compiled.fndesc.restype)
    try:
        code: bytes = compiled.library._get_compiled_object()
        text = compiled.library.get_llvm_str()
    except (AttributeError, RuntimeError):  # a Numba that keeps its code in another way
        return None
    if result not in _RESULTS or not _stands_alone(text):
        return None
    told = {"function": symbol, "result": result, "digest": _digest(symbol, result, code)}
    with suppress(OSError):  # without room for it, it is compiled again the next time
        file.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=file.parent, delete=False) as written:
            written.write(json.dumps(told).encode() + b"\n" + code)
        os.replace(written.name, file)
    return KeptKernel(_linked(code, symbol), of, result)


def _stands_alone(text: str) -> bool:
    """Whether nothing is defined elsewhere of what the code refers to, by LLVM's text."""
    elsewhere = re.findall(r'^declare [^@\n]*@"?([\w.$-]+)', text, re.MULTILINE)
    external = re.search(r"^@[^\n]* = external ", text, re.MULTILINE)
    return external is None and all(name.startswith("llvm.") for name in elsewhere)


# --- what it is kept under -----------------------------------------------------------------------


def _file(name: str, of: tuple[str, ...]) -> Path | None:
    root = _folder()
    if root is None:
        return None
    return root / f"{name}-{hashlib.sha256(repr(of).encode()).hexdigest()[:16]}.kernel"


@cache
def _folder() -> Path | None:
    """The folder of this version of the machinery, of Numba, of Python and of the processor."""
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"):
        return None  # elsewhere arguments may be handed over in another way
    numba = find_spec("numba")
    if numba is None or numba.origin is None:
        return None
    import llvmlite.binding as llvm

    parts = [sys.version, numba.origin, str(Path(numba.origin).stat().st_mtime_ns), np.__version__]
    parts.append(str(llvm.llvm_version_info))
    parts += [llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()]
    # How kernels are made and called; what each does is in its own name.
    for module in sorted(Path(__file__).parent.glob("*.py")):
        parts.append(hashlib.sha256(module.read_bytes()).hexdigest())
    version = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    named = os.environ.get("NUMBA_CACHE_DIR")
    if named:
        return Path(named) / f"denota-{version}"
    cached = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(cached) if cached else Path.home() / ".cache") / "denota" / version
    except RuntimeError:
        return None


# --- calling -------------------------------------------------------------------------------------

_engines: list[Any] = []  # code lives as long as they do


def _linked(code: bytes, function: str) -> int:
    """Where the function lies in memory."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    address: int = engine.get_function_address(function)
    return address


class KeptKernel:
    """A kernel for arguments of these kinds.

    Most arguments are those of the call before, and are not looked at again.
    """

    def __init__(self, address: int, of: tuple[str, ...], result: str) -> None:
        types: list[Any] = [_POINTER, _POINTER]
        self._places: list[int] = []
        self._dtypes: list[np.dtype[Any] | None] = []
        for kind in of:
            self._places.append(len(types))
            types += [_C[kind]] if kind in _C else _OF_ARRAY
            self._dtypes.append(None if kind in _C else np.dtype(kind))
        self._kinds = of
        self._function = ctypes.PYFUNCTYPE(ctypes.c_int32, *types)(address)
        self._result = (_RESULTS[result] or ctypes.c_uint64)()
        self._returns: Callable[[Any], Any] = _RETURNS.get(result, int)
        self._wrong = ctypes.c_void_p()
        self._flat = [kind() for kind in types]
        self._flat[0].value = ctypes.addressof(self._result)
        self._flat[1].value = ctypes.addressof(self._wrong)
        self._latest: list[Any] = [_NOTHING] * len(of)
        self._lock = Lock()

    def __call__(self, arguments: Sequence[Any]) -> Any:
        """What it returns; NOT_MINE for arguments of other kinds."""
        with self._lock:
            if self._take_all(arguments, 0) != len(self._kinds):
                return NOT_MINE
            if self._function(*self._flat):
                raise Impossible("a kernel raised an exception")
            return self._returns(self._result.value)

    def _take_all(self, values: Sequence[Any], place: int) -> int:
        """Take values from a place on; the place after them, -1 where one is of another kind."""
        latest = self._latest
        for value in values:
            if isinstance(value, tuple):
                place = self._take_all(value, place)
                if place < 0:
                    return -1
                continue
            if place == len(latest):
                return -1
            if value is not latest[place] and not self._take(place, value):
                return -1
            place += 1
        return place

    def _take(self, place: int, value: Any) -> bool:
        at, dtype = self._places[place], self._dtypes[place]
        if dtype is None:
            if _SCALARS.get(type(value)) != self._kinds[place]:
                return False
            self._flat[at].value = int(value)
            return True
        if type(value) is not np.ndarray or value.dtype != dtype or not _is_plain(value):
            return False
        size, width, flat = value.size, value.itemsize, self._flat
        flat[at + 2].value = flat[at + 5].value = size
        flat[at + 3].value = flat[at + 6].value = width
        flat[at + 4].value = value.ctypes.data
        self._latest[place] = value if value.nbytes < _MOST_HELD else _NOTHING
        return True
