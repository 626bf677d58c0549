"""Killers: fuzzing with two seeds, the corpus, laws, properties, unit tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .faults import Fault

GRAPH_PATTERNS = "sparql"
_RDF = ("spaseq", "rsepql", "cqels", "epsparql")

LANGUAGES: Mapping[str, tuple[str, ...]] = {
    "graphs": (GRAPH_PATTERNS, *_RDF),
    **{name: (name,) for name in (*_RDF, "ceql")},
}
"""In what cases of what languages a part's faults may show."""

FOLDERS: Mapping[str, str] = {
    **{name: name for name in (*_RDF, "ceql")}, "graphs": "rdf",
}
"""The folder of a part in the engine, and in the tests."""

FUZZ, FUZZ_AGAIN = "fuzz", "fuzz again"
SEEDS: Mapping[str, int] = {FUZZ: 1, FUZZ_AGAIN: 2}
"""The seed of each fuzzing run. Generators were tuned with the first one only."""
SUITES = ("corpus", "unit", "properties", "laws")
"""What `.ci/run` asks, the cheapest first."""
NAMES = (*SEEDS, *SUITES)
"""All ways to look for a fault."""


@dataclass(frozen=True)
class Kill:
    """What came of one fault and one killer.

    `cases`, `operators` and `items` are fuzzing's: cases until the fault was found, and the size of
    the shrunk witness. `seconds` is processor time: until the fault was found, or all that the
    killer took.
    """

    fault: str
    by: str
    killed: bool
    seconds: float
    cases: int | None = None
    operators: int | None = None
    items: int | None = None
    language: str | None = None

    def __str__(self) -> str:
        if not self.killed:
            return f"not by {self.by} ({self.seconds:.1f} s)"
        after = f" after {self.cases} cases" if self.cases is not None else ""
        return f"by {self.by}{after} ({self.seconds:.1f} s)"


class Results:
    """What is known by now: for each fault and killer, what came of it. Kept in files.

    Of several lines about one fault and killer the last one holds; what is new is written to the
    first file.
    """

    def __init__(self, path: Path, *more: Path) -> None:
        self._path = path
        self.kills: dict[tuple[str, str], Kill] = {}
        for each in (path, *more):
            if not each.exists():
                continue
            for line in each.read_text(encoding="utf-8").splitlines():
                found = Kill(**json.loads(line))
                self.kills[found.fault, found.by] = found

    def add(self, found: Kill) -> None:
        """Keep what came of a fault, at once."""
        self.kills[found.fault, found.by] = found
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(vars(found)) + "\n")

    def asked(self, fault: Fault, by: str) -> bool:
        """Whether it is known what comes of the fault under this killer."""
        return (fault.name, by) in self.kills

    def found_by(self, fault: Fault) -> list[str]:
        """The killers that find the fault."""
        return [
            name for name in NAMES
            if (kill := self.kills.get((fault.name, name))) is not None and kill.killed
        ]
