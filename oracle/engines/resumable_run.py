"""Running queries that are left and gone on with: what has to be the same, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from ...engine.checkpoints.buffered_items import buffered_items, restore_buffered
from ...engine.checkpoints.checkpoint_files import Checkpoint, CheckpointError
from ...engine.checkpoints.state_decoder import DamagedState
from ...engine.checkpoints.state_encoder import SavedGraph
from ...engine.checkpoints.streaming_query import StreamingQuery, restore_state, save_state
from ...semantics.model.errors import DenotaError
from ...semantics.model.temporal_graphs import TemporalGraph
from ...semantics.streams.live.watermarks import StreamMerger


def not_written_by(command: str, source: str | None) -> CheckpointError:
    """Return the error for a checkpoint that this command has not written."""
    return CheckpointError(
        f"cannot resume: the checkpoint was not written by '{command}'", source=source
    )


def of_other_run(difference: str, source: str | None) -> CheckpointError:
    """Return the error for a checkpoint of another run; `difference` follows "a run"."""
    return CheckpointError(
        f"cannot resume: the checkpoint belongs to a run {difference}", source=source
    )


_OTHER = {
    "denota": "another version of denota", "language": "another language",
    "query": "another query", "readings": "other readings",
    "evaluation": "another evaluation: its start, times, policy, period or setting",
    "streams": "other streams", "background": "another background",
    "options": "other options for reading its streams",
}


@dataclass(frozen=True)
class ResumableRun:
    """A query with its inputs, of which one running query goes on where another was left.

    `options` say how its streams are read.
    """

    language: Any
    query: Any
    text: str
    inputs: Mapping[str, Any]
    streams: Iterable[Any]
    options: Mapping[str, Any] = field(default_factory=dict)

    def start(self, dictionaries: Sequence[Any] = ()) -> StreamingQuery:
        """Return the streaming query before its first item."""
        running: StreamingQuery = self.language.running(self.query, dictionaries, **self.inputs)
        return running

    def resume(self, before: Checkpoint, source: str | None) -> StreamingQuery:
        """Return the query of a checkpoint. Raises CheckpointError if it is of another run."""
        about = before.about if isinstance(before.about, Mapping) else {}
        self.check_same(about.get("asked"), source)
        with of_checkpoint(source):
            return restore_state(self.start, before.state)

    def check_same(self, asked: object, source: str | None) -> None:
        """Raise CheckpointError if `asked` describes another run."""
        if not isinstance(asked, Mapping):
            raise CheckpointError(
                "cannot resume: the checkpoint has no streaming query", source=source
            )
        for what, said in self.asked().items():
            if asked.get(what) != said:
                raise of_other_run(f"with {_OTHER[what]}", source)

    def save(
        self, running: StreamingQuery, about: Mapping[str, Any], merging: StreamMerger[Any] | None
    ) -> Checkpoint:
        """Return a query's checkpoint between two arrivals; `about` describes the run."""
        waiting = None if merging is None else buffered_items(merging)
        return Checkpoint({"asked": self.asked(), **about}, save_state(running), waiting)

    def asked(self) -> dict[str, Any]:
        """Return the properties that a run must share with the one that it resumes."""
        from ... import __version__

        said: dict[str, Any] = {
            "denota": __version__, "language": self.language.name, "query": self.text,
            "readings": dict(self.language.reading_names(self.inputs["readings"])),
            "evaluation": self.inputs["evaluation"],
            "streams": sorted(map(str, self.streams)),
            "background": {
                str(name): digest(graph) for name, graph in sorted(self.inputs["kb"].items())
            },
            "options": dict(self.options),
        }
        found: dict[str, Any] = json.loads(json.dumps(said, default=str))
        return found


@contextmanager
def of_checkpoint(source: str | None) -> Iterator[None]:
    """Run the block, in which a query works with the state of a checkpoint.

    State that was changed by hand, and that is well formed, may fail wherever it is used. Raises
    CheckpointError in place of all but a DenotaError, and an OSError.
    """
    try:
        yield
    except DamagedState as error:
        raise CheckpointError(f"the checkpoint is damaged: {error}", source=source) from error
    except (DenotaError, OSError):
        raise
    except Exception as error:
        raise CheckpointError(
            f"the run cannot go on: the checkpoint is damaged ({type(error).__name__}:"
            f" {' '.join(str(error).split())})", source=source,
        ) from error


def put_back(merging: StreamMerger[Any], waiting: SavedGraph, source: str | None) -> None:
    """Restore the buffered items of another run. Raises CheckpointError."""
    with of_checkpoint(source):
        restore_buffered(merging, waiting)


def digest(graph: Any) -> str:
    """Return a digest that identifies a background graph."""
    states = graph.changes if isinstance(graph, TemporalGraph) else ((None, graph),)
    summed = sha256()
    for time, triples in states:
        lines = sorted(" ".join(term.n3() for term in triple) for triple in triples)
        summed.update(f"{time}\n{len(lines)}\n".encode())
        summed.update("\n".join(lines).encode("utf-8", "surrogatepass"))
    return summed.hexdigest()
