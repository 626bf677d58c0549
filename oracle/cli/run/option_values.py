"""The values of `denota run`'s options: files by the names of streams and graphs, times, texts."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....semantics.model.errors import DenotaError, QueryError
from ....semantics.model.time import TooFineError, parse_duration
from .. import UsageError

if TYPE_CHECKING:
    from ...explanations.query_warnings import GivenTime


def query_text(name: str) -> tuple[str, str]:
    """Return the text of a query's file (- is standard input), and what messages call it."""
    if name == "-":
        return sys.stdin.read(), "<stdin>"
    try:
        return Path(name).read_text(encoding="utf-8-sig"), name
    except UnicodeDecodeError as error:
        raise QueryError("the query is not UTF-8", source=name) from error


def graph_files(options: Iterable[str], prefixes: Mapping[str, str]) -> dict[Any, str]:
    """Return the files of --kb options, by the IRIs of the graphs."""
    def key(name: str) -> Any:
        from ...cases.rdf_text import expanded, iri_of

        return iri_of(expanded(name, prefixes))

    return by_name(options, "--kb", (), key)


def by_name(
    options: Iterable[str], option: str, names: Collection[str], key: Callable[[str], Any]
) -> dict[Any, str]:
    """Return the files of NAME=FILE options by the `key` of NAME; `names` are the likely ones."""
    files: dict[Any, str] = {}
    for given in options:
        written, file = _split(given, option, names)
        iri = key(written)
        if iri in files:
            raise UsageError(f"{option} <{iri}> is given twice")
        files[iri] = file
    return files


def _split(given: str, option: str, known: Collection[str]) -> tuple[str, str]:
    if given.startswith("<") and ">=" in given:
        iri, _, file = given.partition(">=")
        return iri[1:], file
    # Both an IRI and a file name may contain '=': prefer what the query knows, then the first.
    places = [place for place, letter in enumerate(given) if letter == "="]
    if not places:
        raise UsageError(f"{option}: write NAME=FILE, not '{given}'")
    place = next((place for place in places if given[:place] in known), places[0])
    iri, file = given[:place], given[place + 1:]
    if not iri or not file:
        raise UsageError(f"{option}: write NAME=FILE, not '{given}'")
    return iri, file


def instant_of(option: str, written: str) -> int:
    """Return the instant that is the value of an option."""
    from ...api import instant

    try:
        return instant(written)
    except TooFineError as error:
        raise UsageError(f"{option}: {error.message}") from None
    except DenotaError:
        raise UsageError(
            f"{option}: '{written}' is neither an integer nor a dateTime such as "
            "2026-01-01T09:30:00Z"
        ) from None


def duration_of(option: str, written: str) -> int:
    """Return the length of time that is the value of an option."""
    try:
        return parse_duration(written)[0]
    except DenotaError as error:
        raise UsageError(f"{option}: {error.message}") from None


def given_times(arguments: argparse.Namespace) -> list[GivenTime]:
    """Return the times of evaluation, which `evaluation_of` has checked."""
    given = [("--at", each) for each in arguments.at]
    given += [("--from", arguments.start)] * (arguments.start is not None)
    if not given:  # the interface in Python loads rdflib
        return []
    from ...api import moment
    from ...explanations.query_warnings import GivenTime

    return [GivenTime(f"{option} {each}", *moment(each)) for option, each in given]


def evaluation_of(arguments: argparse.Namespace, language: Any) -> dict[str, Any]:
    """Return the options as a case's `evaluate`."""
    evaluation: dict[str, Any] = {}
    if arguments.start is not None:
        evaluation["from"] = instant_of("--from", arguments.start)
    if arguments.at:
        evaluation["at"] = [instant_of("--at", time) for time in arguments.at]
    if arguments.setting is not None:
        evaluation["setting"] = arguments.setting
    if arguments.policy is not None:
        evaluation["policy"] = arguments.policy
    if arguments.period is not None:
        evaluation["period"] = duration_of("--report-period", arguments.period)
    for key in evaluation:
        if key not in language.evaluation_fields:
            raise UsageError(f"{language.title} takes no --{key}")
    return evaluation
