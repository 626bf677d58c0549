"""Processes that are kept apart: forks that answer requests, with a clock that ends them.

Nothing is raised into a running engine. The process is a fork in a session of its own; it answers
requests through pipes, one after the other, and stays until it is ended, or ends by itself. An
engine that swallows exceptions, ignores signals or sits in C code ends with it, and so does what
the engine has started. When the time is up is said by a clock that both processes see: it runs
while the engine does, and stands still while one of denota's own engines imports and compiles.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import mmap
import os
import pickle
import select
import signal
import sys
import traceback
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from math import ceil, inf
from pathlib import Path
from threading import current_thread, main_thread
from time import monotonic, sleep
from types import FrameType
from typing import Any, BinaryIO, NoReturn, Protocol

from ...semantics.model.errors import DenotaError
from .cpu_wait import descendants, waited_for_processors
from .engine import CEILING, EngineCrash, EngineTimeout

_GLANCE = 0.25
"""Seconds between looks at a process that says nothing."""

_FAREWELL = 5.0
"""Seconds that an engine has to close what it holds, and a process to say how it has ended."""

_LONGEST_DETAIL = 2000  # characters

_ROUNDS = 1000  # of looking for descendants that are still alive

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


class Clock:
    """The end of the engine's time limit, in memory that a process shares with its forks."""

    def __init__(self) -> None:
        self.uncharged = 0.0
        """Seconds that were charged to nobody, as far as this process knows."""
        # 0.0: no engine runs; infinite: it may take for ever, or is getting ready. Behind it stand
        # the process in which it runs, how long that had waited for processors at the start, and
        # how much longer it may take by the clock.
        self._end = memoryview(mmap.mmap(-1, mmap.PAGESIZE)).cast("d")

    @contextmanager
    def running(self, seconds: float | None) -> Iterator[None]:
        """Run an engine in the block; raise EngineTimeout at its end after the time limit."""
        pid = os.getpid()
        self._end[1], self._end[2] = pid, waited_for_processors(pid)
        self._end[3] = inf if seconds is None else (CEILING - 1) * seconds
        self._end[0] = inf if seconds is None else monotonic() + seconds
        try:
            yield
        finally:
            late, by_clock = self.over(), self.by_clock()
            self._end[0] = 0.0
            if late:
                raise EngineTimeout(seconds or 0.0, by_clock=by_clock)

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Exclude the time in the block from every time limit."""
        end, began = self._end[0], monotonic()
        if end in (0.0, inf):
            yield
            return
        waited = self._waited()
        self._end[0] = inf
        try:
            yield
        finally:
            took = monotonic() - began
            self.uncharged += took
            self._end[0] = end + took - (self._waited() - waited)

    def over(self) -> bool:
        """Return True if the time limit has passed."""
        return self._charged() or self.by_clock()

    def by_clock(self) -> bool:
        """Return True if only the ceiling is reached, which counts the engine's waiting time."""
        end = self._end[0]
        return end > 0.0 and end + self._end[3] < monotonic() and not self._charged()

    def _charged(self) -> bool:
        """Return True if the time limit has passed, without the time waited for processors."""
        end = self._end[0]
        return 0.0 < end < monotonic() and end + self._waited() < monotonic()

    def wait(self) -> float:
        """Return the seconds that can be waited before the time may be up, at most `_GLANCE`."""
        end = self._end[0]
        if not end:
            return _GLANCE
        left = end - monotonic()
        return max(0.0, min(left if left > 0.0 else left + self._waited(), _GLANCE))

    def _waited(self) -> float:
        return max(0.0, waited_for_processors(int(self._end[1])) - self._end[2])


_clock: Clock | None = None


def clock() -> Clock | None:
    """Return this process's clock, if it is an isolated process."""
    return _clock


def inside() -> bool:
    """Return True in an isolated process, which an engine may end or block."""
    return _clock is not None


def uncharged() -> float:
    """Return the seconds in this process that count towards no engine's time limit."""
    return 0.0 if _clock is None else _clock.uncharged


def one_line(error: BaseException) -> str:
    """Return an exception's text, as far as it fits a line."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # an engine's own exception need not have a text
        text = ""
    return text[:_LONGEST_DETAIL] or type(error).__name__


def last_lines(error: BaseException) -> str:
    """Return the end of an exception's traceback."""
    return "".join(traceback.format_exception(error)[-4:]).rstrip()[-2 * _LONGEST_DETAIL :]


# --- the process ---------------------------------------------------------------------------------


class Service(Protocol):
    """The service of an isolated process, created in it."""

    @property
    def greeting(self) -> Any: ...

    def answer(self, request: Any) -> Any: ...

    def close(self) -> None: ...


class WorkerProcess:
    """A fork of this process that answers requests.

    `begin` is called in the fork; an exception that it raises is raised here. Answers come in the
    order of the requests.
    """

    def __init__(self, begin: Callable[[], Service]) -> None:
        self._clock = Clock()
        self._received = bytearray()
        self._owner = os.getpid()
        requests, self._to_child = os.pipe()
        self._from_child, replies = os.pipe()
        self.pid = _fork()
        if self.pid == 0:
            self._serve(begin, requests, replies)
        os.close(requests)
        os.close(replies)
        _started.add(self)
        try:
            self.greeting = self.receive()
        except BaseException:
            self.end()
            raise

    def __del__(self) -> None:
        self.end()

    def send(self, requests: Sequence[Any]) -> None:
        """Ask; raises what pickling raises, or EngineCrash if the process has ended."""
        message = _framed(requests)
        try:
            while message:
                message = message[os.write(self._to_child, message) :]
        except BrokenPipeError:
            raise self._ended() from None

    def receive(self) -> Any:
        """Return the next answer; raise EngineTimeout or EngineCrash if none comes."""
        while True:
            reply = self.poll()
            if reply is not None:
                return reply[0]
            until_readable([self], self.wait())

    def poll(self) -> tuple[Any] | None:
        """Return the next answer, if it is available."""
        found = self._frame()
        if found is None:
            gone = self._read() if self.pid else True
            found = self._frame()
        if found is not None:
            if isinstance(found, _Raised):
                raise found.error
            return (found,)
        if gone:
            raise self._ended()
        if self._clock.over():
            by_clock = self._clock.by_clock()
            self.end()
            raise EngineTimeout(0.0, by_clock=by_clock)
        return None

    def _read(self) -> bool:
        """Take what is there; whether nothing can follow."""
        if not until_readable([self], 0.0):
            if not self._gone():
                return False
            if not until_readable([self], 0.0):  # what it said last may have come meanwhile
                return True
        more = os.read(self._from_child, 1 << 20)
        self._received += more
        return not more

    def fileno(self) -> int:
        """Return the file descriptor that becomes readable with the next response."""
        return self._from_child

    def end(self) -> int:
        """End the process and all that it has started; how it ended, as os.waitpid says."""
        pid, self.pid = self.pid, 0
        if not pid or os.getpid() != self._owner:
            return 0
        _started.discard(self)
        os.close(self._to_child)
        os.close(self._from_child)
        return killed(pid)

    def wait(self) -> float:
        """Return the seconds after which to poll again, even without an answer."""
        return self._clock.wait()

    def leave(self, *, at_once: bool = False) -> None:
        """End the process as `end` does, closing its resources first; `at_once` if busy."""
        if self.pid and os.getpid() == self._owner:
            with suppress(OSError):
                if not at_once:
                    os.write(self._to_child, _framed([]))
                else:
                    os.kill(self.pid, signal.SIGTERM)
                _wait(self._gone)
        self.end()

    def held(self) -> int:
        """Return the resident memory of the process in bytes, 0 if unknown (Linux)."""
        try:
            pages = Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()[1]
        except OSError:
            return 0
        return int(pages) * mmap.PAGESIZE

    def _gone(self) -> bool:
        seen = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return seen is not None

    def _ended(self) -> EngineCrash:
        if not self.pid:
            return EngineCrash("the process does not start again")
        _wait(self._gone)
        return EngineCrash(f"the process ended ({ending(self.end())})")

    def _frame(self) -> Any:
        size = int.from_bytes(self._received[:8], "big")
        if len(self._received) < 8 + size or not self._received:
            return None
        frame = bytes(self._received[8 : 8 + size])
        del self._received[: 8 + size]
        try:
            return pickle.loads(frame)
        except Exception as error:  # what an engine's objects do when they are made again
            return EngineCrash(f"its results cannot be read: {type(error).__name__}: {error}")

    def _serve(self, begin: Callable[[], Service], requests: int, replies: int) -> NoReturn:
        """Serve requests until the parent closes the pipe."""
        code = 1
        try:
            global _clock
            _clock = self._clock
            os.close(self._to_child)
            os.close(self._from_child)
            _settle(self._owner)
            with os.fdopen(requests, "rb") as asked, os.fdopen(replies, "wb") as answers:
                for reply in _replies(begin, asked):
                    answers.write(reply)
                    answers.flush()
                    _flush_output()
            code = 0
        except BrokenPipeError:  # nobody waits for answers
            pass
        finally:
            os._exit(code)


def _replies(begin: Callable[[], Service], asked: BinaryIO) -> Iterator[bytes]:
    try:
        service = begin()
        greeting = _framed(service.greeting)
    except BaseException as error:
        yield _framed(_Raised.of(error))
        return
    yield greeting
    while size := asked.read(8):
        requests = pickle.loads(asked.read(int.from_bytes(size, "big")))
        if not requests:
            break
        for request in requests:
            yield _reply(service, request)
    service.close()


def _reply(service: Service, request: Any) -> bytes:
    try:
        answer = service.answer(request)
    except BaseException as error:
        return _framed(_Raised.of(error))
    try:
        return _framed(answer)
    except Exception as error:  # what an engine answers may be anything
        return _framed(_Raised(EngineCrash(f"its results cannot be sent: {one_line(error)}")))


class _Raised:
    """An answer that is an exception."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    @classmethod
    def of(cls, error: BaseException) -> _Raised:
        """Return an exception in a form that this process can unpickle."""
        if isinstance(error, DenotaError) and not type(error).__module__.startswith("denota."):
            # An engine's own kind of error: the name under which it is known there is not ours.
            error = DenotaError(
                error.message, source=error.source, line=error.line, column=error.column
            )
        elif not isinstance(error, Exception):
            error = EngineCrash(f"{type(error).__name__}: {one_line(error)}")
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            error = EngineCrash(f"{type(error).__name__}: {one_line(error)}", last_lines(error))
        return cls(error)


_started: weakref.WeakSet[WorkerProcess] = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    """End the processes that are left, while the interpreter still has all that this needs."""
    for process in list(_started):
        process.end()




def _fork() -> int:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()  # what is buffered here is not the fork's to write
    _prctl()
    with warnings.catch_warnings():
        # Threads that wait (for an adapter's stderr, in a library's pool) do no harm in a fork.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _settle(parent: int) -> None:
    """Make a fork a process of its own."""
    os.setsid()  # the terminal's signals do not come here, and all that is started can be ended
    _die_with_parent(signal.SIGKILL)
    keep_orphans()
    if os.getppid() != parent:
        os._exit(1)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    for other in list(_started):  # or they would not see when this process's parent closes them
        if other.pid:
            other.pid = 0
            os.close(other._to_child)
            os.close(other._from_child)
    _started.clear()
    gc.freeze()


@cache
def _prctl() -> Any:
    return getattr(ctypes.CDLL(None), "prctl", None)


def _die_with_parent(how: signal.Signals) -> None:
    """Have this process ended when its parent ends, whatever it is doing (Linux)."""
    prctl = _prctl()
    if prctl is not None:
        prctl(_PR_SET_PDEATHSIG, how)


def keep_orphans() -> None:
    """Have orphaned descendants of this process become its children (Linux).

    So a descendant that daemonises, with a session of its own, stays where `killed` finds it.
    """
    prctl = _prctl()
    if prctl is not None:
        prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _before_exec() -> None:
    _die_with_parent(signal.SIGKILL)
    keep_orphans()  # which the program that is executed keeps


def dying_with_this() -> Callable[[], None] | None:
    """Return the function that a program calls before exec to end with this process, if any."""
    # For the system the parent is the thread that has started it, so that must be the last one.
    if _prctl() is None or current_thread() is not main_thread():
        return None
    return _before_exec


def when_told_to_end(close: Callable[[], None]) -> None:
    """Have this process, which is kept apart, close what it holds when it is to end at once."""

    def end(number: int, frame: FrameType | None) -> None:
        try:
            close()
        finally:
            os._exit(1)

    signal.signal(signal.SIGTERM, end)
    _die_with_parent(signal.SIGTERM)


def _framed(message: Any) -> bytes:
    pickled = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return len(pickled).to_bytes(8, "big") + pickled


def _flush_output() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()


def _wait(over: Callable[[], bool]) -> None:
    end = monotonic() + _FAREWELL
    while not over() and monotonic() < end:
        sleep(0.002)


def until_readable(sources: Iterable[Any], seconds: float) -> bool:
    """Wait until there is something to read, but no longer than `seconds`; whether there is."""
    # Not select(), which takes no file descriptor beyond 1,023.
    waiting = select.poll()
    for source in sources:
        waiting.register(source, select.POLLIN)
    return bool(waiting.poll(ceil(1000 * seconds)))


def killed(pid: int) -> int:
    """End a child process, its descendants and its group; how it ended, as os.waitpid says."""
    kill_tree(pid)
    return os.waitpid(pid, 0)[1]


def kill_tree(pid: int) -> None:
    """Kill a child process, all in its group and its descendants, last the process itself.

    While it lives, orphans among its descendants are its children (`keep_orphans`).
    """
    for _ in range(_ROUNDS):  # what was started meanwhile is found in the next one
        living = [each for each in descendants(pid) if not _is_dead(each)]
        for each in living:
            _kill(os.kill, each)
        if not living:
            break
    # One that has ended waits for us to ask, so its number is still its own.
    _kill(os.killpg, pid)
    _kill(os.kill, pid)


def _kill(kill: Callable[[int, int], None], pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        kill(pid, signal.SIGKILL)


def _is_dead(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] in "ZX"


def ending(status: int) -> str:
    """Return a text for the exit status of a process."""
    code = os.waitstatus_to_exitcode(status)
    return f"exit code {code}" if code >= 0 else f"signal {signal_name(-code)}"


def signal_name(number: int) -> str:
    """Return a signal's name, or its number if it has none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
