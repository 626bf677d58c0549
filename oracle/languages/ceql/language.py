"""CEQL as the oracle sees it: the one entry by which the language plugs in."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Unpack, cast

from ....semantics.ceql.syntax.readings import Readings
from ....semantics.ceql.syntax.results import Bindings, ComplexEvent
from ....semantics.ceql.syntax.tree import (
    CeqlQuery,
    Consumption,
    Contiguous,
    ContiguousIteration,
    Disjunction,
    EventType,
    Filter,
    Formula,
    Iteration,
    NotFormula,
    Projection,
    Strategy,
    StreamDeclaration,
)
from ....semantics.ceql.syntax.tree import Sequence as Followed
from ....semantics.model.errors import (
    QueryError,
    QueryWarning,
    StreamError,
    UnsupportedError,
    nearest,
)
from ....semantics.model.trees import find
from ....semantics.model.tuples import EventTuple, OutOfOrderError, Tuples, UntimedError
from ..base import AbsentName, Inputs, LanguageBase, Pattern

if TYPE_CHECKING:  # of RDF nothing is loaded before somebody asks for it
    from rdflib.term import URIRef, Variable

    from ....engine.checkpoints.streaming_query import StreamingQuery
    from ....semantics.model.mappings import SolutionMapping
    from ...checking.levels import Answer, Level
    from ...results.json_objects import JsonObject

# What surely has no bindings, as against a result that leaves them open.
_NO_BINDINGS = "none"

_OPERATORS = {
    Filter: "FILTER", Disjunction: "OR", Followed: "';'", Iteration: "'+'",
    Contiguous: "':'", ContiguousIteration: "':+'", NotFormula: "NOT",
    Projection: "π",
}


class Ceql(LanguageBase[CeqlQuery, Readings]):
    """CEQL, as `registry.Language` asks."""

    name = "ceql"
    title = "CEQL"
    query_type = CeqlQuery
    readings_type = Readings
    items = "tuples"
    levels: tuple[Level, ...] = ("positions",)
    sets: tuple[Level, ...] = ("positions",)
    open_fields = ("bindings",)
    result_fields = frozenset({"start", "end", "positions", "bindings"})
    evaluation_fields: frozenset[str] = frozenset()

    def columns(self, query: CeqlQuery) -> tuple[Variable, ...]:
        return ()

    def readings(
        self, named: str | Mapping[str, object], query: CeqlQuery | None = None
    ) -> Readings:
        readings = super().readings(named)
        return readings if query is None else readings.applied_to(query)

    def warnings(
        self,
        query: CeqlQuery,
        *,
        streams: Iterable[URIRef],
        kb: Iterable[URIRef],
        readings: Readings,
    ) -> Sequence[QueryWarning]:
        from ....semantics.ceql.syntax.warnings import check_query

        warnings = check_query(query, list(map(str, streams)))
        if list(kb):
            warnings.append(
                QueryWarning("unused-graph", "CEQL does not look at background graphs")
            )
        return warnings

    def cites(self, query: CeqlQuery, readings: Readings) -> tuple[str, ...]:
        kinds = set(map(type, find(query.formula, Formula)))
        used = [text for kind, text in _OPERATORS.items() if kind in kinds]
        cited = [f"Table 2 ({', '.join(used) or 'event types'})"]
        if query.partition:
            cited.append("section 2.2 (PARTITION BY)")
        if query.strategy is not Strategy.ALL:
            cited.append(f"section 2.2 (strategy {query.strategy}, strategy={readings.strategy})")
        if query.within is not None:
            from ....semantics.model.pretty_printing import text_of

            shown = text_of(query.within)
            cited.append(f"section 2.2 (WITHIN {shown}, within={readings.within})")
        if query.consume is not Consumption.NONE:
            cited.append(f"CONSUME BY {query.consume}")
        if query.limit is not None:
            cited.append(f"LIMIT {query.limit} (limit={readings.limit})")
        return tuple(f"CORE {text}" for text in cited)

    def stream_names(self, query: CeqlQuery) -> Mapping[str, URIRef]:
        from rdflib.term import URIRef

        return {name: URIRef(name) for name in query.streams}

    def streams_read(self, query: CeqlQuery) -> Collection[str] | None:
        return query.streams or None

    def prefixes(self, query: CeqlQuery) -> Mapping[str, str]:
        return {}

    def patterns(self, query: CeqlQuery) -> list[Pattern]:
        """Return the patterns that items are matched with, in the order of the text."""
        named = {
            (f"{phi.stream}>{phi.name}" if phi.stream else phi.name): phi
            for phi in find(query.formula, EventType)
        }
        return [Pattern(name, phi.stream, phi.name) for name, phi in named.items()]

    def attributes(self, query: CeqlQuery) -> list[str]:
        """Return the attributes of tuples that FILTER and PARTITION BY name."""
        from ....semantics.ceql.syntax.tree import Attribute

        used = [each.name for each in find(query.formula, Attribute)]
        return list(dict.fromkeys((*used, *chain.from_iterable(query.partition))))

    # --- evaluation ---

    def evaluate(self, query: CeqlQuery, **inputs: Unpack[Inputs]) -> frozenset[ComplexEvent]:
        from ....semantics.ceql.core_extensions import evaluate

        with self.errors_at(query, inputs["streams"]):
            return evaluate(*_feasible(query, inputs["streams"]), inputs["readings"])

    @contextmanager
    def errors_at(
        self, query: CeqlQuery, streams: Mapping[URIRef, Iterable[EventTuple]]
    ) -> Iterator[None]:
        """Place errors in the order of a stream: at the line, or in the file."""
        try:
            yield
        except StreamError as error:
            read = {str(name): stream for name, stream in streams.items()
                    if not query.streams or str(name) in query.streams}
            only = next(iter(read.values())) if len(read) == 1 else None
            if isinstance(error, OutOfOrderError):
                found = only if error.stream is None else read.get(error.stream)
                for seen in reversed(getattr(found, "disorder", ())):
                    if isinstance(seen, OutOfOrderError) and seen.times == error.times:
                        raise seen.at(seen.source, seen.line) from None
            if isinstance(error, UntimedError):
                for seen in getattr(only, "disorder", ()):
                    if isinstance(seen, UntimedError):
                        raise seen.at(seen.source, seen.line) from None
            source = getattr(only, "source", None)
            if error.source is not None or source is None:
                raise
            raise error.at(source) from None

    def reconciled(
        self,
        reported: Iterable[ComplexEvent | Mapping[str, Any]],
        query: CeqlQuery,
        *,
        streams: Mapping[URIRef, Iterable[EventTuple]],
        readings: Readings,
    ) -> list[ComplexEvent]:
        """Return the correct result nearest to the reported one, where there is a choice."""
        from ....semantics.ceql.core_extensions import choices, nearest

        events = [each if isinstance(each, ComplexEvent) else self.from_json(dict(each))
                  for each in reported]
        return nearest(choices(*_feasible(query, streams), readings), events)

    def leaves_a_choice(self, query: CeqlQuery) -> bool:
        """Return True if several results are right (SELECT ANY, LIMIT)."""
        from ....semantics.ceql.syntax.analysis import takes_any

        return takes_any(query)

    def run(self, query: CeqlQuery, **inputs: Unpack[Inputs]) -> Iterator[ComplexEvent]:
        run = _engine("run")
        streams = inputs["streams"]
        result: Iterator[ComplexEvent] = run(
            query, _fed_at_once(query, streams), inputs["readings"]
        )
        with self.errors_at(query, streams):
            yield from result

    def running(
        self, query: CeqlQuery, dictionaries: Sequence[Any] = (), **inputs: Unpack[Inputs]
    ) -> StreamingQuery:
        make = _engine("streaming_query:CeqlStreamingQuery")
        running: StreamingQuery = make(query, inputs["readings"])
        return running

    def elements(
        self, running: StreamingQuery, query: CeqlQuery, streams: Mapping[Any, Any]
    ) -> Iterator[Any]:
        with self.errors_at(query, streams):
            yield from running.elements(_fed_at_once(query, streams))

    def batches(
        self, query: CeqlQuery, limit: int | None = None, **inputs: Unpack[Inputs]
    ) -> Iterator[Any]:
        """Yield the production engine's complex events as record batches, made on request."""
        made: Iterator[Any] = _engine("batches")(
            query, _fed(query, inputs["streams"]), inputs["readings"], limit=limit
        )
        with self.errors_at(query, inputs["streams"]):
            yield from made

    def count(self, query: CeqlQuery, **inputs: Unpack[Inputs]) -> int:
        """Return the number of complex events; none is enumerated."""
        with self.errors_at(query, inputs["streams"]):
            counted: int = _engine("count")(
                query, _fed(query, inputs["streams"]), inputs["readings"]
            )
        return counted

    def sample(
        self, query: CeqlQuery, size: int, seed: int | None = None, **inputs: Unpack[Inputs]
    ) -> list[ComplexEvent]:
        """Return some of the complex events; of the others none is enumerated."""
        with self.errors_at(query, inputs["streams"]):
            taken: list[ComplexEvent] = _engine("sample")(
                query, _fed(query, inputs["streams"]), size, inputs["readings"], seed=seed
            )
        return taken

    # --- key by key ---

    def item_keys(self, query: CeqlQuery, readings: Readings) -> None:
        self.syntax("analysis").check_keys(query, readings)

    def of_one_key(self, query: CeqlQuery, readings: Readings, position: str) -> CeqlQuery:
        made: CeqlQuery = self.syntax("analysis").of_one_key(query, readings, position)
        return made

    # --- what of a command line is a slip ---

    def check_declared(
        self, query: CeqlQuery, declared: Mapping[str, StreamDeclaration | None], source: str
    ) -> None:
        """Raise QueryError where the query does not fit separate declarations."""
        from ....semantics.ceql.syntax.scoping import faults

        told = [replace(each, name=name) for name, each in declared.items() if each is not None]
        for fault in faults(query, told):
            place = fault.position
            raise QueryError(fault.message, source=source, line=place.line, column=place.column)

    def absent_names(
        self, query: CeqlQuery, types: AbstractSet[str], attributes: AbstractSet[str]
    ) -> Iterator[AbsentName]:
        """Yield the query's event types and attributes that are not among those of the tuples."""
        from ....semantics.ceql.syntax.tree import Attribute

        named = {phi.name: phi.position for phi in find(query.formula, EventType)}
        used = dict.fromkeys(self.attributes(query), query.partition_position)
        used |= {each.name: each.position for each in find(query.formula, Attribute)}
        for kind, names, there in (
            ("event type", named, types),
            ("attribute", used, attributes),
        ):
            for name, place in names.items():
                if types and name not in there:
                    hint = nearest(name, sorted(there - set(names)))
                    yield AbsentName(
                        f"{kind} '{name}' does not occur in the input{hint}", place,
                        names is named, bool(hint),
                    )

    # --- results ---

    def to_json(
        self, result: ComplexEvent, query: CeqlQuery, readings: Readings
    ) -> JsonObject:
        written: JsonObject = {
            "start": result.start, "end": result.end, "positions": list(result.positions)
        }
        if result.bindings is not None:
            written["bindings"] = {name: list(places) for name, places in result.bindings}
        return written

    def from_json(self, written: JsonObject) -> ComplexEvent:
        from ...results.json_objects import ResultError, result_fields

        fields = result_fields(written)
        for name in fields:
            if name not in self.result_fields:
                raise ResultError(f"a CEQL result has no field '{name}'")
        return ComplexEvent(
            _position(fields, "end"),
            _position(fields, "start"),
            _positions(fields.get("positions")),
            _bindings(fields.get("bindings")),
        )

    def answers(
        self,
        results: Iterable[ComplexEvent | Mapping[str, Any]],
        level: Level,
        *,
        partial: bool,
    ) -> list[Answer]:
        from ...checking.comparison import times_listed
        from ...checking.levels import Answer

        found: list[Answer] = []
        for result in results:
            native = isinstance(result, ComplexEvent)
            event = result if isinstance(result, ComplexEvent) else self.from_json(dict(result))
            left_open = None if partial and not native else _NO_BINDINGS
            answer = Answer(
                (event.start, event.end),
                event.positions,
                (left_open if event.bindings is None else event.bindings,),
            )
            listed = frozenset() if isinstance(result, ComplexEvent) else result["positions"]
            found.extend([answer] * times_listed(listed))
        return found

    def instants(self, query: CeqlQuery) -> frozenset[str]:
        return frozenset()

    def order(self, result: ComplexEvent) -> Any:
        return result.end, result.start, result.positions, result.bindings or ()

    def flat_fields(self, query: CeqlQuery, readings: Readings) -> tuple[str, ...]:
        return ("start", "end")

    def flat_rows(
        self, result: ComplexEvent, query: CeqlQuery, readings: Readings
    ) -> Iterable[tuple[tuple[int | None, ...], SolutionMapping]]:
        from ....semantics.model.mappings import SolutionMapping

        return [((result.start, result.end), SolutionMapping({}))]

    def writer(self, format: str, query: CeqlQuery, readings: Readings, **where: Any) -> Any:
        """Return the writer of an output format, which is not one of solutions."""
        from .results import writer

        return writer(format, self, query, readings, **where)

    def text_rows(self, readings: Readings) -> Any:
        """Return complex events as rows of text."""
        from .results import text_rows

        return text_rows(readings)

    def matched_rows(
        self, query: CeqlQuery, results: Sequence[ComplexEvent], streams: Mapping[Any, Any],
        readings: Readings, first: int,
    ) -> Any:
        """Return the tuples of complex events as an Arrow table; `first` numbers the results."""
        from .results import has_timestamps, matched_rows

        return matched_rows(
            results, _fed(query, streams), valuations=readings.output == "valuation", first=first,
            dated=any(map(has_timestamps, streams.values())),
        )

    def result_of(self, answer: Answer) -> ComplexEvent:
        start, end = cast("tuple[int, int]", answer.time)
        (bindings,) = answer.open
        known = cast(Bindings, bindings) if isinstance(bindings, tuple) else None
        return ComplexEvent(end, start, cast("tuple[int, ...]", answer.content), known)


def _merged(
    query: CeqlQuery, streams: Mapping[URIRef, Iterable[EventTuple]]
) -> list[EventTuple]:
    from ....semantics.model.tuples import merged

    return list(merged({str(name): stream for name, stream in streams.items()}, query.streams))


def _feasible(
    query: CeqlQuery, streams: Mapping[URIRef, Iterable[EventTuple]]
) -> tuple[CeqlQuery, list[EventTuple]]:
    """Return the query for the definitions, and the merged stream on which they evaluate it."""
    from .cost_estimate import feasible

    stream = _merged(query, streams)
    return feasible(query, [t.type for t in stream]), stream


def _fed_at_once(
    query: CeqlQuery, streams: Mapping[URIRef, Iterable[EventTuple]]
) -> Iterable[Any]:
    """Return as `_fed`, but a row of an iterator does not wait for the next one."""
    from ....semantics.model.tuples import batches

    singly = {name: own for name, stream in streams.items()
              if isinstance(stream, Tuples) and (own := stream.one_by_one()) is not None}
    fed = _fed(query, {**streams, **singly})
    if not singly or isinstance(fed, Tuples):
        return fed
    return chain.from_iterable(
        batches((each,)) if isinstance(each, EventTuple) else (each,) for each in fed
    )


def _fed(query: CeqlQuery, streams: Mapping[URIRef, Iterable[EventTuple]]) -> Iterable[Any]:
    """Return the merged stream for the engine: the batches of a single stream, or rows."""
    from ....semantics.model.tuples import merged, with_stream

    named: dict[str, Iterable[EventTuple]] = {str(n): stream for n, stream in streams.items()}
    chosen = [name for name in query.streams or named if name in named]
    if any(hasattr(named[name], "arrivals") for name in chosen):
        from ....semantics.streams.live.tuples import alone, batches_arriving

        only = alone(named[chosen[0]]) if len(chosen) == 1 else None
        if only is None:
            return batches_arriving(named, chosen)
        named = {**named, chosen[0]: only}
    if len(chosen) == 1 and isinstance(single := named[chosen[0]], Tuples):
        if not any(phi.stream for phi in find(query.formula, EventType)):
            return single
        return (with_stream(batch, chosen[0]) for batch in single.batches())
    return merged(named, query.streams)


def _engine(what: str) -> Any:
    """Return a function of the production engine, `function` or `module:function`."""
    from importlib import import_module

    module, _, function = what.rpartition(":")
    home = "....engine.ceql" + (f".{module}" if module else "")
    try:
        return getattr(import_module(home, __package__), function)
    except (ModuleNotFoundError, AttributeError) as error:
        raise UnsupportedError(
            "the production engine does not take CEQL in this version: use --engine oracle"
        ) from error


def _position(fields: Mapping[str, Any], name: str) -> int:
    value = fields.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise _wrong(f"a CEQL result needs '{name}', a position")
    return value


def _positions(written: object) -> tuple[int, ...]:
    if not isinstance(written, (list, tuple)) or not all(
        isinstance(place, int) and not isinstance(place, bool) for place in written
    ):
        raise _wrong("'positions' is a list of positions")
    return tuple(sorted(set(written)))


def _bindings(written: object) -> Bindings | None:
    if written is None:
        return None
    if not isinstance(written, Mapping):
        raise _wrong("'bindings' maps variables to lists of positions")
    return tuple(
        sorted((str(name), _positions(places)) for name, places in written.items() if places)
    )


def _wrong(message: str) -> Exception:
    from ...results.json_objects import ResultError

    return ResultError(message)


LANGUAGE = Ceql()
