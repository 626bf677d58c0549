"""The files of a folder as one stream: their order, what is passed over, what was taken before."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

import pytest

from denota.semantics.model.errors import StreamError
from denota.semantics.streams.files.folder import Folder, is_folder
from denota.semantics.streams.live.folder_source import items_in, tuples_in


def put(folder: Path, name: str, changed: int, text: str = "type,m\nA,1\n") -> None:
    (folder / name).write_text(text)
    os.utime(folder / name, (changed, changed))


def names(files: list[str]) -> list[str]:
    return [os.path.basename(file) for file in files]


def test_files_come_by_time_then_by_name(tmp_path: Path) -> None:
    for name, changed in (("a.csv", 3), ("c.csv", 2), ("b.csv", 2), ("d.csv", 1)):
        put(tmp_path, name, changed)
    for name in (".e.csv", "_f.csv", "g.csv._COPYING_"):
        put(tmp_path, name, 0)
    (tmp_path / "folder").mkdir()
    assert names(list(Folder(str(tmp_path)).files())) == ["d.csv", "b.csv", "c.csv", "a.csv"]


def test_what_comes_while_it_is_read_comes_last(tmp_path: Path) -> None:
    put(tmp_path, "b.csv", 7)
    told: list[str] = []

    def wait(seconds: float) -> None:
        told.append("looked")
        if len(told) == 3:
            put(tmp_path, "a.csv", 0)

    folder = Folder(
        str(tmp_path), waiting=lambda: told.append("waiting"),
        silent=lambda: told.append("silent"), idle=0.3,
    )
    assert names(list(islice(folder.files(wait), 2))) == ["b.csv", "a.csv"]
    assert told == ["waiting", "looked", "looked", "silent"]


def test_who_reads_it_again_takes_first_what_was_taken(tmp_path: Path) -> None:
    (come := tmp_path / "come").mkdir()
    put(come, "b.csv", 2)
    put(come, "c.csv", 1)
    kept = tmp_path / "taken"
    next(Folder(str(come), kept).files())
    put(come, "a.csv", 0)
    with kept.open("ab") as file:
        file.write(b'["a.cs')  # a kill, before any item of it was read
    again = ["c.csv", "b.csv", "a.csv"]
    assert names(list(Folder(str(come), kept).files())) == again
    assert names(list(Folder(str(come), kept).files())) == again
    put(come, "b.csv", 2, "type,m\n")
    with pytest.raises(StreamError, match="when it had 11 bytes, now it has 7"):
        list(Folder(str(come), kept).files())
    (come / "c.csv").unlink()
    with pytest.raises(StreamError, match="cannot be read: no such file"):
        list(Folder(str(come), kept).files())


def test_files_of_several_formats_are_one_stream(tmp_path: Path) -> None:
    put(tmp_path, "b.csv", 1, "type,m\nA,1\nB,2\n")
    put(tmp_path, "a.jsonl", 2, '{"type": "C", "k": "x"}\n')
    told = [(each.type, each.attributes) for each in tuples_in(Folder(str(tmp_path)))]
    assert told == [("A", {"m": 1}), ("B", {"m": 2}), ("C", {"k": "x"})]


def test_a_blank_node_is_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "a.trig").write_text(
        "@prefix prov: <http://www.w3.org/ns/prov#> ."
        " <x:g> prov:generatedAtTime 1 . <x:g> { _:b <x:p> _:b } "
    )
    (tmp_path / "b.trig").write_text((tmp_path / "a.trig").read_text())
    items = list(items_in(Folder(str(tmp_path)), scope="s0"))
    (first, second) = ({term for triple in item.graph for term in triple} for item in items)
    assert len(first) == len(second) == 2
    assert len(first & second) == 1
    again = list(items_in(Folder(str(tmp_path)), scope="s0"))
    assert [item.graph for item in again] == [item.graph for item in items]


def test_what_means_a_folder(tmp_path: Path) -> None:
    assert is_folder(str(tmp_path))
    assert is_folder(f"{tmp_path}/nowhere/")
    assert not is_folder("tcp://localhost:1/")
    with pytest.raises(StreamError, match="no such file or directory"):
        list(Folder(f"{tmp_path}/nowhere/").files())
