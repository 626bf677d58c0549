"""The version and the licence are the same wherever they are written."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import denota
from denota.oracle.engines.engine_specs import ENTRY_POINTS, SHIPPED

ROOT = Path(denota.__file__).resolve().parent

pytestmark = pytest.mark.skipif(
    not (ROOT / "pyproject.toml").exists(), reason="denota is not imported from a source tree"
)


def test_one_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert project["version"] == citation["version"] == denota.__version__
    assert project["license"] == citation["license"] == "Apache-2.0"


def test_the_engines_of_a_checkout_are_those_of_the_metadata() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"][ENTRY_POINTS] == SHIPPED


def test_the_licence_is_complete() -> None:
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in licence
    assert "END OF TERMS AND CONDITIONS" in licence


def test_the_changelog_speaks_of_this_version_or_of_the_next() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## \[(.+?)\]", changelog, flags=re.MULTILINE)
    assert sections[0] in {"Unreleased", denota.__version__}


def test_ci_and_makefile_agree_with_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for verb in ("demo", "test"):
        assert f"make {verb}" in readme
        assert re.search(rf"^{verb}:", makefile, flags=re.MULTILINE)
        assert f"make {verb}" in ci
