"""Output files: there as a whole or not at all, with one writer each, and never an input.

A file is written beside its target, as `.NAME.TOKEN.unfinished`, and renamed. While an output of
any kind has the target, `.NAME.denota-lock` beside it is locked; it names the unfinished file, so
that the next writer removes both after a kill. Devices and pipes are written as they are.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from types import TracebackType
from typing import Any, Self

from ...model.errors import DenotaError

_LOCK = ".denota-lock"
_UNFINISHED = ".unfinished"
_MARK = b"a lock of denota\n"
_LONGEST_NAME = 200  # bytes, so that what is added to a name does not make it too long
_MOST_LINKS = 40

_held: set[int] = set()


def _close_inherited() -> None:
    for descriptor in _held:
        os.close(descriptor)
    _held.clear()


# A lock lasts as long as a process has its descriptor: a child would keep it for a dead parent.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_inherited)


# --- which file a path means ----------------------------------------------------------------------

Identity = tuple[int, int] | str

_inputs: ContextVar[dict[Identity, str] | None] = ContextVar("_inputs", default=None)


def identity(path: str | os.PathLike[str]) -> Identity | None:
    """Return a value that all names of one file or folder share; None for a device or a pipe.

    Links are followed. A file that is not there yet has its resolved path.
    """
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return os.path.realpath(path)
    if stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode):
        return found.st_dev, found.st_ino
    return None


@contextmanager
def protected_inputs() -> Iterator[None]:
    """Refuse outputs, in the block, to files that `note_input` was called for in it."""
    token = _inputs.set({})
    try:
        yield
    finally:
        _inputs.reset(token)


def note_input(path: str | os.PathLike[str]) -> None:
    """Record that a file is read, so that no output replaces it (see `protected_inputs`)."""
    inputs, key = _inputs.get(), identity(path)
    if inputs is not None and key is not None:
        inputs[key] = os.fspath(path)


def check_no_input(path: str | os.PathLike[str]) -> None:
    """Raise DenotaError if the file of an output has been read as an input."""
    key = identity(path)
    if key is not None and key in (_inputs.get() or {}):
        raise DenotaError(
            "the file is an input, and cannot be written as an output", source=str(path)
        )


def _target(path: Path) -> Path | None:
    """Return the file that a path means, behind its links; None if it is to be written in place.

    Devices and pipes are, folders (which cannot be opened), and whatever a descriptor stands for.
    """
    step = os.path.abspath(path)
    for _ in range(_MOST_LINKS):
        if step.startswith(("/proc/", "/dev/fd/", "/dev/std")):
            return None
        try:
            step = os.path.abspath(os.path.join(os.path.dirname(step), os.readlink(step)))
        except OSError:
            break
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
    return Path(os.path.realpath(path))


# --- writing --------------------------------------------------------------------------------------


class Output:
    """The sole right to write a file, as a context manager.

    `place` is the file itself, for text that grows in it. `begin` and `commit` replace the file as
    a whole, any number of times; whatever is not committed leaves no trace. The kernel ends the
    right with this process. Entering raises `busy`, or a DenotaError of its own, if another output
    has the file, of this process or of another one.
    """

    def __init__(self, path: Path, *, busy: DenotaError | None = None) -> None:
        self.path = path
        self._busy = busy or DenotaError(
            "another output is being written to this file", source=str(path)
        )
        self._target: Path | None = None
        self._unfinished: Path | None = None
        self._descriptor: int | None = None
        self._begun = False

    def __enter__(self) -> Self:
        check_no_input(self.path)
        with output_errors(str(self.path)):
            self._target = _target(self.path)
            if self._target is not None:
                if self._target.exists() and not os.access(self._target, os.W_OK):
                    raise PermissionError(13, "Permission denied")
                try:
                    self._acquire(self._target)
                except BaseException:
                    self._release()
                    raise
        return self

    def _acquire(self, target: Path) -> None:
        start = f".{_short(target.name)}"
        self._lock = target.with_name(start + _LOCK)
        self._descriptor = descriptor = _lock(self._lock, _MARK)
        if descriptor is None:
            raise self._busy
        _held.add(descriptor)
        name = f"{start}.{token_hex(4)}{_UNFINISHED}"
        self._unfinished = target.with_name(name)
        said = os.pread(descriptor, 1 << 12, 0)
        if said.startswith(_MARK):  # and is no file of the user's
            left = os.fsdecode(said[len(_MARK) :])
            if left.startswith(f"{start}.") and left.endswith(_UNFINISHED) and os.sep not in left:
                target.with_name(left).unlink(missing_ok=True)  # a killed run's
            content = _MARK + os.fsencode(name)
            os.pwrite(descriptor, content, 0)
            os.ftruncate(descriptor, len(content))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._release()

    def _release(self) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None or descriptor not in _held:  # a fork has no part in it
            return
        try:
            if self._begun and self._unfinished is not None:
                self._unfinished.unlink(missing_ok=True)
            if os.pread(descriptor, len(_MARK), 0) == _MARK:
                self._lock.unlink(missing_ok=True)  # while it is locked, so that it is ours
        finally:
            _held.discard(descriptor)
            os.close(descriptor)

    @property
    def place(self) -> Path:
        """The file itself, behind its links."""
        return self._target or self.path

    def begin(self) -> Path:
        """Return the path of an empty file that `commit` makes the target; a device's own path."""
        if self._target is None or self._unfinished is None:
            return self.path
        self._unfinished.unlink(missing_ok=True)
        descriptor = os.open(self._unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        self._begun = True
        try:
            with suppress(FileNotFoundError):
                before = os.stat(self._target)
                with suppress(OSError):  # only root can give a file away
                    os.chown(self._unfinished, before.st_uid, before.st_gid)
                os.chmod(self._unfinished, stat.S_IMODE(before.st_mode))
        finally:
            os.close(descriptor)
        return self._unfinished

    def commit(self) -> None:
        """Make the file that was begun the target, in one step."""
        if self._target is None or self._unfinished is None:
            return
        os.replace(self._unfinished, self._target)
        self._begun = False


def _short(name: str) -> str:
    """Return a file's name, or a digest of a name that could not be made longer."""
    encoded = os.fsencode(name)
    return name if len(encoded) <= _LONGEST_NAME else sha256(encoded).hexdigest()[:32]


@contextmanager
def folder_lock(place: Path, busy: DenotaError) -> Iterator[None]:
    """Lock the file `place` of a folder, for a run that works in this folder; raise `busy`."""
    with output_errors(str(place)):
        descriptor = _lock(place, b"")
    if descriptor is None:
        raise busy
    _held.add(descriptor)
    try:
        yield
    finally:
        if descriptor in _held:  # and not a fork's
            _held.discard(descriptor)
            os.close(descriptor)


def _lock(place: Path, content: bytes) -> int | None:
    """Return the descriptor of a file that is locked by it; None if it is locked already.

    A file that is not there yet is made with this content. Whatever else has its name is refused
    and not waited for, as opening a pipe would be.
    """
    common = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    while True:
        try:
            descriptor, made = os.open(place, common | os.O_CREAT | os.O_EXCL, 0o666), True
        except FileExistsError:
            try:
                descriptor, made = os.open(place, common), False
            except FileNotFoundError:
                continue  # its last holder has removed it
        try:
            if made:
                os.write(descriptor, content)  # one that locks it before finds this at its end
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise DenotaError(
                    "the lock of an output has this name, and this is no file; remove it",
                    source=str(place),
                )
            with suppress(ImportError, OSError):  # systems and file systems without such locks
                import fcntl

                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    os.close(descriptor)
                    return None
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(descriptor), os.stat(place)):
                    return descriptor
        except BaseException:
            os.close(descriptor)
            if made:  # the disk may be full
                place.unlink(missing_ok=True)
            raise
        os.close(descriptor)  # its last holder has removed the file in the meantime


@contextmanager
def output_errors(name: str) -> Iterator[None]:
    """Raise a DenotaError for an OSError of writing the file `name`; not for a closed pipe."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise DenotaError(
            f"cannot be written: {reason[:1].lower()}{reason[1:]}", source=name
        ) from error


def write_text(path: Path, text: str) -> None:
    """Write a file of UTF-8 as a whole; a DenotaError names it where that fails."""
    # Not every text that JSON or an engine states can be UTF-8: surrogates are written as escapes.
    with Output(path) as output, output_errors(str(path)):
        output.begin().write_text(text, encoding="utf-8", errors="backslashreplace")
        output.commit()


class ParquetFile:
    """A Parquet file that appears when it is closed.

    Where it cannot be written, a DenotaError names it and nothing is left of it. `where` is a path,
    an output that the caller has entered, or an open binary file, which is written to as it is.
    """

    def __init__(
        self, where: str | os.PathLike[str] | Output | Any, schema: Any, **options: Any
    ) -> None:
        import pyarrow.parquet as pq

        self._held = ExitStack()
        self._output = where if isinstance(where, Output) else None
        if isinstance(where, str | os.PathLike):
            self._output = self._held.enter_context(Output(Path(where)))
        self._name = str(
            getattr(where, "name", "<parquet>") if self._output is None else self._output.path
        )
        self._writer: Any = None
        try:
            with output_errors(self._name):
                place = where if self._output is None else self._output.begin()
                self._writer = pq.ParquetWriter(place, schema, **options)
        except BaseException:
            self.abandon()
            raise

    def write(self, table: Any, rows: int | None = None) -> None:
        """Write a table or a batch, in row groups of bounded size."""
        try:
            with output_errors(self._name):
                self._writer.write(table, row_group_size=rows)
        except BaseException:
            self.abandon()
            raise

    def close(self) -> None:
        """Write the end; the file is there."""
        writer, self._writer = self._writer, None
        if writer is None:
            return
        try:
            with output_errors(self._name):
                writer.close()
                if self._output is not None:
                    self._output.commit()
        except BaseException:
            self.abandon()
            raise
        self._held.close()

    def abandon(self) -> None:
        """Leave nothing of the file."""
        writer, self._writer = self._writer, None
        if writer is not None:
            with suppress(OSError):  # the disk may be full
                writer.close()
        self._held.close()
