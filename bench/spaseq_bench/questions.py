"""What the paper's Questions 1 to 4 ask, measured: each a table, some with a plot.

Processor time of one core; a way that takes long is given a prefix of the stream, and its pace is
compared. Engines are new for each run, and what a stream is read from is in memory.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from io import BytesIO
from statistics import median
from time import process_time
from typing import Any, NamedTuple

from measuring.plots import Series

from denota.engine.epsparql import EpsparqlEngine
from denota.engine.rdf.columns.batch import GraphBatch, batch_of
from denota.engine.spaseq import SpaseqEngine
from denota.engine.spaseq.atoms import Conjoined, Instant
from denota.engine.spaseq.runtime import Runs
from denota.semantics.epsparql.syntax.parse import parse as parse_epsparql
from denota.semantics.epsparql.syntax.readings import Readings as EpsparqlReadings
from denota.semantics.model.items import TimestampedGraph
from denota.semantics.model.terms import Graph
from denota.semantics.spaseq.syntax.parse import parse as parse_spaseq
from denota.semantics.streams.merging import StreamItem
from denota.semantics.streams.rdf.reader import read_stream
from denota.semantics.streams.rdf.writer import stream_text

from . import data, queries

WINDOWS = (600, 1200, 1800, 2400, 3600)
STRATEGIES = {",": "strict contiguity", ";": "skip-till-next"}
POLICIES = ("recent", "unrestricted")
_BATCH = 1 << 14


@dataclass
class Answer:
    """A table, and what is plotted of it."""

    title: str
    words: str
    head: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list)
    series: list[Series] = field(default_factory=list)
    picture: str = ""
    x: str = ""
    y: str = ""


class Pace(NamedTuple):
    """How a run went: seconds of processor time, triples and matches."""

    seconds: float
    triples: int
    matches: int

    @property
    def rate(self) -> float:
        return self.triples / self.seconds


class DataSet(NamedTuple):
    """A stream with the query that is asked of it, in both languages."""

    name: str
    items: list[StreamItem]
    spaseq: Callable[[int, str], str]
    epsparql: Callable[[int], str]
    policies: Sequence[str] = POLICIES


@dataclass(frozen=True, eq=False)
class Asking:
    """How much is measured."""

    events: int
    runs: int
    few: int
    """events for a way that takes long"""
    real: list[StreamItem] = field(default_factory=list)

    @cached_property
    def sets(self) -> list[DataSet]:
        made = [
            DataSet("SMD", data.stock_market(self.events), queries.stock_market,
                    queries.stock_market_in_epsparql),
            DataSet("CCD", data.credit_cards(self.events), queries.credit_cards,
                    queries.credit_cards_in_epsparql),
            # EQUALS has no part in a policy.
            DataSet("TD", data.traffic(self.events), queries.traffic,
                    queries.traffic_in_epsparql, ("unrestricted",)),
            DataSet("SHD", data.smart_home(self.events), queries.smart_home,
                    queries.smart_home_in_epsparql),
        ]  # fmt: skip
        if self.real:
            made.append(DataSet("stocks", self.real, queries.stock_market,
                                queries.stock_market_in_epsparql))  # fmt: skip
        return made

    def pace(self, work: Callable[[], tuple[float, int]], items: Sequence[StreamItem]) -> Pace:
        """The median of some runs, after one that is not counted, in which kernels are compiled."""
        work()
        found = []
        for _ in range(self.runs):
            gc.collect()
            gc.freeze()  # what is there already, such as a large graph, is not looked through again
            found.append(work())
            gc.unfreeze()
        triples = sum(len(item.graph) for item in items)
        return Pace(median(seconds for seconds, _ in found), triples, found[0][1])


def batches(items: Sequence[StreamItem], engine: SpaseqEngine) -> list[GraphBatch]:
    whole = batch_of(items, engine.dictionary)
    for column in (whole.subject, whole.predicate, whole.object):
        engine.dictionary.keep(column.tolist())
    return [
        whole.cut(begin, min(begin + _BATCH, len(items))) for begin in range(0, len(items), _BATCH)
    ]


def spaseq(text: str, items: Sequence[StreamItem], kb: dict[Any, Graph] | None = None,
           *, columns: bool = True) -> Callable[[], tuple[float, int]]:  # fmt: skip
    """Seconds and matches of SPAseq's engine on the items, from columns or one by one."""
    query = parse_spaseq(text)

    def work() -> tuple[float, int]:
        engine = SpaseqEngine(query, kb)
        given = batches(items, engine) if columns else []
        began = process_time()
        if columns:
            found = sum(len(engine.feed_batch(batch)) for batch in given)
        else:
            found = sum(len(engine.feed(item)) for item in items)
        return process_time() - began, found

    return work


def epsparql(
    text: str, items: Sequence[StreamItem], policy: str
) -> Callable[[], tuple[float, int]]:
    """Seconds and solutions of EP-SPARQL's engine on the items."""
    query = parse_epsparql(text)

    def work() -> tuple[float, int]:
        engine = EpsparqlEngine(query, None, EpsparqlReadings.of({"policy": policy}))
        began = process_time()
        found = sum(len(engine.feed(item)) for item in items)
        found += len(engine.finish())
        return process_time() - began, found

    return work


def rate(pace: Pace) -> str:
    return f"{pace.rate:,.0f}"


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:,.1f}"


# --- Question 1 ----------------------------------------------------------------------------------


def windows(asked: Asking) -> Answer:
    """Figures 15 and 16."""
    answer = Answer(
        "Question 1: windows and strategies (Figures 15 and 16)",
        "Triples a second, for each data set, by the width of the window in minutes: SPAseq from"
        " columns, and the same question asked of our EP-SPARQL engine, one item at a time, on the"
        f" first {asked.few:,} items. EP-SPARQL's answers are others (its operators overlap and"
        " nothing is consumed), as in the paper. CCD's condition calculates and TD joins at one"
        " instant: SPAseq's engine takes these item by item.",
        ["data", "minutes", *(f"SPAseq, {each}" for each in STRATEGIES.values()),
         *(f"EP-SPARQL, {each}" for each in POLICIES), "matches (SPAseq)"],
        picture="windows", x="window (minutes)", y="triples a second",
    )  # fmt: skip
    for each in asked.sets:
        lines: dict[str, list[tuple[float, float]]] = {}
        for window in WINDOWS:
            ours = {
                strategy: asked.pace(spaseq(each.spaseq(window, strategy), each.items), each.items)
                for strategy in STRATEGIES
            }
            few = each.items[: asked.few]
            theirs = {
                policy: asked.pace(epsparql(each.epsparql(window), few, policy), few)
                for policy in each.policies
            }
            answer.rows.append([
                each.name, str(window // 60), *map(rate, ours.values()),
                *(rate(theirs[policy]) if policy in theirs else "–" for policy in POLICIES),
                ", ".join(f"{pace.matches:,}" for pace in ours.values()),
            ])  # fmt: skip
            for strategy, pace in ours.items():
                name = f"{each.name}, {STRATEGIES[strategy]}"
                lines.setdefault(name, []).append((window / 60, pace.rate))
            lines.setdefault(f"{each.name}, EP-SPARQL {each.policies[0]}", []).append(
                (window / 60, theirs[each.policies[0]].rate)
            )
        answer.series += [Series(name, points) for name, points in lines.items()]
    return answer


def steps(asked: Asking) -> Answer:
    """Figure 17."""
    answer = Answer(
        "Question 1: the length of the sequence (Figure 17)",
        "Microseconds of processor time a triple of the stock market's stream, window of 40"
        f" minutes. EP-SPARQL has the first {asked.few:,} items under `recent` and an eighth of"
        " them when unrestricted: what a long sequence answers there grows with the power of its"
        " length.",
        ["steps", *(f"SPAseq, {each}" for each in STRATEGIES.values()),
         *(f"EP-SPARQL, {each}" for each in POLICIES)],
        picture="steps", x="steps of the sequence", y="µs a triple",
    )  # fmt: skip
    smd = asked.sets[0]
    few = smd.items[: asked.few]
    lines: dict[str, list[tuple[float, float]]] = {}
    for length in range(3, 8):
        paces = {
            f"SPAseq, {name}": asked.pace(
                spaseq(queries.stock_market(2400, strategy, length), smd.items), smd.items
            )
            for strategy, name in STRATEGIES.items()
        }
        for policy in POLICIES:
            text = queries.stock_market_in_epsparql(2400, length)
            short = few if policy == "recent" else few[: asked.few // 8]
            paces[f"EP-SPARQL, {policy}"] = asked.pace(epsparql(text, short, policy), short)
        answer.rows.append([str(length), *(f"{1e6 / pace.rate:.2f}" for pace in paces.values())])
        for name, pace in paces.items():
            lines.setdefault(name, []).append((length, 1e6 / pace.rate))
    answer.series += [Series(name, points) for name, points in lines.items()]
    return answer


# --- Question 2 ----------------------------------------------------------------------------------


def background(asked: Asking) -> Answer:
    """Figure 18."""
    answer = Answer(
        "Question 2: background graphs (Figure 18)",
        "Milliseconds of processor time, skip-till-next, window of 30 minutes. The graph is encoded"
        " before the stream begins and indexed when it is first asked; *once* is what that takes.",
        ["triples", "SMD", "once", "CCD", "once"],
        picture="background", x="triples of the background graph", y="milliseconds",
    )
    smd, ccd = asked.sets[:2]
    asks = (
        (smd, queries.stock_market(1800, ";", register=True), data.company_register),
        (ccd, queries.credit_cards(1800, ";", register=True), data.card_register),
    )
    lines: dict[str, list[tuple[float, float]]] = {}
    for size in (10_000, 100_000, 1_000_000):
        row = [f"{size:,}"]
        for each, text, register in asks:
            kb = {data.iri("register"): register(size)}
            engine = SpaseqEngine(parse_spaseq(text), kb)
            given = batches(each.items, engine)
            gc.collect()
            gc.freeze()
            began = process_time()
            SpaseqEngine(parse_spaseq(text), kb)
            once = process_time() - began + _again(engine, given)[0]
            gc.unfreeze()
            pace = asked.pace(partial(_again, engine, given), each.items)
            row += [_milliseconds(pace.seconds), _milliseconds(max(0, once - pace.seconds))]
            lines.setdefault(each.name, []).append((size, 1000 * pace.seconds))
        answer.rows.append(row)
    answer.series += [Series(name, points) for name, points in lines.items()]
    return answer


def _again(engine: SpaseqEngine, given: list[GraphBatch]) -> tuple[float, int]:
    """Seconds and matches of an engine that has been used before."""
    engine.restart()
    began = process_time()
    found = sum(len(engine.feed_batch(batch)) for batch in given)
    return process_time() - began, found


# --- Question 3 ----------------------------------------------------------------------------------


def costs(asked: Asking) -> Answer:
    """Figures 19 and 20."""
    answer = Answer(
        "Question 3: what an operation costs, and Kleene plus (Figures 19 and 20)",
        "Milliseconds of processor time for the stock market's stream, skip-till-next, one item"
        f" at a time ({asked.few:,} items): reading N-Quads, matching graph patterns, and the"
        " rest, which is the automaton's.",
        ["minutes", "parsing", "matching, A; B; C", "automaton, A; B; C", "matching, A; B+; C",
         "automaton, A; B+; C"],
    )  # fmt: skip
    items = asked.sets[0].items[: asked.few]
    text = stream_text(
        (TimestampedGraph(item.time, item.graph, item.kind) for item in items), "nquads"
    ).encode()

    def parsing() -> tuple[float, int]:
        began = process_time()
        found = sum(1 for _ in read_stream(BytesIO(text), format="nquads"))
        return process_time() - began, found

    parsed = asked.pace(parsing, items)
    for window in WINDOWS:
        row = [str(window // 60), _milliseconds(parsed.seconds)]
        for kleene in (False, True):
            query = queries.stock_market(window, ";", kleene=kleene)
            whole = asked.pace(spaseq(query, items, columns=False), items).seconds
            matching = median(_matching(query, items) for _ in range(asked.runs))
            row += [_milliseconds(matching), _milliseconds(whole - matching)]
        answer.rows.append(row)
    return answer


def _matching(text: str, items: Iterable[StreamItem]) -> float:
    """Seconds for the leaves that are asked, and no more: a clock around each would cost more."""
    engine = SpaseqEngine(parse_spaseq(text))
    asked: list[tuple[Any, Graph]] = []
    for leaf in engine.automaton.leaves:
        leaf.solve = _noting(leaf.solve, asked)
    for item in items:
        engine.feed(item)
    began = process_time()
    for solve, graph in asked:
        solve(graph)
    return process_time() - began


def _noting(solve: Any, asked: list[tuple[Any, Graph]]) -> Any:
    def noting(graph: Graph) -> Any:
        asked.append((solve, graph))
        return solve(graph)

    return noting


# --- Question 4 ----------------------------------------------------------------------------------


def indexing(asked: Asking) -> Answer:
    """Figure 21."""
    return _switched(
        asked, "Question 4: runs indexed by their streams (Figure 21)",
        "Milliseconds of processor time for the smart home's streams, skip-till-next, one item at a"
        f" time ({asked.few:,} items). Without the index every edge of the automaton is asked"
        " about every item.",
        asked.sets[3], ("by stream", "without"), every_edge_asked, "indexing",
    )  # fmt: skip


def laziness(asked: Asking) -> Answer:
    """Figure 22."""
    return _switched(
        asked, "Question 4: lazy conjunction (Figure 22)",
        "Milliseconds of processor time for the traffic's streams, skip-till-next, one item at a"
        f" time ({asked.few:,} items). Lazily, a conjunction is matched when all streams that it"
        " reads have an item at the instant, the cheapest pattern first; eagerly, each item is"
        " matched with each operand.",
        asked.sets[2], ("lazy", "eager"), eager_conjunction, "laziness",
    )  # fmt: skip


# What is asked, and of what; the two ways differ in `other` alone.
def _switched(
    asked: Asking, title: str, words: str, given: DataSet, ways: tuple[str, str], other: Any,
    picture: str,
) -> Answer:  # fmt: skip
    answer = Answer(
        title, words, ["minutes", *ways, "ratio"], picture=picture, x="window (minutes)",
        y="milliseconds",
    )
    items = given.items[: asked.few]
    lines: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
    for window in WINDOWS:
        work = spaseq(given.spaseq(window, ";"), items, columns=False)
        first = asked.pace(work, items)
        with other():
            second = asked.pace(work, items)
        assert first.matches == second.matches
        answer.rows.append([
            str(window // 60), _milliseconds(first.seconds), _milliseconds(second.seconds),
            f"{second.seconds / first.seconds:.2f}",
        ])
        for way, pace in zip(ways, (first, second), strict=True):
            lines[way].append((window / 60, 1000 * pace.seconds))
    answer.series += [Series(name, points) for name, points in lines.items()]
    return answer


@contextmanager
def every_edge_asked() -> Iterator[None]:
    """Runs are not looked up by the stream that they wait for: each edge is asked about each item.

    Its leaves have nothing to match on another stream's graphs; what is left is the asking.
    """
    made = Runs.__init__

    def without(self: Any, *given: Any) -> None:
        made(self, *given)
        edges = tuple(self._automaton.edges)
        self._waited_for = dict.fromkeys(self._waited_for, edges)

    Runs.__init__ = without  # type: ignore[method-assign]
    try:
        yield
    finally:
        Runs.__init__ = made  # type: ignore[method-assign]


@contextmanager
def eager_conjunction() -> Iterator[None]:
    """Each operand of a conjunction is matched as soon as its stream has an item."""
    ready = Conjoined.ready

    def eager(self: Conjoined, instant: Instant) -> bool:
        for operand in self.operands:
            if operand.ready(instant):
                operand.evaluate(instant)
        return ready(self, instant)

    Conjoined.ready = eager  # type: ignore[method-assign]
    try:
        yield
    finally:
        Conjoined.ready = ready  # type: ignore[method-assign]


QUESTIONS = (windows, steps, background, costs, indexing, laziness)
