"""Outputs appear as a whole; locks and remains of a killed run hurt no file of a user."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from denota.semantics.model.errors import DenotaError
from denota.semantics.streams.files.outputs import (
    Output,
    check_no_input,
    identity,
    note_input,
    protected_inputs,
    write_text,
)

LOCK = ".out.denota-lock"


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def killed(work: Callable[[], None]) -> None:
    """Run a function in a process that ends by SIGKILL after it."""
    child = os.fork()
    if not child:
        try:
            work()
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def test_a_file_appears_when_it_is_committed(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with Output(path) as output:
        for text in ("one", "two"):
            output.begin().write_text(text)
            assert path.exists() is (text == "two")
            output.commit()
            assert path.read_text() == text
        output.begin().write_text("three")
    assert path.read_text() == "two"
    assert names(tmp_path) == ["out"]


def test_the_next_writer_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    path = tmp_path / "out"

    def begin() -> None:
        output = Output(path)
        output.__enter__()
        output.begin().write_text("half")

    for _ in range(2):
        killed(begin)
        assert len(names(tmp_path)) == 2
    write_text(path, "whole")
    assert names(tmp_path) == ["out"]
    killed(begin)
    with Output(path):  # one that grows in its place
        assert len(names(tmp_path)) == 2
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("content", ["", "of the user", ".out.00000000.unfinished"])
def test_a_file_of_the_user_is_kept_though_named_like_a_lock(content: str, tmp_path: Path) -> None:
    others = {LOCK: content, ".out.lock": "", ".out.00000000.unfinished": "of the user"}
    for name, text in others.items():
        (tmp_path / name).write_text(text)
    path = tmp_path / "out"
    with Output(path), pytest.raises(DenotaError, match="another output"), Output(path):
        pass
    write_text(tmp_path / "out", "whole")
    assert {name: (tmp_path / name).read_text() for name in others} == others
    assert names(tmp_path) == sorted([*others, "out"])


def test_a_forged_lock_names_no_file_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    victims = [tmp_path / "x.unfinished", tmp_path / "folder" / ".out.x.unfinished"]
    for victim in victims:
        victim.write_text("of the user")
        for named in (victim.name, str(victim), f".out./../folder/{victim.name}"):
            (tmp_path / LOCK).write_bytes(b"a lock of denota\n" + named.encode())
            write_text(tmp_path / "out", "whole")
    assert all(victim.exists() for victim in victims)


@pytest.mark.parametrize("make", [
    os.mkfifo, os.mkdir, lambda path: os.symlink("nowhere", path),
])
def test_what_is_no_file_is_no_lock(make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / LOCK)
    with pytest.raises(DenotaError) as refused:
        write_text(tmp_path / "out", "text")
    assert len(str(refused.value).splitlines()) == 1
    assert names(tmp_path) == [LOCK]


def test_a_long_name_has_room_for_a_lock(tmp_path: Path) -> None:
    path = tmp_path / ("é" * 127)
    write_text(path, "whole")
    assert names(tmp_path) == [path.name]


def test_links_that_lead_to_themselves_are_refused(tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to("out")
    with pytest.raises(DenotaError, match="cannot be written: too many levels"):
        write_text(tmp_path / "out", "text")
    assert (tmp_path / "out").is_symlink()


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_an_input_is_refused_by_all_of_its_names(
    link: Callable[[Path, Path], None], tmp_path: Path
) -> None:
    path, other = tmp_path / "in", tmp_path / "link"
    path.write_text("of the user")
    link(path, other)
    assert identity(path) == identity(other)
    with protected_inputs():
        note_input(path)
        note_input("/dev/null")
        check_no_input("/dev/null")
        with pytest.raises(DenotaError, match="the file is an input"):
            write_text(other, "text")
    assert path.read_text() == "of the user"
    write_text(path, "text")
    assert path.read_text() == "text"
