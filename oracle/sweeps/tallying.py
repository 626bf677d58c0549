"""The tally of a finished sweep: its verdict files, and what the corpus's cases ask for."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq

from ...semantics.model.errors import DenotaError
from ...semantics.streams.files.boundaries import input_errors
from ..judging.verdicts import Outcome
from ..reports.tally import Tally, asked_of
from .corpus_cases import case_of
from .corpus_file import rows_of
from .manifest import Manifest, SweepError, fingerprint, read_manifest
from .verdict_files import VerdictFiles


def sweep_tally(directory: Path) -> tuple[Manifest, Tally]:
    """Whom a sweep has judged, and the tally; raises SweepError if its corpus is another one now.
    """
    manifest = read_manifest(directory)
    if manifest is None:
        raise SweepError("there is no sweep in this folder", source=str(directory))
    corpus = Path(manifest.corpus)
    try:
        same = fingerprint(corpus) == manifest.fingerprint
    except OSError:
        raise SweepError(
            f"the sweep's corpus {corpus} is not there", source=str(directory)
        ) from None
    if not same:
        raise SweepError(f"the sweep's corpus {corpus} has changed", source=str(directory))
    return manifest, tally_of(corpus, VerdictFiles(directory / "verdicts"))


def tally_of(corpus: Path, verdicts: VerdictFiles) -> Tally:
    """The tally of verdicts on the first cases of a corpus."""
    tally = Tally()
    outcomes = (
        Outcome(outcome) for table in verdicts.read()
        for outcome in table.column("outcome").to_pylist()
    )
    with input_errors(str(corpus)), pq.ParquetFile(corpus) as file:
        rows = (row for batch in file.iter_batches() for row in rows_of(batch))
        for outcome, row in zip(outcomes, rows, strict=False):
            try:
                asked = asked_of(case_of(row))
            except DenotaError:
                asked = {}
            tally.add(row.language, asked, outcome)
    return tally
