"""What docs/findings says is what its cases show, and what the engines still answer."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import denota
from denota.oracle.cases.case_reader import read_case
from denota.oracle.checking.case_checker import check_case, expectation_of
from denota.oracle.checking.verdicts import Outcome
from denota.oracle.engines.engine import Engine, EngineError, close
from denota.oracle.engines.engine_specs import SHIPPED, engine
from denota.oracle.fuzzing.clusters import shape_of
from denota.oracle.fuzzing.known_differences import read_known
from denota.peers.core import PYCER
from denota.peers.flink_java import flink_jars
from denota.peers.hosted import interpreter, peer
from denota.peers.rsp_js import VARIABLE as RSP_JS

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

PAGES: list[str] = pages.pages()
ENGINES = [name for name in PAGES if name not in pages.LIBRARIES]
of_each_engine = pytest.mark.parametrize("name", ENGINES)


def test_engines_with_findings_can_be_judged() -> None:
    assert ENGINES
    assert set(ENGINES) <= set(SHIPPED)


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_made_of_what_is_written_down(name: str) -> None:
    shown = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    assert shown == pages.page(name), "run: python docs/findings/pages.py"


def test_the_index_counts_the_findings() -> None:
    shown = (DOCS / "index.md").read_text(encoding="utf-8")
    assert shown == pages.index(shown), "run: python docs/findings/pages.py"


@pytest.mark.parametrize("name", PAGES)
def test_each_section_can_be_filed_as_it_stands(name: str) -> None:
    found = pages.findings_of(name)
    shown = pages.page(name)
    for finding in (*found["findings"], *found.get("beside", ())):
        heading = f"\n### {finding['name']}\n"
        assert shown.count(heading) == 1
        section = re.split(r"\n#{2,3} |\nHere: ", shown.partition(heading)[2])[0]
        assert f"{found['package']} {found['version']}: " in section
        assert finding.get("quote", "") in section
        assert finding["prints"] in section
        assert name in pages.LIBRARIES or finding["script"] in section
        assert "denota" not in section
        assert "](.." not in section  # a link that works in this repository alone


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


@pytest.mark.parametrize("name", pages.LIBRARIES)
def test_every_finding_in_a_library_names_what_decides(name: str) -> None:
    found = pages.findings_of(name)
    for finding in found["findings"]:
        assert finding["sort"] in pages.SORTS
        assert finding["document"].startswith(tuple(found["documents"]))


@of_each_engine
def test_what_no_case_shows_can_be_filed(name: str) -> None:
    found = pages.findings_of(name)
    for finding in found.get("beside", []):
        assert finding["sort"] in pages.SORTS
        assert finding["document"] in found["documents"]
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
        verdict = check_case(case, judged, timeout=LONG)
        if judged.version != about:
            pytest.skip(f"the page is about {about}, here is {judged.version}")
        assert verdict.outcome is not Outcome.UNSUPPORTED
        assert verdict.is_failure == bool(shown["shows"])
        if not verdict.is_failure:
            continue
        assert shape_of(verdict) == set(shown["shows"])
        assert shown.get("says", "") in f"{verdict.detail}\n{verdict.stderr}"
        if "positions" in shown:
            answers = judged.run(case)
            assert sorted(each["positions"] for each in answers) == sorted(shown["positions"])
        if "reading" in finding:
            readings = dict([finding["reading"].split("=")])
            # CORE leaves out the bindings that output=valuation tells apart.
            otherwise = expectation_of(case.but(readings={**case.reading_names, **readings}))
            places = Counter(each.positions for each in otherwise.results)
            assert places == Counter(map(tuple, shown["positions"]))


def scripted() -> list[Any]:
    found = [(name, pages.findings_of(name)) for name in PAGES]
    return [
        pytest.param(name, finding, id=f"{name}-{finding['name']}")
        for name, about in found for finding in (*about["findings"], *about.get("beside", ()))
    ]


@pytest.mark.parametrize(("name", "finding"), scripted())
def test_its_script_prints_what_the_page_says(
    name: str, finding: dict[str, Any], tmp_path: Path, runtimes: dict[str, Engine],
    flink_prints: Callable[[], dict[str, str]], servers: Callable[[str], subprocess.Popen[str]],
) -> None:
    found = pages.findings_of(name)
    assert "denota" not in pages.program(found, finding)
    library = name in pages.LIBRARIES
    version = metadata.version(name) if library else runtime(name, runtimes).version
    if version and version != found["version"]:
        pytest.skip(f"the page is about {found['version']}, here is {version}")
    if name == "flink":
        assert flink_prints()[finding["name"]] == finding["prints"]
        return
    program = pages.program(found, finding)
    if library:
        done = _served(servers(name), program, tmp_path)
    else:
        done = _done(_interpreter(name), program, tmp_path)
    ended = signal.Signals(-done.returncode).name if done.returncode < 0 else done.returncode
    assert ended in finding.get("ends", [0]), done.stderr
    assert done.stdout == finding["prints"]


SERVER = """
import os, runpy, sys, traceback
__import__(sys.argv[1])
for line in sys.stdin:
    folder = line.rstrip()
    child = os.fork()
    if child:
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    os.chdir(folder)
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT), number)
    code = 0
    try:
        runpy.run_path("program", run_name="__main__")
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    os._exit(code)
"""
"""Runs the program of each folder that it reads in a process of its own, forked after the import of
a library, which takes longer than most programs."""

PRELOADED = {"rdflib": "rdflib.plugins.sparql.processor"}
"""The module to import of a library that imports a part of itself late."""


@pytest.fixture(scope="module")
def servers() -> Iterator[Callable[[str], subprocess.Popen[str]]]:
    with ExitStack() as stack:
        yield cache(lambda library: stack.enter_context(subprocess.Popen(
            [sys.executable, "-I", "-c", SERVER, PRELOADED.get(library, library)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )))


def _served(
    server: subprocess.Popen[str], program: str, folder: Path
) -> subprocess.CompletedProcess[str]:
    (folder / "program").write_text(program, encoding="utf-8")
    assert server.stdin is not None
    assert server.stdout is not None
    print(folder, file=server.stdin, flush=True)
    code = int(server.stdout.readline())
    out, err = ((folder / name).read_text(encoding="utf-8") for name in ("stdout", "stderr"))
    return subprocess.CompletedProcess([], code, out, err)


def _interpreter(name: str) -> list[str]:
    if name == "rsp-js":
        return [str(shutil.which("node"))]
    package = PYCER if name == "core" else peer(name, name.replace("-", "_"))
    return [interpreter(package), "-I"]


def _done(words: list[str], program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = folder / "program"
    path.write_text(program, encoding="utf-8")
    environment = {**os.environ, "NODE_PATH": os.environ.get(RSP_JS, "")}
    return subprocess.run(
        [*words, path], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def flink_prints(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], dict[str, str]]:
    """FlinkCEP's scripts, compiled and run as one program, since each JVM takes seconds."""

    @cache
    def prints() -> dict[str, str]:
        compiler = shutil.which("javac")
        if compiler is None:
            pytest.skip("there is no compiler for Java")
        found = pages.findings_of("flink")
        blocks = (
            f"System.out.println(\"== {each['name']}\");\n{{\n{each['script']}}}"
            for each in (*found["findings"], *found["beside"])
        )
        folder = tmp_path_factory.mktemp("flink")
        source = folder / "Finding.java"
        source.write_text(pages.program(found, {"script": "\n".join(blocks)}), encoding="utf-8")
        jars = os.pathsep.join(map(str, flink_jars()))
        compiled = [compiler, "-nowarn", "-cp", jars, "-d", folder, source]
        subprocess.run(compiled, capture_output=True, check=True)
        run = [Path(compiler).with_name("java"), "-cp", f"{jars}{os.pathsep}{folder}", "Finding"]
        done = subprocess.run(run, capture_output=True, text=True, check=True)
        parts = done.stdout.split("== ")[1:]
        return dict(part.split("\n", 1) for part in parts)

    return prints
