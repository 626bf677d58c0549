"""The file of a checkpoint: whole, or refused with a line that says why."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from denota.engine.checkpoints.checkpoint_files import (
    Checkpoint,
    CheckpointError,
    parsed,
    read,
    write,
    written,
)
from denota.engine.checkpoints.state_encoder import SavedGraph
from denota.engine.checkpoints.streaming_query import QueryState
from denota.semantics.streams.files.outputs import Output

TERMS = (SavedGraph({"values": []}, b"terms"),)
STATE = QueryState({"kind": "integer"}, TERMS, SavedGraph({"places": []}, b"more"))
CHECKPOINT = Checkpoint({"language": "spaseq"}, STATE)


@pytest.mark.parametrize("terms", [STATE.terms, (), STATE.terms * 2])
def test_what_is_written_is_read(tmp_path: Path, terms: tuple[SavedGraph, ...]) -> None:
    state = QueryState({}, terms, STATE.engine)
    for checkpoint in (Checkpoint({"é": 1}, state), Checkpoint({}, state, TERMS[0])):
        with Output(tmp_path / "file") as output:
            write(output, checkpoint)
        assert read(tmp_path / "file") == checkpoint
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_every_cut_and_every_changed_byte_is_found() -> None:
    content = written(CHECKPOINT)
    for length in range(len(content)):
        with pytest.raises(CheckpointError, match=r"truncated|not a denota checkpoint"):
            parsed(content[:length])
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= 1
        with pytest.raises(CheckpointError):
            parsed(bytes(changed))
    with pytest.raises(CheckpointError, match="checksum"):
        parsed(content + b"\0")


def signed(content: bytes) -> bytes:
    return content + sha256(content).digest()


def test_what_is_refused_is_said_in_a_line(tmp_path: Path) -> None:
    content = written(CHECKPOINT)[:-32]
    with pytest.raises(CheckpointError, match="has format 3; this version of denota reads format"):
        parsed(signed(content[:16] + b"\3\0\0\0" + content[20:]))
    with pytest.raises(CheckpointError, match="invalid content"):
        parsed(signed(content.replace(b'"compile_parameters"', b'"compile_parameterz"')))
    with pytest.raises(CheckpointError, match="invalid content"):
        parsed(signed(content.replace(b'{"kind"', b'{[[[[[[')))
    (tmp_path / "other").write_text("SELECT * WHERE {}")
    with pytest.raises(CheckpointError, match=r"other: not a denota checkpoint"):
        read(tmp_path / "other")
    with pytest.raises(CheckpointError, match=r"gone: the checkpoint cannot be read: No such file"):
        read(tmp_path / "gone")
    with pytest.raises(CheckpointError, match="cannot be written: No such file"):
        write(Output(tmp_path / "folder" / "file"), CHECKPOINT)
