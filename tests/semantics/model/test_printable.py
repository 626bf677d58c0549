"""Text from data commands no terminal."""

from __future__ import annotations

import json

import pytest

from denota.semantics.model.errors import DenotaError
from denota.semantics.model.printable import printable, printable_json

HOSTILE = [
    "\x00", "\x07", "\x08", "\r", "\x1b[2J", "\x1b]0;title\x07", "\x7f", "\x9b31m", "\u200b",
    "\u202e", "\u2066", "\ufeff", "\u2028", "\u00ad", "\U000e0041", "\udc80", "\ue000",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_hostile_is_escaped(text: str) -> None:
    assert printable(text).isprintable()
    assert str(DenotaError(f"a{text}b", source=f"s{text}t")).isprintable()
    written = printable_json({text: text})
    assert written.isprintable()
    assert json.loads(written) == {text: text}


@pytest.mark.parametrize(
    "text", ["", "plain", "Grüße, ⋈ ∪ τ′", "日本語", "𝟘 🙂", "e\u0301", "\u00a0"]
)
def test_what_is_seen_stays(text: str) -> None:
    assert printable(text) == text


def test_lines_may_stay() -> None:
    assert printable("a\n\tb\x1b", keep="\n\t") == "a\n\tb\\u001b"
