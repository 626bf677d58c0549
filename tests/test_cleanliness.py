"""No file of the project speaks of the machine it was written on."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

import denota

ROOT = Path(denota.__file__).resolve().parent

# Folders of one machine; /usr, /dev, /bin and /proc are everybody's. A slash before them, as in an
# IRI, is none of our business.
MACHINE = re.compile(r"(?<![\w.:/~-])/(?:home|root|work|farm|tmp|Users|mnt|opt|srv)/[\w.-]+")
NEIGHBOUR = re.compile(r"\.\./shared|(?<!\w)/?work/shared")
SECRETS = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----|\bgh[pousr]_[A-Za-z0-9]{30,}")


def tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode != 0:
        pytest.skip("not in a git working tree")
    return [ROOT / name for name in listed.stdout.split("\0") if name]


def tracked_files() -> list[Path]:
    return [path for path in tracked() if path.is_file() and path != Path(__file__).resolve()]


def lines_of(paths: list[Path]) -> Iterator[tuple[str, str]]:
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            yield f"{path.relative_to(ROOT)}:{number}", line


def findings(lines: Iterator[tuple[str, str]]) -> list[str]:
    found = []
    for place, line in lines:
        in_tests = place.startswith(("tests/", "property_tests/"))
        neighbour = NEIGHBOUR.search(line) and not in_tests
        if MACHINE.search(line) or SECRETS.search(line) or neighbour:
            found.append(f"{place}: {line.strip()}")
    return found


def test_no_file_names_a_machine() -> None:
    assert findings(lines_of(tracked_files())) == []


def test_links_point_into_the_project() -> None:
    links = [path for path in tracked() if path.is_symlink()]
    assert ROOT / ".typing" / "denota" in links
    for link in links:
        assert not link.readlink().is_absolute(), link
        assert link.resolve().is_relative_to(ROOT), link


def test_tests_that_use_neighbouring_data_skip_without_it() -> None:
    careless = [
        path.relative_to(ROOT).as_posix()
        for path in tracked_files()
        if path.suffix == ".py"
        and NEIGHBOUR.search(text := path.read_text(encoding="utf-8"))
        and "skip" not in text
    ]
    assert careless == []


@pytest.mark.parametrize(("line", "found"), [
    ("open('/home/somebody/data.csv')", True),
    ("cd /work/project", True),
    ("see ../shared/papers", True),
    ("<http://example.org/home/somebody>", False),
    ("a relative path: work/of/others", False),
    ("#!/usr/bin/env bash", False),
])
def test_what_is_a_finding(line: str, found: bool) -> None:
    assert bool(findings(iter([("README.md:1", line)]))) is found


def test_pytest_enters_every_folder_of_tests(pytestconfig: pytest.Config) -> None:
    """A folder whose name `norecursedirs` excludes would never be collected, without a word."""
    skipped = [
        path.relative_to(ROOT).as_posix()
        for path in tracked_files()
        if path.name.startswith("test_") and path.suffix == ".py"
        for folder in path.relative_to(ROOT).parts[:-1]
        if any(fnmatch(folder, pattern) for pattern in pytestconfig.getini("norecursedirs"))
    ]
    assert skipped == []
