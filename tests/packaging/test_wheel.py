"""The wheel holds the whole package and nothing else, from the tree as from the sdist."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

import denota

ROOT = Path(denota.__file__).resolve().parent
ROOMS = ("semantics", "engine", "oracle", "peers", "corpus", "examples")
NOT_SOURCES = shutil.ignore_patterns(
    ".*", "__pycache__", "*.egg-info", "build", "dist", "spark-warehouse"
)

pytestmark = pytest.mark.skipif(
    not (ROOT / "pyproject.toml").exists(), reason="denota is not imported from a source tree"
)


def expected_files(tree: Path) -> set[str]:
    """What the package consists of: the root's modules, `py.typed` and the rooms whole."""
    files = [path for path in tree.glob("*.py") if path.name != "setup.py"]
    files.append(tree / "py.typed")
    files.extend(path for room in ROOMS for path in (tree / room).rglob("*") if path.is_file())
    return {
        f"denota/{path.relative_to(tree).as_posix()}"
        for path in files
        if "__pycache__" not in path.parts
    }


def backend(hook: str, tree: Path, into: Path) -> Path:
    """Calls a hook of the build backend in the tree, without isolation and offline."""
    into.mkdir(parents=True, exist_ok=True)
    program = f"import setuptools.build_meta as b; print(b.{hook}({str(into)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tree, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return into / done.stdout.splitlines()[-1]


def contents(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, so that a build leaves nothing in the working tree."""
    copy = tmp_path_factory.mktemp("tree") / "copy"
    shutil.copytree(ROOT, copy, ignore=NOT_SOURCES)
    cache = copy / "semantics" / "__pycache__"
    cache.mkdir()
    (cache / "stale.cpython-311.pyc").write_bytes(b"")
    return copy


@pytest.fixture(scope="module")
def wheel(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return backend("build_wheel", tree, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that sees the running one's dependencies, but not its denota."""
    pytest.importorskip("pip", reason="installing a wheel takes pip")
    home = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    interpreter = home / ("Scripts" if os.name == "nt" else "bin") / "python"
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = subprocess.run(
        [str(interpreter), "-c", ask], capture_output=True, text=True, check=True
    ).stdout.strip()
    (Path(site) / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return interpreter


def install(python: Path, *what: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index",
         "--no-deps", "--no-build-isolation", "--force-reinstall", *what],
        capture_output=True, text=True, check=False,
    )
    assert done.returncode == 0, done.stderr


def said(*command: str | Path, cwd: Path, **environment: str) -> str:
    clean = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "MYPYPATH"}}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env={**clean, **environment},
        capture_output=True, text=True, check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_wheel_holds_the_package_and_nothing_else(tree: Path, wheel: Path) -> None:
    expected = expected_files(tree)
    assert "denota/semantics/model/terms.py" in expected
    held = contents(wheel)
    assert sorted(expected - held) == []
    assert sorted(held - expected) == []
    assert [name for name in held if name.startswith("denota/studies")] == []


def test_wheel_declares_licence_types_script_and_plugin(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        about = next(name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = archive.read(about).decode()
        entry_points = archive.read(about.replace("METADATA", "entry_points.txt")).decode()
    assert "denota/py.typed" in names
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    assert "License-Expression: Apache-2.0" in metadata
    assert f"Version: {denota.__version__}" in metadata
    assert "denota = denota.__main__:main" in entry_points
    assert "[pytest11]" in entry_points
    assert "core = denota.peers.core:Core" in entry_points


@pytest.mark.slow
def test_wheel_from_sdist_is_the_same(tree: Path, wheel: Path, tmp_path: Path) -> None:
    sdist = backend("build_sdist", tree, tmp_path / "sdist")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    assert (unpacked / "tests" / "packaging" / "test_wheel.py").exists()
    assert contents(backend("build_wheel", unpacked, tmp_path / "again")) == contents(wheel)


def test_installed_wheel_works_from_anywhere(wheel: Path, python: Path, tmp_path: Path) -> None:
    install(python, str(wheel))
    where = said(python, "-c", "import denota; print(denota.__file__)", cwd=tmp_path)
    assert Path(where.strip()).parent.parent == Path(
        said(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=tmp_path)
        .strip()
    )
    script = python.with_name("denota")
    assert denota.__version__ in said(script, "--version", cwd=tmp_path)
    as_module = said(python, "-m", "denota", "--help", cwd=tmp_path)
    assert said(script, "--help", cwd=tmp_path) == as_module


@pytest.mark.slow
def test_editable_install_is_the_tree(tree: Path, python: Path, tmp_path: Path) -> None:
    install(python, "--editable", str(tree))
    where = said(python, "-c", "import denota.semantics as s; print(s.__file__)", cwd=tmp_path)
    assert Path(where.strip()) == tree / "semantics" / "__init__.py"
    assert denota.__version__ in said(python.with_name("denota"), "--version", cwd=tmp_path)


CONSUMER = """\
import denota
from denota.semantics.ceql.syntax.results import ComplexEvent
from denota.semantics.spaseq.syntax.results import Pair
line: int = denota.DenotaError("x").line
text: str = denota.DenotaError("x").line  # "int"
denota.runn("", {})  # has no attribute "runn"
query = denota.parse("SELECT * FROM S WHERE A ; B", language="ceql")
events: list[ComplexEvent] = list(denota.run(query, {"S": "s.csv"}))
event: Pair = next(denota.run(query, {"S": "s.csv"}))  # "ComplexEvent"
ends: set[int] = {each.end for each in denota.evaluate(query) & denota.evaluate(query)}
end: str = next(iter(denota.evaluate(query))).end  # "int"
pushed: list[ComplexEvent] = denota.stream(query).push("S", {"type": "A"})
push: list[Pair] = denota.restore(b"", query).finish()  # "list[ComplexEvent]"
pairs: list[Pair] = list(denota.run(denota.parse("", "spaseq")))
for answer in denota.evaluate(denota.parse("", "rsepql")) + list(denota.run("")):
    answer.time
chosen: Pair = denota.sample(denota.parse("", "cqels"), size=1)[0]  # IntervalGraph
guessed: Pair = next(denota.run(denota.parse("")))
truth: bool = denota.evaluate(denota.parse("", "epsparql"))[0]  # "IntervalSolution | bool"
denota.run(query, {"S": "s.csv"}, redings={})  # "redings"
"""


@pytest.mark.slow
@pytest.mark.parametrize("form", ["wheel", "strict editable", "tree"])
def test_type_checkers_find_the_types(
    form: str, tree: Path, wheel: Path, python: Path, tmp_path: Path
) -> None:
    pytest.importorskip("mypy", reason="mypy comes with the extra 'dev'")
    environment = {"MYPY_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "mypy", "--python-executable", str(python)]
    if form == "wheel":
        install(python, str(wheel))
    elif form == "strict editable":
        install(python, "--config-settings", "editable_mode=strict", "--editable", str(tree))
    elif not (ROOT / ".typing").exists():
        pytest.skip("the link .typing/denota is not part of the sdist")
    else:
        command = [sys.executable, "-m", "mypy", "--no-site-packages"]
        environment["MYPYPATH"] = str(ROOT / ".typing")
    (tmp_path / "consumer.py").write_text(CONSUMER)
    done = subprocess.run(
        [*command, "--follow-imports=silent", "consumer.py"], cwd=tmp_path,
        env={**os.environ, **environment}, capture_output=True, text=True, check=False,
    )
    complaints = [line for line in done.stdout.splitlines() if line.startswith("consumer.py")]
    expected = [
        (number, message) for number, line in enumerate(CONSUMER.splitlines(), 1)
        for _, comment, message in [line.partition("  # ")] if comment
    ]
    errors = [line for line in complaints if ": error:" in line]
    assert [int(line.split(":")[1]) for line in errors] == [number for number, _ in expected], (
        done.stdout + done.stderr
    )
    for line, (_, message) in zip(errors, expected, strict=True):
        assert message in line
