"""`denota.check_recorded`: are recorded answers right, and under which settings?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

from rdflib.term import URIRef

from ...semantics.model.errors import DenotaError, QueryError, StreamError
from ...semantics.model.items import TimeKind, TimestampedGraph
from ...semantics.model.terms import Graph
from ...semantics.model.time import parse_duration
from ...semantics.rsepql.syntax.settings import SETTINGS, EngineSetting
from ...semantics.rsepql.syntax.tree import RsepqlQuery
from ..api import graph_of, items_of
from ..cases.rdf_text import iri_of
from .recordings import (
    Recording,
    parse_recording,
    read_recording,
    recording_of,
    stream_at,
    time_kind,
    unit_of,
)
from .schedules import Setting
from .setting_search import AnswersJudge, AnswersVerdict
from .snapshots import ContinuousQuery, Snapshots, continuous_query, judged
from .values import TOLERANCE

DEFAULT_DELAY = 1_000_000
"""The default maximum delay of an answer: a second (on integer streams: not at all)."""


def check_recorded(
    query: str | RsepqlQuery,
    streams: Mapping[str, Any] | Any,
    answers: Any,
    *,
    setting: str | None = None,
    delay: int | str | None = None,
    kb: Mapping[str, Any] | None = None,
    window: str | None = None,
    stream_unit: str | None = None,
    answers_unit: str | None = None,
    periods: Sequence[int | str] = (),
    tolerance: float | Fraction = TOLERANCE,
    allow_empty: bool = False,
) -> AnswersVerdict:
    """Return every setting under which recorded answers are right, or the closest setting.

    Args:
        query: in RSEP-QL, C-SPARQL, CQELS or SPARQLstream, or plain SPARQL with `window`.
        streams: streams by their IRIs, or a single one. A stream is one of `denota.run`, or a
            folder or file pattern of RDF files with their times in their names.
        answers: a file, JSON text or value, or a Recording.
        setting: csparql, cqels or sparqlstream (default: any): the settings that are tried.
        delay: the maximum delay of an answer after its evaluation time: a duration, or a number
            of the streams' unit (default: 1 s, on integer streams 0).
        kb: static background graphs by their IRIs.
        window: range, or range and slide: "10s", "10s/2s".
        stream_unit: the time unit of numbers in file names (default: 1 s).
        answers_unit: the time unit of the answers (default: ms).
        periods: periods of periodic reports to try, besides the streams' granularity.
        tolerance: the largest difference of equal decimal numbers.
        allow_empty: whether answers without rows may be right where a setting has no answer.
    """
    asked = RecordedQuestion.of(query, streams, kb=kb, window=window, stream_unit=stream_unit)
    return asked.check(
        answers, setting=setting, delay=delay, answers_unit=answers_unit, periods=periods,
        tolerance=tolerance, allow_empty=allow_empty,
    )


class RecordedQuestion:
    """A query over streams, of which recordings are checked one by one."""

    def __init__(
        self,
        query: ContinuousQuery,
        streams: Mapping[URIRef, Sequence[TimestampedGraph]],
        kind: TimeKind,
        kb: Mapping[URIRef, Graph] | None = None,
        *,
        by_definition: bool = False,
    ) -> None:
        self.query = query
        self.kind = kind
        self._judge = AnswersJudge(
            Snapshots(query, streams, kb, by_definition=by_definition)
        )

    @classmethod
    def of(
        cls,
        query: str | RsepqlQuery,
        streams: Mapping[str, Any] | Any,
        *,
        kb: Mapping[str, Any] | None = None,
        window: str | None = None,
        stream_unit: str | None = None,
        source: str | None = None,
        by_definition: bool = False,
    ) -> RecordedQuestion:
        """Return the question of a query's text or tree over streams as users name them."""
        unit = None if stream_unit is None else unit_of(stream_unit)
        named = streams_of(streams, query, unit, source=source)
        kind = time_kind(named)
        if isinstance(query, str):
            asked = continuous_query(query, named, kind, window=window, source=source)
        else:
            asked = judged(query, named, kind, source=source)
        graphs = {iri_of(iri): graph_of(graph) for iri, graph in (kb or {}).items()}
        return cls(asked, named, kind, graphs, by_definition=by_definition)

    @property
    def slide(self) -> int:
        """The slide of the windows, in the streams' unit."""
        return max(window.slide for window in self.query.windows)

    @property
    def prefixes(self) -> Mapping[str, str]:
        """The prefixes that the query declares."""
        return dict(self.query.select.prologue.prefixes)

    def check(
        self,
        answers: Any,
        *,
        setting: str | None = None,
        delay: int | str | None = None,
        answers_unit: str | None = None,
        periods: Sequence[int | str] = (),
        tolerance: float | Fraction = TOLERANCE,
        allow_empty: bool = False,
    ) -> AnswersVerdict:
        """Return the verdict on one recording; see `check_recorded`."""
        return self._judge.judge(
            recording(answers, self.unit(answers_unit)),
            delay=self.delay(delay),
            engine=named_setting(setting),
            periods=[self.length(period) for period in periods],
            tolerance=Fraction(tolerance),
            allow_empty=allow_empty,
        )

    def right(self, answers: Recording, *, delay: int | str | None = None) -> frozenset[Setting]:
        """Return only the settings under which a recording is right: see `AnswersJudge`."""
        return self._judge.right(answers, delay=self.delay(delay))

    def unit(self, answers_unit: str | None) -> int:
        """Return the time unit of the recorded answers."""
        if answers_unit is not None:
            return unit_of(answers_unit)
        return 1_000 if self.kind is TimeKind.DATETIME else 1

    def delay(self, written: int | str | None) -> int:
        """Return the maximum delay of answers."""
        if written is None:
            return DEFAULT_DELAY if self.kind is TimeKind.DATETIME else 0
        found = self.length(written)
        if found < 0:
            raise DenotaError(f"a delay is not negative: {written}")
        return found

    def length(self, written: int | str) -> int:
        """Return a length of time, in the streams' unit."""
        if isinstance(written, int):
            return written
        found, kind = parse_duration(written)
        if kind is not self.kind and found:
            raise QueryError(
                f"on streams with {self.kind} times '{written}' is no length of time (write "
                f"{'a unit too, as in 500ms' if self.kind is TimeKind.DATETIME else 'an integer'})"
            )
        return found


def streams_of(
    streams: Mapping[str, Any] | Any,
    query: str | RsepqlQuery,
    unit: int | None,
    *,
    source: str | None = None,
) -> dict[URIRef, Sequence[TimestampedGraph]]:
    """Return the streams that users name, read; one without a name is the query's stream."""
    if not isinstance(streams, Mapping):
        streams = {_sole_stream(query, source): streams}
    return {iri_of(iri): _read(stream, unit) for iri, stream in streams.items()}


def _read(stream: Any, unit: int | None) -> Sequence[TimestampedGraph]:
    if isinstance(stream, (str, os.PathLike)):
        found = stream_at(stream, unit=unit)
    else:
        found = list(items_of(stream))
    if any(later.time < earlier.time for earlier, later in pairwise(found)):
        raise StreamError("the stream's items are not in time order")
    return found


def _sole_stream(query: str | RsepqlQuery, source: str | None) -> str:
    from ...semantics.rsepql.syntax.dialects import parse_dialect

    tree = parse_dialect(query, source=source).query if isinstance(query, str) else query
    named = {clause.stream for clause in tree.windows if clause.stream is not None}
    if len(named) > 1:
        raise QueryError("the query is on several streams: say which is which", source=source)
    return str(named.pop()) if named else "urn:denota:stream"


def recording(answers: Any, unit: int) -> Recording:
    """Return recorded answers as users name them."""
    if isinstance(answers, Recording):
        return answers
    if isinstance(answers, os.PathLike):
        return read_recording(Path(answers), unit=unit)
    if isinstance(answers, str) and not answers.lstrip().startswith(("{", "[")):
        return read_recording(Path(answers), unit=unit)
    if isinstance(answers, (str, bytes)):
        return parse_recording(answers, unit=unit)
    if isinstance(answers, Iterable) and not isinstance(answers, Mapping):
        answers = list(answers)
    return recording_of(answers, unit=unit)


def named_setting(name: str | None) -> EngineSetting | None:
    """Return the setting of this name; None for `any`. Raises DenotaError for an unknown one."""
    if name is None or name.lower() == "any":
        return None
    known = SETTINGS.get(name.lower().replace("-", ""))
    if known is None:
        raise DenotaError(f"there is no setting '{name}' (there is: any, {', '.join(SETTINGS)})")
    return known
