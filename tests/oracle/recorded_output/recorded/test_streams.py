"""Streams as folders of files with their times in their names."""

import pytest

from denota.oracle.recorded_output.recordings import stream_at, unit_of
from denota.semantics.model.errors import DenotaError
from denota.semantics.model.items import TimeKind


def test_the_last_number_of_a_name_is_the_time(tmp_path):
    for name in ("run2_10.ttl", "run2_09.ttl", "run2_9b.ttl", "notes.txt", "readme.ttl"):
        (tmp_path / name).write_text("<urn:a> <urn:b> <urn:c> .")
    (tmp_path / "answers").mkdir()
    items = stream_at(tmp_path)
    assert [item.time for item in items] == [9_000_000, 9_000_000, 10_000_000]
    assert {item.kind for item in items} == {TimeKind.DATETIME}


def test_a_pattern_chooses_files_and_a_unit_their_times(tmp_path):
    for number in range(3):
        (tmp_path / f"a{number}.ttl").write_text("<urn:a> <urn:b> <urn:c> .")
        (tmp_path / f"b{number}.ttl").write_text("<urn:a> <urn:b> <urn:c> .")
    items = stream_at(f"{tmp_path}/a*.ttl", unit=unit_of("5m"))
    assert [item.time for item in items] == [0, 300_000_000, 600_000_000]


def test_blank_nodes_of_two_files_are_two(tmp_path):
    for number in range(2):
        (tmp_path / f"{number}.ttl").write_text("_:a <urn:b> <urn:c> .")
    one, other = stream_at(tmp_path)
    assert one.graph != other.graph


def test_files_of_timestamped_graphs_are_streams_too(tmp_path):
    path = tmp_path / "s.trig"
    path.write_text(
        "@prefix prov: <http://www.w3.org/ns/prov#> . @prefix : <urn:> .\n"
        ":g prov:generatedAtTime 3 . :g { :a :b :c }"
    )
    assert [(i.time, i.kind) for i in stream_at(path)] == [(3, TimeKind.INTEGER)]
    assert [(i.time, i.kind) for i in stream_at(path, unit=1000)] == [(3000, TimeKind.DATETIME)]


def test_a_folder_without_times_is_no_stream(tmp_path):
    (tmp_path / "data.ttl").write_text("<urn:a> <urn:b> <urn:c> .")
    with pytest.raises(DenotaError, match="number in their names"):
        stream_at(tmp_path)


@pytest.mark.parametrize(("text", "length"), [("ms", 1000), ("1s", 1_000_000), ("PT1M", 60_000_000),
                                              ("2 MINUTES", 120_000_000)])
def test_units(text, length):
    assert unit_of(text) == length


@pytest.mark.parametrize("text", ["5", "fortnight", ""])
def test_what_is_no_unit_is_said(text):
    with pytest.raises(DenotaError):
        unit_of(text)
