"""The tally of a finished sweep: its verdict files, and what its cases ask for."""

from __future__ import annotations

from pathlib import Path

from ..languages.enumeration import Bounds
from ..reports.run_result import Tally
from .case_sources import CaseSource, CorpusSource, RankSource
from .manifest import Manifest, SweepError, read_manifest
from .verdict_files import VerdictFiles


def source_of(manifest: Manifest) -> CaseSource:
    """Return the source of a sweep's cases."""
    if manifest.bounds is None:
        return CorpusSource(Path(manifest.corpus))
    return RankSource(manifest.language, Bounds(**manifest.bounds))


def sweep_tally(directory: Path) -> tuple[Manifest, Tally]:
    """Return the engine under test and the tally. Raises SweepError if the cases have changed."""
    manifest = read_manifest(directory)
    if manifest is None:
        raise SweepError("there is no sweep in this folder", source=str(directory))
    source = source_of(manifest)
    if manifest.bounds is None and not Path(manifest.corpus).is_file():
        # The folder may be a stranger's, and name a device or a pipe without an end.
        raise SweepError(
            f"the sweep's corpus {manifest.corpus} is not there", source=str(directory)
        )
    same = source.identity()["fingerprint"] == manifest.fingerprint
    if not same:
        raise SweepError(f"the sweep's corpus {manifest.corpus} has changed", source=str(directory))
    return manifest, source.tally(VerdictFiles(directory / "verdicts"), manifest.verdicts)
