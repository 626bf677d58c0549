"""Certificates: the cases and verdicts of a finished sweep, and the command that repeats it.

It speaks of *all* cases of a language within bounds. What it says does not depend on the machine,
on how the work was cut or on how long it took; the file's form is corpus/certificate.schema.json.
"""

from __future__ import annotations

import json
import platform
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from html import escape
from pathlib import Path
from typing import Any

import jsonschema

from ...semantics.model.errors import DenotaError
from ...semantics.streams.files.input_errors import input_errors, json_value
from ...semantics.streams.files.outputs import write_text
from ..explanations.plurals import counted
from ..languages.enumeration import Bounds, blocks
from ..languages.registry import alphabets_of, having, language, part_of
from .space import Space

FILE = "certificate.json"
PARAGRAPH = "certificate.md"
FORMAT = 2
"""The version of the form; certificates of version 1 state no grammar and are out of date."""

AGAINST = ("fail", "timeout", "crash")
"""The outcomes that speak against an engine."""

_SCHEMA = Path(__file__).resolve().parents[2] / "corpus" / "certificate.schema.json"


class CertificateError(DenotaError):
    """A file that is no certificate, or speaks of cases that there are not."""


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions of denota, of the engine under test and of Python."""

    denota: str
    engine: str
    python: str

    @classmethod
    def here(cls, engine: str) -> Versions:
        """Return the versions of this process, for an engine of this version."""
        from ... import __version__

        return cls(__version__, engine, platform.python_version())


@dataclass(frozen=True)
class Certificate:
    """The result of a sweep of an engine over all cases of `language` within `bounds`.

    `engine` is how the command line calls it, `name` how it calls itself. `verdicts` counts the
    outcomes, and `digest` is that of `sweeps.digest`, in hexadecimal.
    """

    language: str
    bounds: Bounds
    engine: str
    name: str
    timeout: float
    versions: Versions
    cases: int
    verdicts: Mapping[str, int]
    digest: str

    @cached_property
    def space(self) -> Space:
        """The cases."""
        return Space.of(self.language, self.bounds)

    @property
    def failures(self) -> int:
        """Return the number of failing cases."""
        return sum(self.verdicts.get(outcome, 0) for outcome in AGAINST)

    @property
    def command(self) -> str:
        """The command that repeats it."""
        bounds = self.bounds
        words = [
            "denota", "sweep", "--enumerate", self.language,
            "--max-operators", str(bounds.operators), "--max-events", str(bounds.length),
            *_options(self),
        ]
        if self.engine != "production":
            words += ["--engine", self.engine]
        if self.timeout != 10.0:
            words += ["--timeout", f"{self.timeout:g}"]
        return shlex.join([*words, "-o", "DIR"])

    @property
    def statement(self) -> str:
        """The certificate as a paragraph."""
        bounds, versions = self.bounds, self.versions
        readings = ", ".join(f"{k}={v}" for k, v in sorted(bounds.readings.items()))
        told = (
            "All cases passed: the engine and the oracle return the same results."
            if self.verdicts.get("pass", 0) == self.cases else f"{_counts(self.verdicts)}."
        )
        return (
            f"{self.name} {versions.engine} was tested by denota {versions.denota} on all "
            f"{self.cases:,} cases of {language(self.language).title} with "
            f"{in_words(self.language, bounds)}, under "
            f"{f'the readings {readings}' if readings else 'the default readings'}. {told} "
            f"Digest of the verdicts: {self.digest}. Reproduce with: {self.command}"
        )

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.statement)}</p>"

    def as_json(self) -> dict[str, Any]:
        """Return the certificate as a JSON object."""
        bounds = {**asdict(self.bounds), "readings": dict(self.bounds.readings)}
        space = self.space
        return {
            "certificate": FORMAT,
            "statement": self.statement,
            "language": self.language,
            "bounds": {**bounds, "alphabet": _alphabet(self)},
            "grammar": space.enumeration.grammar,
            "readings": dict(language(self.language).reading_names(space.enumeration.readings)),
            "engine": self.engine,
            "name": self.name,
            "timeout": self.timeout,
            "versions": asdict(self.versions),
            "cases": self.cases,
            "blocks": [
                {
                    "operators": each.operators, "events": each.events,
                    "queries": space.queries(each.operators), "cases": each.cases,
                }
                for each in space.blocks
            ],
            "verdicts": {outcome: self.verdicts.get(outcome, 0) for outcome in _OUTCOMES},
            "digest": self.digest,
            "command": self.command,
        }


_OUTCOMES = ("pass", "fail", "unsupported", "timeout", "crash")


def write_certificate(certificate: Certificate, directory: Path) -> Path:
    """Write it and its paragraph into a sweep's directory; the file appears in one step."""
    path = directory / FILE
    text = json.dumps(certificate.as_json(), indent=2, ensure_ascii=False)
    write_text(path, text + "\n")
    write_text(directory / PARAGRAPH, certificate.statement + "\n")
    return path


def read_certificate(path: Path) -> Certificate:
    """Return the certificate in a file; raises CertificateError with a message of one line."""
    with input_errors(str(path), kind=CertificateError):
        text = path.read_text(encoding="utf-8")
    told = json_value(text, str(path), kind=CertificateError)
    for wrong in sorted(_validator().iter_errors(told), key=lambda each: list(map(str, each.path))):
        place = "/".join(map(str, wrong.absolute_path))
        message = " ".join(wrong.message.split())
        if len(message) > 200:  # a value that is too long; the end says what is wrong with it
            message = f"{message[:80]} … {message[-80:]}"
        raise CertificateError(
            f"not a certificate: {place + ': ' if place else ''}{message}", source=str(path)
        )
    told = _with_integers(told)
    for problem in _problems(told):
        raise CertificateError(f"not a certificate: {problem}", source=str(path))
    bounds = Bounds(**told["bounds"])
    return Certificate(
        told["language"], bounds, told["engine"], told["name"], told["timeout"],
        Versions(**told["versions"]), told["cases"], told["verdicts"], told["digest"],
    )


def _with_integers(told: Any) -> Any:
    """Return the value with an int for each whole number but the timeout: JSON has 2.0 for 2."""
    match told:
        case dict():
            return {
                key: each if key == "timeout" else _with_integers(each)
                for key, each in told.items()
            }
        case list():
            return list(map(_with_integers, told))
        case float() if told.is_integer():
            return int(told)
    return told


@cache
def _validator() -> Any:
    schema = json.loads(_SCHEMA.read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema)


def _problems(told: Mapping[str, Any]) -> Iterator[str]:
    """Yield the problems that a schema cannot detect."""
    if told["language"] not in having("enumerate"):
        yield f"no cases of '{told['language']}' are enumerated"
    elif _grammar(told) != told.get("grammar"):
        yield "its cases are of another grammar, version or restriction: repeat its command"
    if sum(told["verdicts"].values()) != told["cases"]:
        yield f"{told['cases']:,} cases, but {sum(told['verdicts'].values()):,} verdicts"
    bounds, listed = told["bounds"], told["blocks"]
    # Compared before they are listed: bounds that nobody can have checked may have no end.
    if len(listed) != (bounds["operators"] + 1) * (bounds["length"] + 1) or any(
        (each["operators"], each["events"]) != place
        for each, place in zip(listed, blocks(bounds["operators"], bounds["length"]), strict=True)
    ):
        yield "the blocks are not those of its bounds"
    if sum(block["cases"] for block in told["blocks"]) != told["cases"]:
        yield f"the blocks do not have {told['cases']:,} cases"


def _grammar(told: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the grammar of cases within these bounds; the stated one if there are no cases."""
    try:
        return Space.of(told["language"], Bounds(**told["bounds"])).enumeration.grammar
    except DenotaError:  # counting the cases raises it again
        return told.get("grammar")


# --- words ---------------------------------------------------------------------------------------


def in_words(name: str, bounds: Bounds) -> str:
    """Return the operators and events, the alphabet if there are several, and the windows."""
    return ", ".join([so_many(bounds), *beyond(name, bounds, usual=True)])


def so_many(bounds: Bounds) -> str:
    """Return the numbers of operators and events."""
    operators, events = bounds.operators, bounds.length
    return f"at most {counted(operators, 'operator')} and {counted(events, 'event')}"


def beyond(name: str, bounds: Bounds, *, usual: bool = False) -> Iterator[str]:
    """Yield the alphabet and the windows; the language's default alphabet only on request."""
    known = list(alphabets_of(name))
    if bounds.alphabet in (known if usual else known[1:]):
        yield f"alphabet '{bounds.alphabet}'"
    if bounds.within is not None:
        slide = "" if bounds.slide is None else f" that slide by {bounds.slide}"
        what = part_of(name, "enumerate").ENUMERATION.within_is
        yield f"{what} {bounds.within}{' events' if bounds.events else ''}{slide}"


def _alphabet(certificate: Certificate) -> str:
    """Return the alphabet's name; empty for an unknown one: then the language's first is used."""
    alphabet = certificate.bounds.alphabet
    return alphabet if alphabet in alphabets_of(certificate.language) else ""


def _options(certificate: Certificate) -> Iterator[str]:
    bounds, alphabet = certificate.bounds, _alphabet(certificate)
    usual = next(iter(alphabets_of(certificate.language)), "")
    if alphabet not in ("", usual):  # what the command line takes by itself
        yield from ("--alphabet", alphabet)
    if bounds.within is not None:
        yield from ("--within", f"{bounds.within} EVENTS" if bounds.events else str(bounds.within))
    if bounds.slide is not None:
        yield from ("--slide", str(bounds.slide))
    for reading, value in sorted(bounds.readings.items()):
        yield from ("--reading", f"{reading}={value}")


def _counts(verdicts: Mapping[str, int]) -> str:
    return ", ".join(f"{verdicts[name]:,} {name}" for name in _OUTCOMES if verdicts.get(name))
