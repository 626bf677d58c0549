"""What docs/findings says is what its cases show, and what the engines still answer."""

from __future__ import annotations

import importlib.util
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import denota
from denota.oracle.cases.reading import read_case
from denota.oracle.engines.engine import Engine, EngineError, close
from denota.oracle.engines.naming import PEERS, engine
from denota.oracle.engines.peers.python_packages import interpreter, peer
from denota.oracle.fuzzing.failure_causes import shape_of
from denota.oracle.fuzzing.known_differences import read_known
from denota.oracle.fuzzing.other_readings import is_read_so
from denota.oracle.judging.judge import expectation_of, judge
from denota.oracle.judging.verdicts import Outcome

ROOT = Path(denota.__file__).resolve().parent
DOCS = ROOT / "docs" / "findings"
CORPUS = ROOT / "corpus" / "peers"
LONG = 600.0  # seconds that nobody waits for

if not (DOCS / "pages.py").is_file():
    pytest.skip("docs/ is not part of an installed package", allow_module_level=True)

_SPEC = importlib.util.spec_from_file_location("finding_pages", DOCS / "pages.py")
assert _SPEC is not None
assert _SPEC.loader is not None
pages: Any = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(pages)

ENGINES: list[str] = pages.engines()
of_each_engine = pytest.mark.parametrize("name", ENGINES)


def test_engines_with_findings_can_be_judged() -> None:
    assert ENGINES
    assert set(ENGINES) <= set(PEERS)


@of_each_engine
def test_the_page_is_made_of_what_is_written_down(name: str) -> None:
    shown = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    assert shown == pages.page(name), "run: python docs/findings/pages.py"


def test_the_index_counts_the_findings() -> None:
    shown = (DOCS / "index.md").read_text(encoding="utf-8")
    assert shown == pages.index(shown), "run: python docs/findings/pages.py"


@of_each_engine
def test_every_finding_is_whole_and_every_case_is_one(name: str) -> None:
    found = pages.findings_of(name)
    assert found["engine"] == name
    cases = []
    for finding in found["findings"]:
        assert finding["sort"] in pages.SORTS
        assert finding["document"] in found["documents"]
        assert finding["cases"]
        by = {"reading", "ruling"} & set(finding)
        assert len(by) == (finding["sort"] == "meaning")
        if "ruling" in finding:
            rulings = ROOT / "corpus" / "rulings" / finding["language"]
            assert (rulings / f"{finding['ruling']}.case.yaml").is_file()
        cases += [shown["case"] for shown in finding["cases"]]
    there = {path.name.removesuffix(".case.yaml") for path in (CORPUS / name).glob("*.case.yaml")}
    assert sorted(cases) == sorted(there)


@of_each_engine
def test_what_no_case_shows_can_be_filed(name: str) -> None:
    found = pages.findings_of(name)
    for finding in found.get("beside", []):
        assert finding["sort"] in pages.SORTS
        assert finding["document"] in found["documents"]
        assert finding["reproduce"]
        assert "cases" not in finding


@of_each_engine
def test_its_known_differences_can_be_read_and_are_about_it(name: str) -> None:
    for known in read_known(CORPUS / f"{name}.known.yaml"):
        assert known.engine == name


@pytest.fixture(scope="module")
def runtimes() -> Iterator[dict[str, Engine]]:
    made: dict[str, Engine] = {}
    yield made
    for each in made.values():
        close(each)


def runtime(name: str, made: dict[str, Engine]) -> Engine:
    if name not in made:
        try:
            made[name] = engine(name, timeout=LONG)
        except EngineError as error:
            pytest.skip(str(error))
    return made[name]


@pytest.mark.parametrize(("name", "finding"), [
    pytest.param(name, finding, id=f"{name}-{finding['name']}")
    for name in ENGINES for finding in pages.findings_of(name)["findings"]
])
def test_the_engine_answers_as_the_page_says(
    name: str, finding: dict[str, Any], runtimes: dict[str, Engine]
) -> None:
    judged = runtime(name, runtimes)
    about = pages.findings_of(name)["version"]
    for shown in finding["cases"]:
        case = read_case(pages.case_path(name, shown["case"]))
        verdict = judge(case, judged, timeout=LONG)
        if judged.version != about:
            pytest.skip(f"the page is about {about}, here is {judged.version}")
        assert verdict.outcome is not Outcome.UNSUPPORTED
        assert verdict.against == bool(shown["shows"])
        if not verdict.against:
            continue
        assert shape_of(verdict) == set(shown["shows"])
        assert shown.get("says", "") in f"{verdict.detail}\n{verdict.stderr}"
        if "positions" in shown:
            answers = judged.run(case)
            assert sorted(each["positions"] for each in answers) == sorted(shown["positions"])
        if "reading" in finding:
            readings = dict([finding["reading"].split("=")])
            asked = case.but(expect=expectation_of(case))
            assert is_read_so(asked, readings, judged, timeout=LONG)


@pytest.mark.parametrize(
    "name",
    [
        name for name in ENGINES if "program" in pages.findings_of(name)
        and "language" not in pages.findings_of(name)  # Python: others wait for the clock
    ],
)
def test_its_program_prints_what_the_page_says(name: str, tmp_path: Path) -> None:
    found = pages.findings_of(name)
    try:
        python = interpreter(peer(name, name.replace("-", "_")))
    except EngineError as error:
        pytest.skip(str(error))
    (tmp_path / "version.py").write_text(
        f"from importlib.metadata import version\nprint(version({found['package']!r}))\n",
        encoding="utf-8",
    )
    (tmp_path / "program.py").write_text(found["program"], encoding="utf-8")
    version = _printed(python, tmp_path / "version.py").strip()
    if version != found["version"]:
        pytest.skip(f"the page is about {found['version']}, here is {version}")
    assert _printed(python, tmp_path / "program.py") == found["prints"]


def _printed(python: str, program: Path) -> str:
    words = [python, "-I", program]
    done = subprocess.run(words, cwd=program.parent, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return done.stdout
