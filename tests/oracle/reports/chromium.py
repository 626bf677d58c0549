"""A headless Chromium, spoken to in its own protocol over a pipe; what needs one skips without."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
PROGRAM = next(filter(None, map(shutil.which, PROGRAMS)), None)


class Page:
    """A tab that shows one file; `said` is what its console and its errors have said."""

    def __init__(self, reading: int, writing: int) -> None:
        self.reading, self.writing = reading, writing
        self.waiting = b""
        self.number = 0
        self.said: list[str] = []
        self.loaded = False
        self.session: str | None = None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable")

    def show(self, path: Path, width: int, *, dark: bool = False) -> None:
        """Load a file in a window of this width."""
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=844, deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.ask("Emulation.setEmulatedMedia", features=scheme)
        self.loaded = False
        shown = self.ask("Page.navigate", url=path.resolve().as_uri())
        assert "errorText" not in shown, shown
        while not self.loaded:
            self.take(self.read())

    def value(self, expression: str) -> Any:
        """What an expression has for a value in the page."""
        found = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def picture(self, path: Path) -> None:
        """Write what the page looks like, all of it."""
        found = self.ask("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(found["data"]))

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self.number += 1
        message: dict[str, Any] = {"id": self.number, "method": method, "params": params}
        if self.session is not None:
            message["sessionId"] = self.session
        os.write(self.writing, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self.take(answer)

    def take(self, event: dict[str, Any]) -> None:
        """What the browser says unasked."""
        if event.get("method") == "Page.loadEventFired":
            self.loaded = True
        if event.get("method") in (
            "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"
        ):
            self.said.append(json.dumps(event["params"]))

    def read(self) -> dict[str, Any]:
        while b"\0" not in self.waiting:
            found = os.read(self.reading, 1 << 16)
            assert found, "the browser has ended"
            self.waiting += found
        line, _, self.waiting = self.waiting.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        return message


@contextmanager
def browser() -> Iterator[Page]:
    """A page in a browser of its own."""
    assert PROGRAM is not None
    to_it, from_us = os.pipe()
    to_us, from_it = os.pipe()

    def take_pipes() -> None:
        low = [os.dup(each) for each in (to_it, from_it)]
        os.dup2(low[0], 3)
        os.dup2(low[1], 4)

    # Helpers of the browser may write for a moment longer than it lives.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-dev-shm-usage", "--remote-debugging-pipe", f"--user-data-dir={profile}"],
            preexec_fn=take_pipes, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
        )
        os.close(to_it)
        os.close(from_it)
        try:
            yield Page(to_us, from_us)
        finally:
            process.terminate()
            process.wait()
            os.close(from_us)
            os.close(to_us)
