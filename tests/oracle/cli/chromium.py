"""A headless Chromium, driven by the DevTools protocol through pipes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which(
    "google-chrome"
)

# The protocol's pipes are the file descriptors 3 and 4.
_AS_3_AND_4 = """
import fcntl, os, sys
pipes = [fcntl.fcntl(int(pipe), fcntl.F_DUPFD, 10) for pipe in sys.argv[1:3]]
os.dup2(pipes[0], 3)
os.dup2(pipes[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Tab:
    """A page of the browser."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._to_browser = to_browser
        self._from_browser = from_browser
        self._received = b""
        self._asked = 0
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]

    _session = ""

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Return the result of a command."""
        self._asked += 1
        message = {"id": self._asked, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to_browser, json.dumps(message).encode() + b"\0")
        while True:
            answer = json.loads(self._next())
            if answer.get("id") == self._asked:
                assert "result" in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    def _next(self) -> bytes:
        while b"\0" not in self._received:
            more = os.read(self._from_browser, 1 << 16)
            assert more, "the browser has ended"
            self._received += more
        message, _, self._received = self._received.partition(b"\0")
        return message

    def value(self, expression: str) -> Any:
        """Return the value of a JavaScript expression, a promise's when it is kept."""
        found = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, condition: str) -> None:
        """Wait until a JavaScript expression is true; fail after 10,000 looks."""
        self.value(
            "new Promise((done, fail) => { let looks = 0; const look = () => "
            f"({condition}) ? done(true) : ++looks < 10000 ? setTimeout(look, 20)"
            f" : fail({json.dumps(condition)}); look(); }})"
        )

    def open(self, address: str) -> None:
        """Open an address, and wait until the page says that it is ready."""
        self.call("Page.navigate", url="about:blank")
        self.until("location.href === 'about:blank'")
        self.call("Page.navigate", url=address)
        self.until("document.body && document.body.dataset.ready === 'yes'")


@contextmanager
def tab(profile: Path) -> Iterator[Tab]:
    """Start a browser with a profile folder; its one tab. It ends with the context."""
    assert PROGRAM is not None
    requests, to_browser = os.pipe()
    from_browser, replies = os.pipe()
    browser = subprocess.Popen(
        [sys.executable, "-c", _AS_3_AND_4, str(requests), str(replies), PROGRAM, "--headless",
         "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--window-size=1500,1400",
         f"--user-data-dir={profile}"],
        pass_fds=(requests, replies), stderr=subprocess.DEVNULL,
    )
    os.close(requests)
    os.close(replies)
    try:
        found = Tab(to_browser, from_browser)
        yield found
        found._session = ""
        found.call("Browser.close")
    finally:
        os.close(to_browser)
        os.close(from_browser)
        browser.terminate()
        browser.wait()
