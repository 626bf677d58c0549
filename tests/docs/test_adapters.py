"""The page on adapters shows messages as they are; answers in the order of the engine."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import denota
from denota.oracle.cases.case_reader import read_case
from denota.oracle.engines.adapter import respond
from denota.oracle.engines.builtin import Production

ROOT = Path(denota.__file__).resolve().parent
SHOWN = {"spaseq": "first", "rsepql": "first", "cqels": "sequence", "epsparql": "first",
         "ceql": "declared-type"}  # fmt: skip


def line(message: dict[str, Any]) -> str:
    """A message, with its longer fields on lines of their own."""
    fields = [
        f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
        for key, value in message.items()
    ]
    short = ", ".join(field for field in fields if len(field) <= 20)
    return "{" + ",\n ".join([short, *(field for field in fields if len(field) > 20)]) + "}"


@pytest.mark.parametrize("language", SHOWN)
def test_the_page_shows_a_message_of_each_language(language: str) -> None:
    page = (ROOT / "docs" / "adapters.md").read_text(encoding="utf-8")
    case = read_case(ROOT / "corpus" / "adapters" / language / f"{SHOWN[language]}.case.yaml")
    message = case.message()
    shown = re.search(rf"<!-- message: {language} -->\n```json\n(.*?)\n```", page, re.DOTALL)
    assert shown is not None
    assert shown[1] == f"{line(message)}\n{json.dumps(respond(Production(), message))}"
