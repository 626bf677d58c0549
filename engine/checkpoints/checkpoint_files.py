"""The file of a checkpoint (docs/checkpoints.md).

    magic            16 bytes   "denota-checkpoint"'s first 16
    format           4 bytes    an unsigned integer, little-endian, as all numbers here
    length of text   8 bytes
    length of arrays 8 bytes
    text             JSON in UTF-8: about, compile_parameters, terms, waiting, engine
    arrays           the bytes of all arrays, those of the terms first, then those of waiting
    checksum         32 bytes   SHA-256 of everything before

Nothing in it is executed, and nothing is a pickle.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from ...semantics.model.errors import DenotaError
from ...semantics.streams.files.outputs import Output
from .state_encoder import SavedGraph
from .streaming_query import QueryState

MAGIC = b"denota-checkpoin"
FORMAT = 5
_HEAD = struct.Struct("<16sIQQ")
_CHECKSUM = 32


class CheckpointError(DenotaError):
    """A checkpoint that is invalid, or belongs to another query."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The description `about` of a run, fit for JSON, its state, and its buffered items."""

    about: Mapping[str, Any]
    state: QueryState
    waiting: SavedGraph | None = None


def written(checkpoint: Checkpoint) -> bytes:
    """Return the bytes of a checkpoint; equal states have equal bytes."""
    state = checkpoint.state
    parts = [*state.terms, *([checkpoint.waiting] if checkpoint.waiting else [])]
    sizes = [[each.data, len(each.arrays)] for each in parts]
    terms = len(state.terms)
    text = json.dumps(
        {
            "about": checkpoint.about,
            "compile_parameters": state.compile_parameters,
            "terms": sizes[:terms],
            "waiting": sizes[terms:],
            "engine": state.engine.data,
        },
        separators=(",", ":"),
    ).encode("ascii")
    arrays = b"".join(graph.arrays for graph in (*parts, state.engine))
    content = _HEAD.pack(MAGIC, FORMAT, len(text), len(arrays)) + text + arrays
    return content + sha256(content).digest()


def write(output: Output, checkpoint: Checkpoint) -> None:
    """Write the file as a whole: whoever looks finds the one before, or this one."""
    try:
        with open(output.begin(), "wb") as file:
            file.write(written(checkpoint))
            file.flush()
            os.fsync(file.fileno())
        output.commit()
    except OSError as error:
        raise CheckpointError(f"the checkpoint cannot be written: {error.strerror}",
                              source=str(output.path)) from error
    _settle(output.place.parent)


def _settle(folder: Path) -> None:
    """Flush the new name to the disk, if the folder supports it."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)


def read(path: Path) -> Checkpoint:
    """Return the checkpoint in a file. Raises CheckpointError if it is absent or damaged."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CheckpointError(
            f"the checkpoint cannot be read: {error.strerror}", source=str(path)
        ) from error
    try:
        return parsed(content)
    except CheckpointError as error:
        raise error.at(str(path)) from None


def parsed(content: bytes) -> Checkpoint:
    """Return the checkpoint in these bytes."""
    if not content.startswith(MAGIC[: len(content)]) or not content:
        raise CheckpointError("not a denota checkpoint")
    if len(content) < _HEAD.size + _CHECKSUM:
        raise CheckpointError("the checkpoint is truncated")
    _, version, text, arrays = _HEAD.unpack_from(content)
    if version != FORMAT:
        raise CheckpointError(
            f"the checkpoint has format {version}; this version of denota reads format {FORMAT}"
        )
    end = _HEAD.size + text + arrays
    if len(content) < end + _CHECKSUM:
        raise CheckpointError("the checkpoint is truncated")
    if len(content) != end + _CHECKSUM or sha256(content[:end]).digest() != content[end:]:
        raise CheckpointError("the checkpoint is damaged: checksum mismatch")
    try:
        return _checkpoint(
            json.loads(content[_HEAD.size : _HEAD.size + text]), content[_HEAD.size + text : end]
        )
    except (LookupError, TypeError, ValueError, RecursionError) as error:
        raise CheckpointError("the checkpoint is damaged: invalid content") from error


def _checkpoint(said: Any, arrays: bytes) -> Checkpoint:
    parts = []
    for data, size in (*said["terms"], *said["waiting"]):
        parts.append(SavedGraph(data, arrays[:size]))
        arrays = arrays[size:]
    terms, waiting = parts[: len(said["terms"])], parts[len(said["terms"]) :]
    state = QueryState(said["compile_parameters"], tuple(terms), SavedGraph(said["engine"], arrays))
    return Checkpoint(said["about"], state, waiting[0] if waiting else None)
