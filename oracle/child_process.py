"""The judge's side of the adapter protocol: a foreign engine in a child process (JSON Lines).

    → {"type": "hello", "protocol": 1}
    ← {"type": "hello", "name": …, "version": …, "languages": […], "level": "row"}
    → {"type": "case", "id": …, "language": …, "query": …, "streams": {…}, "kb": {…}, …}
    ← {"type": "result", "id": …, "results": […]}
      | {"type": "unsupported", "id": …, "reason": …} | {"type": "error", "id": …, "message": …}

Whatever else the child does (goes down, keeps silent, says something that is not the protocol)
ends the child, not the run: it is started again for the next case.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic
from typing import Any

from ..semantics.errors import UnsupportedError
from .comparison import LEVELS, Level
from .engines import EngineCrash, EngineError, EngineTimeout, TaskError
from .tasks import Task

PROTOCOL = 1

_STDERR_KEPT = 4000  # bytes
_HOPELESS = 3  # failed starts in a row after which no further one is tried


class ChildEngine:
    """An engine behind a command; started at the first case that needs it."""

    keeps_time = True
    speaks_later = True

    def __init__(self, words: Sequence[str], *, timeout: float) -> None:
        self.words = tuple(words)
        self.timeout = timeout
        self.name = f"command:{' '.join(words)}"
        self.version = ""
        self.languages: Sequence[str] = ()
        self.level: Level = "pair"
        self._child: _Child | None = None
        self._failed_starts = 0
        self._last_failure: EngineCrash | EngineTimeout | None = None
        # Started here once, so that a program that does not exist is bad input, not a verdict.
        self._child = self._spawn()

    def run(self, task: Task) -> list[Any]:
        """The child's results; raises what `judging` turns into the other verdicts."""
        child = self._greeted()
        if task.language_name not in self.languages:
            raise UnsupportedError(f"{self.name} does not take {task.language_name}")
        message = task.message()
        try:
            answer = child.ask(message, self.timeout)
            return self._results(answer, message["id"], child)
        except (EngineCrash, EngineTimeout):
            self._end()
            raise

    def greet(self) -> None:
        """Learn from the child what it takes; raises what `judging` turns into a verdict."""
        self._greeted()

    def close(self) -> None:
        """End the child."""
        self._end()

    def _greeted(self) -> _Child:
        if self._failed_starts >= _HOPELESS and self._last_failure is not None:
            raise self._last_failure
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
            raise EngineCrash(f"the child answered 'hello' with {_brief(hello)}")
        if hello.get("protocol", PROTOCOL) != PROTOCOL:
            raise EngineCrash(f"the child speaks protocol {hello['protocol']}, not {PROTOCOL}")
        languages, level = hello.get("languages"), hello.get("level", "pair")
        if not isinstance(languages, list):
            raise EngineCrash("the child's hello has no 'languages', a list")
        if level not in LEVELS:
            raise EngineCrash(f"the child's hello has the unknown level {_brief(level)}")
        self.name = str(hello.get("name") or self.name)
        self.version = str(hello.get("version") or "")
        self.languages, self.level = languages, level

    def _results(self, answer: dict[str, Any], id: str, child: _Child) -> list[Any]:
        kind = answer.get("type")
        if kind not in ("result", "unsupported", "error"):
            raise EngineCrash(f"the child answered a case with {_brief(answer)}", child.stderr())
        if answer.get("id") != id:
            raise EngineCrash(
                f"the child answered case {_brief(answer.get('id'))}, asked was {_brief(id)}",
                child.stderr(),
            )
        if kind == "unsupported":
            raise UnsupportedError(str(answer.get("reason") or "no reason given"))
        if kind == "error":
            raise TaskError(str(answer.get("message") or "no message given"))
        results = answer.get("results")
        if not isinstance(results, list):
            raise EngineCrash("the child's result has no 'results', a list", child.stderr())
        return results

    def _spawn(self) -> _Child:
        try:
            return _Child(self.words)
        except OSError as error:
            reason = error.strerror or error
            raise EngineError(f"engine 'command:{self.words[0]}': {reason}") from error

    def _end(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None


class _Child:
    """One process, its pipes and what it said on stderr."""

    def __init__(self, words: Sequence[str]) -> None:
        # A session of its own, so that whatever the program starts can be ended with it.
        self.process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.to_child = self.process.stdin.fileno()
        self.from_child = self.process.stdout.fileno()
        os.set_blocking(self.to_child, False)
        os.set_blocking(self.from_child, False)
        self.greeted = False
        self._lines: deque[bytes] = deque()
        self._begun: list[bytes] = []
        self._said = b""
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def ask(self, message: dict[str, Any], timeout: float) -> dict[str, Any]:
        """Send one line and return the next line that comes back."""
        line = self._exchange(json.dumps(message, ensure_ascii=False).encode() + b"\n", timeout)
        try:
            answer = json.loads(line)
        except ValueError:
            shown = _brief(line.decode(errors="replace"))
            raise EngineCrash(
                f"the child said something that is not JSON: {shown}", self.stderr()
            ) from None
        if not isinstance(answer, dict):
            raise EngineCrash(f"the child's line is not an object: {_brief(answer)}", self.stderr())
        return answer

    def gone(self) -> bool:
        """Whether the process has ended."""
        return self.process.poll() is not None

    def stderr(self) -> str:
        """The last lines of its stderr."""
        if self.gone():
            self._listener.join(timeout=1.0)
        return self._said.decode(errors="replace").strip()

    def end(self) -> None:
        """End the process and what it started."""
        with suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._listener.join(timeout=1.0)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def _exchange(self, outgoing: bytes, timeout: float) -> bytes:
        deadline = monotonic() + timeout
        with selectors.DefaultSelector() as selector:
            selector.register(self.from_child, selectors.EVENT_READ)
            selector.register(self.to_child, selectors.EVENT_WRITE)
            while True:
                while self._lines:
                    if line := self._lines.popleft().strip():
                        return line
                remaining = deadline - monotonic()
                if remaining <= 0:
                    raise EngineTimeout(timeout, self.stderr())
                for key, _ in selector.select(remaining):
                    if key.fd == self.from_child:
                        self._receive()
                    else:
                        outgoing = self._send(outgoing)
                        if not outgoing:
                            selector.unregister(self.to_child)

    def _receive(self) -> None:
        chunk = os.read(self.from_child, 1 << 16)
        if not chunk:
            raise self._ended()
        *lines, begun = chunk.split(b"\n")
        if lines:
            lines[0] = b"".join(self._begun) + lines[0]
            self._lines.extend(lines)
            self._begun = []
        self._begun.append(begun)

    def _send(self, outgoing: bytes) -> bytes:
        try:
            return outgoing[os.write(self.to_child, outgoing):]
        except BlockingIOError:
            return outgoing
        except BrokenPipeError:
            raise self._ended() from None

    def _ended(self) -> EngineCrash:
        try:
            code = self.process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            return EngineCrash("the child closed its end of the pipe", self.stderr())
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return EngineCrash(f"the child ended with {how}", self.stderr())

    def _listen(self) -> None:
        assert self.process.stderr is not None
        with suppress(ValueError, OSError):
            while chunk := os.read(self.process.stderr.fileno(), 1 << 16):
                self._said = (self._said + chunk)[-_STDERR_KEPT:]


def _brief(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = " ".join(text.split())
    return text if len(text) <= 80 else text[:79] + "…"
