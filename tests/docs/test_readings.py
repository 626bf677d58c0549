"""The page of the readings says of each default that is not the paper's letter that it is not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import denota
from denota.oracle.cases.case_reader import read_case
from denota.oracle.checking.case_checker import check_case
from denota.oracle.engines.builtin import Oracle, Production
from denota.semantics.ceql.syntax.readings import Readings as Ceql
from denota.semantics.cqels.syntax.readings import Readings as Cqels
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
        "kleene", "negation", "rivals", "consumption", "exists", "leftjoin", "optionalfilter",
        "solutions", "body", "answers",
    }
    for name, default, letter_name, letter in rows:
        assert choices[name][0] == default
        if letter:
            assert letter_name == name
            assert letter in choices[name][1:]
    letters = {name: letter for name, _, _, letter in rows if letter}
    assert letters == {**Spaseq.letter, **Rsepql.letter, **Epsparql.letter}
    assert not Ceql.letter
    assert not Cqels.letter


CASES = re.findall(
    r"^\| [\w-]+ \| `\w+=[\w-]+` \| `\w+=[\w-]+` \|.*\(\.\./(corpus/\S+)\) \|$",
    PAGE.read_text(encoding="utf-8"), re.MULTILINE,
)


def test_each_letter_has_a_case() -> None:
    assert len(CASES) == len({**Spaseq.letter, **Rsepql.letter, **Epsparql.letter})


@pytest.mark.parametrize("path", CASES)
def test_the_letter_and_the_defaults_differ_on_the_case(path: str, tmp_path: Path) -> None:
    text = (PAGE.parents[1] / path).read_text(encoding="utf-8")
    outcomes = []
    for readings in ("readings: letter", "readings: {}"):
        changed = tmp_path / "one.case.yaml"
        changed.write_text(re.sub(r"^readings: .*", readings, text, flags=re.MULTILINE))
        case = read_case(changed)
        outcomes.append((check_case(case, Oracle()).ok, check_case(case, Production()).ok))
    assert outcomes == [(True, True), (False, False)]


def test_a_reading_beside_the_letter_overrides_it() -> None:
    named = {"preset": "letter", "solutions": "bags"}
    assert Epsparql.of(named) == Epsparql(leftjoin="paper", optionalfilter="paper")
    assert Epsparql.of("letter") == Epsparql(**Epsparql.letter)  # type: ignore[arg-type]
