"""The page of `denota play` in a real browser."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from .chromium import PROGRAM, tab

pytestmark = [
    pytest.mark.skipif(
        PROGRAM is None, reason="no Chromium: apt-get install chromium"
    ),
    pytest.mark.skipif(
        find_spec("starlette") is None or find_spec("uvicorn") is None,
        reason="the page requires Starlette and uvicorn: pip install '.[play]'",
    ),
]


@pytest.fixture
def address() -> Iterator[str]:
    """The address of a page that is served."""
    serving = subprocess.Popen(
        [sys.executable, "-m", "denota", "play", "--no-browser", "--port", "0",
         "--time-limit", "60"],
        stdout=subprocess.PIPE, text=True,
    )
    assert serving.stdout is not None
    with serving:
        try:
            yield serving.stdout.readline().split()[0]
        finally:
            serving.send_signal(signal.SIGINT)
            code = serving.wait()
    assert code == 0


def test_a_visit(address: str, tmp_path: Path) -> None:
    with tab(tmp_path) as page:
        page.open(address)
        assert page.value("menu.examples.length") > 200
        rows = "document.querySelectorAll('#matches tbody tr')"
        assert page.value(f"{rows}.length") == 1
        assert page.value("document.getElementById('picture').decode().then(() => true)")

        # A match, and a row that is missing, are explained.
        page.value(f"{rows}[0].click()")
        explanation = "document.getElementById('explanation').innerText"
        page.until(f"{explanation}.includes('Match 1 of 1')")
        assert page.value("document.querySelectorAll('#explanation .matched').length") > 0
        page.value("$('missing').value = '{h: \":H1\"}'; $('missing-form').requestSubmit()")
        page.until(f"{explanation}.includes('does not return ?h')")

        # Another example, its other reading, and where the two differ.
        page.value("example('errata/spaseq/SPA-5-last')")
        before = page.value("$('matches').innerText")
        page.value("document.querySelector('#readings input[value=join]').click()")
        page.until("request === null")
        assert page.value("$('matches').innerText") != before
        page.value("$('comparing').click(); $('distinguish').click()")
        page.until("!$('difference').hidden")
        assert "kleene=join" in page.value("$('difference').innerText")

        # The link restores it all in a page that is opened anew.
        page.value("save()")
        link, inputs = page.value("location.href"), page.value("JSON.stringify(state())")
        assert '"kleene":"join"' in inputs
        page.open(link)
        assert page.value("JSON.stringify(state())") == inputs
        assert page.value("$('comparing').checked") is True

        # An example replaces the inputs, and "Back" brings them back.
        page.value("example('papers/ceql/figure-1-q2')")
        assert page.value("language.name") == "ceql"
        page.value("history.back()")
        page.until("language.name === 'spaseq' && request === null")
        assert page.value("JSON.stringify(state())") == inputs

        # Input is no markup, and an error has its place.
        page.value("window.harmed = false; $('query').value ="
                  " '<img src=x onerror=harmed=true>'; evaluate()")
        page.until("$('status').className === 'error'")
        assert page.value("$('status').innerText").startswith("query:1:")
        assert page.value("window.harmed || document.images.length > 1") is False
        refused = page.value(
            "new Promise(done => { document.addEventListener('securitypolicyviolation',"
            " event => done(event.effectiveDirective));"
            " fetch('https://example.org/').catch(() => {}); })"
        )
        assert refused == "connect-src"


def test_a_damaged_link_says_so(address: str, tmp_path: Path) -> None:
    with tab(tmp_path) as page:
        page.open(address + "#damaged")
        assert "the link is damaged" in page.value("$('status').innerText")
