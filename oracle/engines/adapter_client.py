"""The tester's side of the adapter protocol: a foreign engine in a child process (JSON Lines).

    → {"type": "hello", "protocol": 1}
    ← {"type": "hello", "name": …, "version": …, "languages": […], "level": "row"}
    → {"type": "case", "id": …, "language": …, "query": …, "streams": {…}, "kb": {…}, …}
    ← {"type": "result", "id": …, "results": […]}
      | {"type": "unsupported", "id": …, "reason": …} | {"type": "error", "id": …, "message": …}

Each answer may have `translated`, the query in the engine's own language.

Whatever else the child does (goes down, keeps silent, says something that is not the protocol)
ends the child, not the run: it is started again for the next case.
"""

from __future__ import annotations

import copy
import json
import os
import re
import selectors
import subprocess
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any
from uuid import uuid4

from ...semantics.model.errors import UnsupportedError
from ..cases.case import Case
from ..checking.levels import LEVELS, Level
from ..results.json_objects import brief
from .capabilities import CapabilityError, Names, capabilities_of
from .cpu_wait import Charge, descendants
from .engine import CEILING, EngineCrash, EngineError, EngineTimeout, TaskError
from .worker_process import dying_with_this, kill_tree, signal_name

PROTOCOL = 1

LONGEST_LINE = 1 << 26
"""Bytes of an answer, of which there may be no more."""

MOST_COMPLAINTS = 1 << 26
"""Bytes on stderr while one answer is waited for."""

_ANSWERS = ("result", "unsupported", "error")
_STDERR_KEPT = 4000  # bytes
_PIECE = 1 << 16  # bytes, as many as a pipe holds
_PIECES = 16
_LONGEST_TRANSLATION = 10_000  # characters
_SHOWN = 1000  # bytes of a line that may be as long as it likes
_GLANCE = 0.25  # seconds between looks at a child that says nothing
_FAREWELL = 5.0  # seconds that it has to say how it ended, once it has closed its stdout
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_HOPELESS = 3  # failed starts in a row after which no further one is tried


class AdapterEngine:
    """An engine behind a command; started at the first case that needs it."""

    keeps_time = True
    speaks_later = True

    def __init__(
        self, words: Sequence[str], *, timeout: float, folder: str | None = None
    ) -> None:
        self.words = tuple(words)
        self.folder = folder
        self.timeout = timeout
        self.name = f"command:{' '.join(words)}"
        self.version = ""
        self.languages: Sequence[str] = ()
        self.level: Level = "pair"
        self.capabilities: dict[str, Names] = {}
        self.translated = ""
        self._child: AdapterProcess | None = None
        self._asked = 0
        self._failed_starts = 0
        self._last_failure: EngineCrash | EngineTimeout | None = None
        # Started here once, so that a program that does not exist is bad input, not a verdict.
        self._child = self._spawn()

    def run(self, case: Case) -> list[Any]:
        """Return the adapter's results; raise what `checking` turns into other verdicts."""
        self.translated = ""
        child = self._greeted()
        if case.language_name not in self.languages:
            raise UnsupportedError(f"{self.name} does not support {case.language_name}")
        message = self._message(case)
        self._asked += 1
        # No two cases have one id, whatever they are called: an answer is to one question only.
        message["id"] = f"{self._asked}: {case.id}"
        try:
            answer = child.ask(message, self.timeout)
            self.translated = _translation(answer) or self.translated
            return self._results(answer, message["id"], child)
        except (EngineCrash, EngineTimeout):
            self._end()
            raise

    def _message(self, case: Case) -> dict[str, Any]:
        return case.message()

    def start(self) -> None:
        """Start the process, if there is none, without waiting for its greeting."""
        if self._child is None or self._child.gone():
            self._end()
            self._child = self._spawn()

    def greet(self) -> None:
        """Learn from the child what it takes; raises what `checking` turns into a verdict."""
        self._greeted()

    def close(self) -> None:
        """End the child."""
        self._end()

    def restart(self) -> None:
        """Have the next case asked in a new process."""
        self._end()

    def _greeted(self) -> AdapterProcess:
        if self._failed_starts >= _HOPELESS and self._last_failure is not None:
            raise copy.copy(self._last_failure)
        if self._child is not None and self._child.gone():
            self._end()
        child = self._child = self._child or self._spawn()
        if child.greeted:
            return child
        try:
            self._take_greeting(child.ask({"type": "hello", "protocol": PROTOCOL}, self.timeout))
        except (EngineCrash, EngineTimeout) as failure:
            self._failed_starts += 1
            self._last_failure = failure
            self._end()
            raise
        child.greeted = True
        self._failed_starts = 0
        return child

    def _take_greeting(self, hello: dict[str, Any]) -> None:
        if hello.get("type") != "hello":
            raise EngineCrash(
                f"invalid hello message: expected type 'hello', got {brief(hello.get('type'))}"
            )
        if hello.get("protocol", PROTOCOL) != PROTOCOL:
            raise EngineCrash(
                f"invalid hello message: expected protocol {PROTOCOL}, got {hello['protocol']}"
            )
        languages, level = hello.get("languages"), hello.get("level", "pair")
        if not isinstance(languages, list) or not all(isinstance(n, str) for n in languages):
            raise EngineCrash("invalid hello message: 'languages' must be a list of names")
        if level not in LEVELS:
            raise EngineCrash(f"invalid hello message: unknown comparison level {brief(level)}")
        self.name = brief(hello.get("name") or self.name)
        self.version = brief(hello.get("version") or "")
        try:
            said = dict(hello.get("capabilities") or {})
            self.capabilities |= {name: capabilities_of(name, said[name]) for name in said}
        except (CapabilityError, TypeError, ValueError) as error:
            raise EngineCrash(f"invalid hello message: {error}") from None
        self.languages, self.level = languages, level

    def _results(self, answer: dict[str, Any], id: str, child: AdapterProcess) -> list[Any]:
        if answer.get("type") in _ANSWERS and answer.get("id") != id:
            raise EngineCrash(
                f"invalid message: expected id {brief(id)}, got {brief(answer.get('id'))}",
                child.stderr(),
            )
        return answered(answer, child.stderr)

    def _spawn(self) -> AdapterProcess:
        return spawned(self.words, self.folder)

    def _end(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None


def spawned(words: Sequence[str], folder: str | None = None) -> AdapterProcess:
    """Return a process of a program; raises EngineError if it cannot be started."""
    try:
        return AdapterProcess(words, folder)
    except (OSError, ValueError) as error:  # ValueError: a NUL in its name
        reason = getattr(error, "strerror", None) or error
        raise EngineError(f"engine 'command:{words[0]}': {reason}") from error


def answered(answer: Mapping[str, Any], stderr: Callable[[], str] = str) -> list[Any]:
    """Return the results in an answer to a case; raise the error that stands in their place."""
    kind = answer.get("type")
    if kind not in _ANSWERS:
        raise EngineCrash(
            f"invalid message: expected a result or an error, got type {brief(kind)}", stderr()
        )
    if kind == "unsupported":
        raise UnsupportedError(brief(answer.get("reason") or "no reason given", _SHOWN))
    if kind == "error":
        raise TaskError(brief(answer.get("message") or "no message given", _SHOWN))
    results = answer.get("results")
    if not isinstance(results, list):
        raise EngineCrash("invalid result: 'results' must be a list", stderr())
    return results


def _translation(answer: Mapping[str, Any]) -> str:
    """Return the query in the engine's own language, '' if the answer does not have it."""
    text = answer.get("translated", "")
    if not isinstance(text, str):
        raise EngineCrash(f"invalid result: 'translated' must be a string, got {brief(text)}")
    return text[:_LONGEST_TRANSLATION]


_MARK = "DENOTA_ENGINE"  # the variable by which orphans of a program are known


def _is_marked(pid: int, mark: str) -> bool:
    try:
        return mark.encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False


class AdapterProcess:
    """One process, its pipes and what it said on stderr."""

    def __init__(self, words: Sequence[str], folder: str | None) -> None:
        self._mark = f"{_MARK}={uuid4()}"
        name, _, value = self._mark.partition("=")
        # A session of its own, so that whatever the program starts can be ended with it.
        self.process = subprocess.Popen(
            words,
            cwd=folder,
            env={**os.environ, name: value},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            preexec_fn=dying_with_this(),  # however this process ends
        )
        pipes = (self.process.stdin, self.process.stdout, self.process.stderr)
        self.to_child, self.from_child, self.complaints = (
            pipe.fileno() for pipe in pipes if pipe is not None
        )
        for pipe in (self.to_child, self.from_child, self.complaints):
            os.set_blocking(pipe, False)
        self.greeted = False
        self._lines: deque[bytes] = deque()
        self._begun = bytearray()
        self._said = b""
        self._complained = 0
        self._unsent = bytearray()
        self._last = self._hung_up = False

    def ask(self, message: Mapping[str, Any], timeout: float) -> dict[str, Any]:
        """Send one line and return the next line that comes back."""
        self._receive()
        if said := self._line() or bytes(self._begun):
            shown = brief(said[:_SHOWN].decode(errors="replace"))
            raise self._crash(f"unexpected message without a request: {shown}")
        self._listen()
        self._said, self._complained = b"", 0  # what it said of earlier cases explains no other
        self.tell(json.dumps(message, ensure_ascii=False))
        return self.answer(timeout)

    def tell(self, line: str) -> None:
        """Have one line sent while answers are waited for."""
        self._unsent += line.encode() + b"\n"

    def answer(self, timeout: float) -> dict[str, Any]:
        """Return the object in its next line."""
        line = self._next_line(timeout)
        try:
            answer = json.loads(line)
            if _SURROGATE.search(line):
                json.dumps(answer, ensure_ascii=False).encode()
        except RecursionError:
            raise self._crash("invalid message: nested too deeply") from None
        except ValueError as error:
            kind = "Unicode" if isinstance(error, UnicodeEncodeError) else "JSON"
            shown = brief(line.decode(errors="replace"))
            raise self._crash(f"invalid message: expected {kind}, got {shown}") from None
        if not isinstance(answer, dict):
            raise self._crash(f"invalid message: expected an object, got {brief(answer)}")
        return answer

    def hang_up(self) -> None:
        """Close its stdin as soon as all is sent."""
        self._last = True

    def gone(self) -> bool:
        """Return True if the process has exited."""
        return self.process.poll() is not None

    def stderr(self) -> str:
        """Return the last lines of its stderr."""
        self._listen()
        return self._said.decode(errors="replace").strip()

    def end(self) -> None:
        """End the process and what it started."""
        kill_tree(self.process.pid)
        self.process.wait()
        for orphan in descendants(os.getpid()):  # of a program that ended before they did
            if _is_marked(orphan, self._mark):
                kill_tree(orphan)
                with suppress(ChildProcessError):
                    os.waitpid(orphan, 0)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def _next_line(self, timeout: float) -> bytes:
        began = looked = monotonic()
        charge = Charge(self.process.pid, began)
        with selectors.DefaultSelector() as selector:
            selector.register(self.from_child, selectors.EVENT_READ)
            selector.register(self.complaints, selectors.EVENT_READ)
            if not self._hung_up:
                selector.register(self.to_child, selectors.EVENT_WRITE)
            while True:
                ready = {key.fd for key, _ in selector.select(_GLANCE)}
                gone = not ready and self.gone()
                if self.complaints in ready and not self._listen():
                    selector.unregister(self.complaints)
                closed = self.from_child in ready and not self._receive()
                now = monotonic()
                # Also if what is asked for has come now.
                if now - began > CEILING * timeout:
                    raise EngineTimeout(timeout, self.stderr(), by_clock=True)
                if now - looked > _GLANCE or now - began > timeout:
                    looked = now
                    if charge.seconds(now) > timeout:
                        raise EngineTimeout(timeout, self.stderr())
                if self._complained > MOST_COMPLAINTS:
                    raise self._crash(
                        f"the engine process wrote more than {MOST_COMPLAINTS:,} bytes to stderr "
                        "on one case"
                    )
                if line := self._line():
                    return line
                # What it has started may still hold the pipe, but will not answer for it.
                if closed or gone:
                    raise self._ended()
                if self.to_child in ready:
                    self._send()
                    if not self._unsent:
                        selector.unregister(self.to_child)
                        self._close_its_stdin()

    def _line(self) -> bytes:
        """Return the next line that is not blank; nothing if there is none."""
        while self._lines:
            if line := self._lines.popleft().strip():
                return line
        return b""

    def _receive(self) -> bool:
        """Take from its stdout what is there; whether it is open."""
        try:
            chunk = os.read(self.from_child, _PIECE)
        except BlockingIOError:
            return True
        *lines, begun = chunk.split(b"\n")
        if lines:
            self._lines.append(bytes(self._begun) + lines[0])
            self._lines.extend(lines[1:])
            self._begun.clear()
        self._begun += begun
        if len(self._begun) > LONGEST_LINE:
            raise self._crash(f"invalid message: longer than {LONGEST_LINE:,} bytes")
        return bool(chunk)

    def _listen(self) -> bool:
        """Take from its stderr what is there, but no more than it can say at once."""
        with suppress(BlockingIOError):
            for _ in range(_PIECES):
                chunk = os.read(self.complaints, _PIECE)
                if not chunk:
                    return False
                self._complained += len(chunk)
                self._said = (self._said + chunk)[-_STDERR_KEPT:]
        return True

    def _send(self) -> None:
        try:
            del self._unsent[: os.write(self.to_child, self._unsent)]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            raise self._ended() from None

    def _close_its_stdin(self) -> None:
        if self._last and self.process.stdin is not None:
            self.process.stdin.close()
            self._hung_up = True

    def _ended(self) -> EngineCrash:
        try:
            code = self.process.wait(timeout=_FAREWELL)
        except subprocess.TimeoutExpired:
            return self._crash("the engine process closed its standard output")
        how = f"signal {signal_name(-code)}" if code < 0 else f"exit code {code}"
        return self._crash(f"the engine process exited with {how}")

    def _crash(self, reason: str) -> EngineCrash:
        return EngineCrash(reason, self.stderr())
