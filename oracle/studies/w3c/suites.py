"""The W3C's SPARQL 1.0 and 1.1 suites, as they lie in rdflib's source distribution."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path, PurePosixPath

from ....semantics.model.errors import DenotaError

_SUITES = PurePosixPath("test/data/suites/w3c")
MANIFESTS = (
    "dawg-data-r2/manifest-syntax.ttl",
    "dawg-data-r2/manifest-evaluation.ttl",
    "sparql11/manifest-all.ttl",
)


def fetch_suites(directory: Path) -> list[Path]:
    """The manifests of the suites below `directory`, fetched with pip if they are not there yet."""
    manifests = [directory / name for name in MANIFESTS]
    if not all(manifest.exists() for manifest in manifests):
        directory.mkdir(parents=True, exist_ok=True)
        _unpack(_downloaded(directory), directory)
    return manifests


def _downloaded(directory: Path) -> Path:
    requirement = f"rdflib=={version('rdflib')}"
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--no-binary", ":all:", "--no-deps",
        "--dest", str(directory), requirement,
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    archives = sorted(directory.glob("rdflib-*.tar.gz"))
    if done.returncode != 0 or not archives:
        last = (done.stderr.strip() or "no archive came").splitlines()[-1]
        raise DenotaError(f"the source distribution of {requirement} cannot be fetched: {last}")
    return archives[-1]


def _unpack(archive: Path, directory: Path) -> None:
    with tarfile.open(archive) as content:
        for member in content:
            inside = PurePosixPath(*PurePosixPath(member.name).parts[1:])
            wanted = inside.is_relative_to(_SUITES) and member.isfile()
            if wanted and inside.relative_to(_SUITES).parts[0] in ("dawg-data-r2", "sparql11"):
                member.name = str(inside.relative_to(_SUITES))
                content.extract(member, directory, filter="data")
