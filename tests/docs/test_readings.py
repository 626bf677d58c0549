"""The page of the readings says of each default that is not the paper's letter that it is not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import denota
from denota.semantics.epsparql.syntax.readings import Readings as Epsparql
from denota.semantics.rsepql.syntax.readings import Readings as Rsepql
from denota.semantics.spaseq.syntax.readings import Readings as Spaseq

PAGE = Path(denota.__file__).resolve().parent / "docs" / "readings.md"

if not PAGE.is_file():
    pytest.skip("docs/ is not part of an installed package", allow_module_level=True)


def test_the_defaults_that_are_not_the_letter_are_defaults_and_the_letters_choices() -> None:
    text = PAGE.read_text(encoding="utf-8")
    choices = {**Spaseq.choices(), **Rsepql.choices(), **Epsparql.choices()}
    rows = re.findall(
        r"^\| [\w-]+ \| `(\w+)=([\w-]+)` \| (?:`(\w+)=([\w-]+)`|none) \|", text, re.MULTILINE
    )
    assert {name for name, *_ in rows} == {
        "kleene", "negation", "rivals", "consumption", "leftjoin", "optionalfilter", "solutions",
    }
    for name, default, letter_name, letter in rows:
        assert choices[name][0] == default
        if letter:
            assert letter_name == name
            assert letter in choices[name][1:]
