"""Known differences: what is written down of an engine, recognised in what a run meets.

The file's format is docs/fuzzing.md's, and corpus/known.schema.json's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from ...semantics.model.errors import DenotaError, nearest
from ..cases.case import Case
from ..cases.yaml_nodes import Node, read_yaml
from ..checking.verdicts import Outcome, Verdict
from ..engines.capabilities import Name, avoidable, needs_of
from ..engines.engine import Engine
from ..languages.registry import is_language, names
from .clusters import SHAPES, all_features, kind_of, shape_of
from .reading_search import Readings, is_read_so
from .repairs import after_repair, repaired, repairs_of

_FILE: Final = ("engine", "versions", "known")
_ENTRY: Final = (
    "name", "what", "versions", "language", "features", "shape", "message", "repair", "reading",
)
_SHAPES: Final = tuple(each for each in SHAPES if each not in ("missing", "unexpected", "other"))


@dataclass(frozen=True)
class KnownDifference:
    """One entry of a file.

    A failure is this one if it is cured: by the `reading` under which the definitions answer as the
    engine does, or by the `repair`, a rewriting after which the case passes. Without either, the
    engine itself says why it fails, in its `message` (a regular expression) or by the `shape` of
    the failure. With a repair, a failure without `shape` is one of wrong answers.
    """

    name: str
    what: str
    engine: str
    versions: tuple[str, ...]
    language: str
    features: frozenset[str] = frozenset()
    shape: frozenset[str] = frozenset()
    message: re.Pattern[str] | None = None
    repair: str = ""
    reading: tuple[tuple[str, str], ...] = ()
    source: str = ""

    def is_about(self, engine: Engine) -> bool:
        """Return True if it is known of this engine in its version."""
        return engine.name.partition(":")[0] == self.engine and any(
            fnmatchcase(engine.version, version) for version in self.versions
        )

    def may_explain(self, case: Case, verdict: Verdict) -> bool:
        """Return True if a failure has all of its features; a repair must still cure it."""
        shown = shape_of(verdict) == self.shape if self.shape else kind_of(verdict) == "answers"
        return shown and self._says(verdict) and self.describes(case)

    def describes(self, case: Case) -> bool:
        """Return True if a case has the language, the features and a part to repair."""
        return (
            case.language_name == self.language
            and self.features <= all_features(case)
            and (not self.repair or repaired(case, self.repair) is not None)
        )

    def after(
        self, case: Case, verdict: Verdict, engine: Engine, *, timeout: float | None
    ) -> tuple[Case, Verdict] | None:
        """Return the rest of a failure: a case that passes if it is this one.

        None if this has nothing to do with it.
        """
        passed = case, Verdict(Outcome.PASS)
        if self.reading:
            is_this = (
                case.language_name == self.language
                and verdict.outcome is Outcome.FAIL
                and is_read_so(case, dict(self.reading), engine, timeout=timeout)
            )
            return passed if is_this else None
        if not self.may_explain(case, verdict):
            return None
        if not self.repair:
            return passed
        return after_repair(case, verdict, self.repair, engine, timeout=timeout)

    def is_it(
        self, case: Case, verdict: Verdict, engine: Engine, *, timeout: float | None
    ) -> bool:
        """Return True if a failure is this one, and nothing else."""
        left = self.after(case, verdict, engine, timeout=timeout)
        return left is not None and left[1].ok

    def _says(self, verdict: Verdict) -> bool:
        said = f"{verdict.detail}\n{verdict.stderr}"
        return self.message is None or self.message.search(said) is not None


_WITHOUT_ANSWER: Final = frozenset({"error", "crash", "timeout"})
_FIRST: Final = (4, 16)
_EVERY: Final = 64  # of the cases that a known refusal foretells, one is checked all the same
_ENOUGH, _NEARLY = 8, 0.9  # cases with a feature, and their share, that are refused as is known


@dataclass
class KnownRefusals:
    """The known differences that leave a case without an answer, and how often a run meets them.

    Such a case shows nothing else of the engine, so the run passes it over. An entry foretells a
    refusal when three cases or more, and three of four checked cases that it describes, are
    refused as it says.
    """

    known: Sequence[KnownDifference] = ()
    described: Counter[str] = field(default_factory=Counter)
    met: Counter[str] = field(default_factory=Counter)
    foretold: Counter[str] = field(default_factory=Counter)
    cases: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """The cases by language, group of features and feature; `refused` are some of them."""
    refused: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.known = [
            each for each in self.known
            if each.shape and each.shape <= _WITHOUT_ANSWER and each.features and not each.repair
        ]

    def learn(self, case: Case, verdict: Verdict) -> None:
        """Count a checked case."""
        refused = False
        for each in self.known:
            if each.describes(case):
                is_met = verdict.is_failure and each.may_explain(case, verdict)
                self.described[each.name] += 1
                self.met[each.name] += is_met
                refused |= is_met
        self._count(case, refused=refused)

    def foretell(self, case: Case) -> str | None:
        """Return the name of the entry for which a case is passed over.

        Of the cases that an entry foretells, the 4th, the 16th and every 64th are checked
        nevertheless: the entry may describe more than the engine refuses.
        """
        for each in self.known:
            met = self.met[each.name]
            if met >= 3 and 4 * met >= 3 * self.described[each.name] and each.describes(case):
                self.foretold[each.name] += 1
                times = self.foretold[each.name]
                if times % _EVERY == 0 or times in _FIRST:
                    return None
                self._count(case, refused=True)
                return each.name
        return None

    def avoidable(self, language: str) -> frozenset[Name]:
        """Return the features that the generator can avoid and of which nearly all are refused."""

        def is_refused(group: str, name: str) -> bool:
            count = self.refused[language, group, name]
            return count >= max(_ENOUGH, _NEARLY * self.cases[language, group, name])

        return avoidable(language, is_refused)

    def _count(self, case: Case, *, refused: bool) -> None:
        if self.known:
            for group, names in needs_of(case).items():
                found = [(case.language_name, group, name) for name in names]
                self.cases.update(found)
                if refused:
                    self.refused.update(found)


def read_known(path: Path) -> tuple[KnownDifference, ...]:
    """Return the known differences in a file; raises CaseError with line and column, or OSError."""
    root = read_yaml(path.read_bytes(), str(path))
    given = root.mapping("a file of known differences", _FILE)
    for key in _FILE:
        if key not in given:
            raise root.error(f"'{key}' is missing")
    engine = given["engine"].text("engine")
    versions = _texts(given["versions"], "versions")
    found: dict[str, KnownDifference] = {}
    for node in given["known"].sequence("known"):
        entry = _entry(node, engine, versions, str(path))
        if entry.name in found:
            raise node.error(f"there are two known differences '{entry.name}'")
        found[entry.name] = entry
    return tuple(found.values())


def known_of(
    known: Sequence[KnownDifference], engine: Engine
) -> tuple[KnownDifference, ...]:
    """Return the known differences of an engine; raises DenotaError if a file has none for it."""
    about = tuple(each for each in known if each.is_about(engine))
    for source in dict.fromkeys(each.source for each in known):
        if not any(each.source == source for each in about):
            there = {f"{e.engine} {', '.join(e.versions)}" for e in known if e.source == source}
            raise DenotaError(
                f"{source} knows nothing of {f'{engine.name} {engine.version}'.strip()}"
                f" (but of {'; '.join(sorted(there))})"
            )
    return about


def _entry(
    node: Node, engine: str, versions: tuple[str, ...], source: str
) -> KnownDifference:
    given = node.mapping("a known difference", _ENTRY)
    for key in ("name", "what", "language"):
        if key not in given:
            raise node.error(f"a known difference needs '{key}'")
    if not {"shape", "repair", "reading"} & {*given}:
        raise node.error("a known difference needs a 'repair', a 'reading' or a 'shape'")
    for key in ("features", "message"):
        if key in given and "shape" not in given:
            raise given[key].error(f"'{key}' needs a 'shape' beside it")
    language = given["language"].text("language")
    if not is_language(language):
        raise given["language"].error(
            f"there is no language '{language}'{nearest(language, names())}"
        )
    return KnownDifference(
        name=given["name"].text("name"),
        what=given["what"].text("what"),
        engine=engine,
        versions=_texts(given["versions"], "versions") if "versions" in given else versions,
        language=language,
        features=frozenset(_texts(given["features"], "features") if "features" in given else ()),
        shape=frozenset(_shape(given["shape"]) if "shape" in given else ()),
        message=_pattern(given["message"]) if "message" in given else None,
        repair=_repair(given["repair"], language) if "repair" in given else "",
        reading=_reading(given["reading"], language) if "reading" in given else (),
        source=source,
    )


def _texts(node: Node, what: str) -> tuple[str, ...]:
    found = tuple(each.text(f"one of the {what}") for each in node.sequence(what))
    if not found:
        raise node.error(f"{what} must name at least one")
    return found


def _shape(node: Node) -> tuple[str, ...]:
    for each in node.sequence("shape"):
        name = each.text("a shape")
        if name not in _SHAPES:
            raise each.error(
                f"a known difference has no shape '{name}'{nearest(name, _SHAPES)}"
                f" (there is: {', '.join(_SHAPES)})"
            )
    return _texts(node, "shape")


def _pattern(node: Node) -> re.Pattern[str]:
    try:
        return re.compile(node.text("message"))
    except re.error as error:
        raise node.error(f"'message' is no regular expression: {error}") from None


def _repair(node: Node, language: str) -> str:
    name, there = node.text("repair"), repairs_of(language)
    if name not in there:
        raise node.error(
            f"{language} has no repair '{name}'{nearest(name, there)}"
            f" (it has: {', '.join(there) or 'none'})"
        )
    return name


def _reading(node: Node, language: str) -> tuple[tuple[str, str], ...]:
    from ..languages.registry import language as language_named

    named: Readings = {
        name: value.text("a reading's value") for name, value in node.mapping("reading").items()
    }
    try:
        language_named(language).readings(named)
    except DenotaError as error:
        raise node.error(error.message) from None
    if not named:
        raise node.error("'reading' names none")
    return tuple(named.items())

