"""Clusters: the failures of a run, by their cause.

Failures of shrunk cases with one cause are one discrepancy: their queries are in one language and
have the same operators and constructs, their readings are the same, what is wrong has the same
shape, and the engine says the same.

Shrinking takes hundreds of questions to the engine, so most failures are counted unshrunk: those
that may well be a cluster's again are shrunk ever more rarely, the 1st, 2nd, 4th, 8th, … of each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import zip_longest
from pathlib import Path
from typing import Final

from ...semantics.model.pretty_printing import preformatted
from ..cases.case import Case
from ..cases.case_writer import case_text
from ..checking.verdicts import Outcome, Verdict
from ..engines.capabilities import needs_of
from ..explanations.plurals import counted
from ..languages.features import features_of
from ..languages.readings import reading_features
from ..reports.console import explanation
from ..reports.run_result import CaseResult
from .reading_search import Readings

SHAPES: Final = (
    "missing", "unexpected", "repeated", "error", "no error", "crash", "timeout", "other",
)
"""The shapes of a failure: answers are missing, unexpected or repeated; there is an error where
there should be none, or none where there should be one; the engine ends, or does not answer."""


_ANSWERS: Final = frozenset({"missing", "unexpected", "repeated"})
_REPEATED: Final = frozenset({"repeated"})


@dataclass(frozen=True)
class Cause:
    """The cause of a discrepancy, which distinguishes it from others.

    `repair` names the first rewriting of its case that cures the failure: then it is the cause.
    Else `features` are operators, constructs and readings of the case. `message` is what the engine
    said as it failed, without what differs from one case to the next. The case of a `flaky` failure
    says little, nor does that of a crash that tells its place, nor one in which answers are only
    repeated: they have no features.
    """

    language: str
    features: frozenset[str]
    shape: frozenset[str]
    message: str = ""
    flaky: bool = False
    repair: str = ""

    def is_same(self, other: Cause) -> bool:
        """Return True if two shrunk failures have one cause: the same repair, or equal causes."""
        if not self.repair:
            return self == other
        return (self.language, self.repair) == (other.language, other.repair) and (
            self.shape == other.shape or self.shape | other.shape <= _ANSWERS
        )

    def may_explain(self, other: Cause) -> bool:
        """Return True if an unshrunk case's failure may be this one, with more around it."""
        return (
            not self.repair
            and self.language in ("", other.language)
            and self.features <= other.features
            and self.shape <= other.shape
            and self.message == other.message
        )

    def is_root_of(self, other: Cause) -> bool:
        """Return True if another cause is most likely this one.

        Errors, crashes and timeouts are one cause if the engine says the same. Wrong answers are
        one if the other case has all features of this one and at most one more, which shrinking
        could not remove: whether answers are missing or unexpected is often due to the streams.
        Answers that are only repeated are apart.
        """
        if self.repair or (self.language, self.message, self.flaky, "") != (
            other.language, other.message, other.flaky, other.repair
        ):
            return False
        if self.shape <= _ANSWERS and other.shape <= _ANSWERS:
            repeated = self.shape == _REPEATED, other.shape == _REPEATED
            more = other.features - self.features
            return len(set(repeated)) == 1 and self.features <= other.features and len(more) <= 1
        return self.shape == other.shape

    def __str__(self) -> str:
        features = sorted(self.features) or ["any"]
        about = f"{'feature' if len(features) == 1 else 'features'}: {', '.join(features)}"
        if self.repair:
            about = f"cured by '{self.repair}'"
        said = f": {self.message}" if self.message else ""
        return f"{about}; {_in_words(self.shape)}{said}"


def _in_words(shape: frozenset[str]) -> str:
    kinds = in_order(shape)
    return f"{kinds.replace('repeated', 'duplicate')} results" if shape <= _ANSWERS else kinds


def in_order(shape: Iterable[str]) -> str:
    """Return a shape in words."""
    return ", ".join(sorted(shape, key=SHAPES.index))


def cause_of(
    case: Case, verdict: Verdict, *, flaky: bool = False, repair: str = ""
) -> Cause:
    """Return the cause of a shrunk case's failure; of another's, what its cause is among."""
    shape, message = shape_of(verdict), message_of(verdict)
    if verdict.outcome is Outcome.CRASH and not flaky and _place_of(verdict):
        return Cause("", frozenset(), shape, message)  # whatever the query is
    if flaky:
        return Cause(case.language_name, frozenset(), shape, message, flaky=True)
    if shape == {"error"}:
        message = _without_names(message, case)
    elif shape == {"no error"}:
        message = _without_names(_QUOTED.sub("…", _without_noise(verdict.detail)), case)
    if repair or shape == _REPEATED:
        return Cause(case.language_name, frozenset(), shape, message, repair=repair)
    known = features_of(case.language_name)
    features = known.query_features(case.tree) | reading_features(case.readings)
    return Cause(case.language_name, features, shape, message)


def kind_of(verdict: Verdict) -> str:
    """Return `answers` for wrong answers, otherwise the outcome of the failure."""
    shape = shape_of(verdict)
    return "answers" if shape <= _ANSWERS and shape != _REPEATED else in_order(shape)


def shape_of(verdict: Verdict) -> frozenset[str]:
    """Return the shape of a failure."""
    match verdict.outcome:
        case Outcome.CRASH | Outcome.TIMEOUT:
            return frozenset({str(verdict.outcome)})
    if is_error(verdict):
        return frozenset({"error"})
    if verdict.level is not None and verdict.detail:
        return frozenset({"no error"})
    sides = {
        "missing": verdict.missing, "unexpected": verdict.unexpected, "repeated": verdict.duplicate,
    }
    return frozenset(side for side, answers in sides.items() if answers) or frozenset({"other"})


def is_error(verdict: Verdict) -> bool:
    """Return True if the engine returned an error for a query that has a meaning."""
    return verdict.outcome is Outcome.FAIL and verdict.detail.startswith("error: ")


def all_features(case: Case) -> frozenset[str]:
    """Return all features of a case: those of its query, its streams and its readings."""
    needs = needs_of(case)
    query = features_of(case.language_name).query_features(case.tree)
    return frozenset().union(query, *(needs[group] for group in needs if group != "streams"))


# --- what was said --------------------------------------------------------------------------------

_PLACE = re.compile(r"line \d+|\.\w+:\d+(?::\d+)?")
_KEPT = re.compile(_PLACE.pattern + r"|exit code -?\d+")
_NOISE = re.compile(
    r"""0x[0-9a-fA-F]+|@[0-9a-f]{5,}                # addresses, hashes of Java's objects
    |<[^<>\s]+>                                     # IRIs
    |[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}          # UUIDs
    |(?:/[\w.+-]+)+/                                # folders
    |-?\d+(?:[.,:/-]?\d+)*                          # numbers, dates, times
    """,
    re.VERBOSE,
)
_QUOTED = re.compile(r"""'[^'\n]*'|"[^"\n]*\"""")


def message_of(verdict: Verdict) -> str:
    """Return the engine's message for a failure, without the parts that differ between cases."""
    if is_error(verdict):
        return _QUOTED.sub("…", _without_noise(verdict.detail.removeprefix("error: ")))
    return last_words(verdict)


_WORD = re.compile(r"(?<!\w)[?:$]?[A-Za-z_]\w*")
_KEYWORD = re.compile(r"[A-Z_]{2,}")
_ENGLISH: Final = frozenset({
    "a", "an", "and", "as", "at", "be", "by", "for", "has", "in", "is", "it", "no", "not", "of",
    "on", "or", "the", "to", "with",
})


def _without_names(message: str, case: Case) -> str:
    """Return a message without the names in the query: its variables, types, attributes, prefixes.

    In the texts of generated cases, which are printed, keywords are in capitals.
    """
    names = {
        word for word in _WORD.findall(case.text)
        if not _KEYWORD.fullmatch(word) and word not in _ENGLISH
    }
    return _WORD.sub(lambda found: "…" if found[0] in names else found[0], message)


_SIGNAL = re.compile(r"\bsignal (\w+)")
_EXIT = re.compile(r"\bexit code -?\d+")
_FRAME = re.compile(  # the innermost one of Python, and what was raised there
    r'File "(?:[^"\n]*/)?([^"\n]+)", (line \d+)(?:, in ([^\n]+))?\n'
    r'(?:(?![ \t]*File ")[ \t][^\n]*\n)*([A-Za-z_][\w.]*)(?=:|\s|$)'
)
_AT = re.compile(r"\s+at (\S.*)")  # of Java and JavaScript, the innermost first
_RAISED = re.compile(
    r"(?:Exception in thread .*? |Caused by: |Uncaught )?"
    r"([\w$.]*(?:Exception|Error|Throwable|\.[\w$]+))(?::|$)"
)
_PANIC = re.compile(r"panicked at (?:'.*', )?(\S+?\.rs:\d+:\d+)")
_ASSERTION = re.compile(r"(\S+\.\w+:\d+): .*\bAssertion\b")
_THROWN = re.compile(r"terminate called after throwing an instance of '([^'\n]+)'")


def last_words(verdict: Verdict) -> str:
    """Return what tells one crash from another; '' if the engine did not crash.

    That is the exception with its place or, without one, the signal. Else it is what was said
    last, without what differs from one to the next. Messages may quote the query and its data.
    """
    if verdict.outcome is not Outcome.CRASH:
        return ""
    signal, status = _SIGNAL.search(verdict.detail), _EXIT.search(verdict.detail)
    if place := _place_of(verdict):
        return place
    if signal is not None:
        thrown = _THROWN.search(verdict.stderr)
        return signal[0] if thrown is None else f"{signal[0]}, {thrown[1]}"
    lines = [line.strip() for line in verdict.stderr.splitlines() if line.strip()]
    if verdict.detail and (status is None or not lines):
        lines = [verdict.detail]
    ended = f"{status[0]}: " if status is not None and lines != [verdict.detail] else ""
    return ended + _QUOTED.sub("…", _without_noise(lines[-1] if lines else ""))


def _place_of(verdict: Verdict) -> str:
    """Return the exception of a crash with its place, '' if no such are known."""
    said = verdict.stderr
    for pattern in (_PANIC, _ASSERTION):
        if found := [*pattern.finditer(said)]:
            return _without_noise(found[-1][1])
    if _SIGNAL.search(verdict.detail):  # what the program caught before has not ended it
        return ""
    if found := [*_FRAME.finditer(said)]:
        file, line, function, raised = found[-1].groups()
        return f"{raised} in {file}, {function or 'module'}, {line}"
    lines = said.splitlines()
    starts = [
        k for k, line in enumerate(lines) if _AT.match(line) and not (k and _AT.match(lines[k - 1]))
    ]
    if not starts:
        return ""
    at = _AT.match(lines[starts[-1]])
    raised_before = (_RAISED.match(line) for line in reversed(lines[: starts[-1]]))
    named = next((each[1] for each in raised_before if each is not None), "")
    return f"{named} at {_without_noise(at[1])}" if at is not None else ""


def _without_noise(line: str) -> str:
    kept = _KEPT.findall(line)
    pieces = (_NOISE.sub("…", piece) for piece in _KEPT.split(line))
    return "".join(piece + place for piece, place in zip_longest(pieces, kept, fillvalue=""))


@dataclass(frozen=True)
class Discrepancy:
    """A shrunk case on which engine and oracle differ; its expectation is the oracle's answer.

    `verdict` speaks of the shrunk case, `example` is the number (from 1) of the generated case that
    it was shrunk from, `path` is where it was saved. It is `flaky` if the engine, asked again in
    a new process, did not fail in this way. `engine` names the engine as it was set up.
    """

    case: Case
    verdict: Verdict
    example: int
    path: Path | None = None
    flaky: bool = False
    engine: str = ""

    def __str__(self) -> str:
        judged = CaseResult(self.case, self.verdict, self.case.id)
        lines = [self.case.title, "", *explanation(judged), "", case_text(self.case)]
        return "\n".join(lines).rstrip()

    def _repr_html_(self) -> str:
        return preformatted(str(self))


@dataclass(eq=False)
class Cluster:
    """The failures of one cause, with the first witness of it.

    `count` is how many failing cases are counted here, `shrunk` how many of them were shrunk to
    this cause; the others have all that it has. `meanings` are other readings of the witness under
    which the definitions answer as the engine does, each of them alone: then it is a difference of
    meaning. `read_so` counts the cases that were found to be answered under one of them as they
    were generated. `variants` are failures that most likely have the same cause, with more features
    around it; `count` includes them.
    """

    cause: Cause
    witness: Discrepancy
    count: int = 1
    shrunk: int = 1
    meanings: tuple[Readings, ...] = ()
    read_so: int = 0
    variants: list[Cluster] = field(default_factory=list)

    def _repr_html_(self) -> str:
        many = f"{counted(self.count, 'case')}; {self.cause}"
        return f"<p>{escape(many)}</p>\n{self.witness._repr_html_()}"

    def has_variant(self, other: Cluster) -> bool:
        """Return True if another cluster most likely has the cause of this one."""
        same_meaning = self.meanings == other.meanings or any(
            each in other.meanings for each in self.meanings
        )
        return same_meaning and self.cause.is_root_of(other.cause)


@dataclass
class Counted:
    """The number of unshrunk failures, by the cluster or known difference that may be their cause.

    >>> counted = Counted()
    >>> [number for number in range(1, 10) if counted.worth_shrinking("cluster")]
    [1, 2, 4, 8]
    """

    times: dict[object, int] = field(default_factory=dict)

    def worth_shrinking(self, explanation: object) -> bool:
        """Count one more that this may explain; whether it is to be shrunk all the same."""
        times = self.times[explanation] = self.times.get(explanation, 0) + 1
        return is_worth_shrinking(times)


def is_worth_shrinking(times: int) -> bool:
    """Return True if the failure number `times` of its kind is shrunk: the 1st, 2nd, 4th, …"""
    return times & (times - 1) == 0


def likeliest(clusters: Sequence[Cluster], found: Cause) -> Cluster | None:
    """Return the cluster, or a variant of one, that most likely explains an unshrunk failure."""
    explaining = (each for each in with_variants(clusters) if each.cause.may_explain(found))
    return max(explaining, key=_detail, default=None)


def of_cause(clusters: Sequence[Cluster], cause: Cause) -> Cluster | None:
    """Return the cluster, or variant of one, of a shrunk failure."""
    return next((each for each in with_variants(clusters) if each.cause.is_same(cause)), None)


def count_one(clusters: Sequence[Cluster], found: Cluster) -> None:
    """Count one more failure of a cluster, or of a variant and its cluster."""
    found.count += 1
    for each in clusters:
        each.count += found in each.variants


def add_cluster(clusters: list[Cluster], new: Cluster) -> None:
    """Add a cluster, or make it a variant of one, or others variants of it."""
    root = next((each for each in clusters if each.has_variant(new)), None)
    if root is not None:
        root.variants.append(new)
        root.count += new.count
        return
    for each in [each for each in clusters if new.has_variant(each)]:
        clusters.remove(each)
        new.count += each.count
        each.count -= sum(variant.count for variant in each.variants)
        new.variants += [each, *each.variants]
        each.variants = []
    clusters.append(new)


def with_variants(clusters: Sequence[Cluster]) -> Iterator[Cluster]:
    """Return the clusters, each before its variants."""
    for each in clusters:
        yield each
        yield from each.variants


def _detail(cluster: Cluster) -> tuple[int, int]:
    return len(cluster.cause.features), len(cluster.cause.shape)
