"""The folder of a run on Spark: its state, and what must be the same for it to go on."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .....engine.checkpoints.checkpoint_files import CheckpointError
from .....semantics.streams.files.outputs import folder_lock
from ....engines.continuing import Continuing, not_written_by, of_other_run
from ... import UsageError
from ..checkpointing import OPTIONS
from .asked_run import AskedRun

_ASKED = "denota-run.json"
_COMMAND = "denota run --spark"
_OTHER = {"groups": "other --key-groups", "output": "its results in another place"}
_COMMITTED = "_spark_metadata"
"""What of a folder of Parquet says which of its files hold results."""


@contextmanager
def run_folder(arguments: argparse.Namespace) -> Iterator[Path]:
    """Where Spark keeps the run's state; without --checkpoint it ends with the run."""
    if arguments.checkpoint is None:
        with tempfile.TemporaryDirectory(prefix="denota-") as passing:
            yield Path(passing)
        return
    folder = Path(arguments.checkpoint)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise CheckpointError(
            f"the checkpoint is not a writable directory: {error.strerror}",
            source=str(folder),
        ) from error
    busy = CheckpointError("another run is at work in this folder", source=str(folder))
    with folder_lock(folder / ".lock", busy):
        yield folder


def check_same_run(
    folder: Path, asked: AskedRun, arguments: argparse.Namespace, files: dict[Any, str],
    graphs: dict[Any, Any],
) -> None:
    """Raises CheckpointError if the folder, or that of the results, is of another run."""
    inputs = {"readings": asked.readings, "evaluation": asked.evaluation, "kb": graphs}
    options = {name: getattr(arguments, name) for name in OPTIONS}
    this = Continuing(asked.language, asked.query, asked.text, inputs, files, options)
    there = folder / _ASKED
    output = None if arguments.format != "parquet" else str(Path(arguments.output).resolve())
    also = {"groups": asked.groups, "output": output}
    if there.exists():
        try:
            before = dict(json.loads(there.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError) as error:
            raise not_written_by(_COMMAND, str(folder)) from error
        this.check_same(before.get("asked"), str(folder))
        for what, now in also.items():
            if before.get(what) != now:
                raise of_other_run(f"with {_OTHER[what]}", str(folder))
        return
    if (folder / "spark").exists():
        raise not_written_by(_COMMAND, str(folder))
    if output is not None:
        _check_output(Path(arguments.output))
    beside = there.with_suffix(".new")
    beside.write_text(json.dumps({"asked": this.asked(), **also}), encoding="utf-8")
    os.replace(beside, there)


def _check_output(output: Path) -> None:
    """Raises UsageError where a run that begins cannot write.

    Spark takes what another run has committed for its own, and writes nothing.
    """
    if (output / _COMMITTED).exists():
        raise UsageError(f"-o: '{output}' has the results of another run")
    if output.exists() and not output.is_dir():
        raise UsageError(f"-o: '{output}' is no folder")
    try:
        output.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=output):
            pass
    except OSError as error:
        raise UsageError(f"-o: '{output}' cannot be written to: {error.strerror}") from error
