"""How fast RSEP-QL's engine is beside evaluating each window anew, and what it remembers.

    python bench/rsepql.py [--items 1000000] [--window 1000] [--naive-items 10000]
                           [--page docs/memory.md]

Jobs start and end, each item with a subject of its own, so that nothing can be remembered by
accident. Both engines are timed in the same run; the naive one, much slower, on the first items
only, and there both must give the same answers. It does what a report policy asks for without
looking at what has changed: it goes over the window, joins by hashing, and takes the difference to
the answer before. Items it matches only once, as the engine does.

Memory is bounded by the windows iff the resident memory of the last half is that of the first.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, deque
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from measuring.memory import Pace, resident_mib
from measuring.pages import write_section
from rdflib.term import URIRef

from denota.engine.rdf.data.dictionary import Dictionary
from denota.engine.rdf.matcher import compile_pattern
from denota.engine.rsepql import RsepqlEngine
from denota.semantics.model.items import TimestampedGraph
from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.terms import Graph, Term, Variable
from denota.semantics.rdf.syntax.parse import parse_group
from denota.semantics.rdf.syntax.tree import Prologue
from denota.semantics.rsepql.syntax.parse import parse
from denota.semantics.rsepql.syntax.results import TimedAnswer
from denota.semantics.streams.merging import merge

EX = "http://example.org/"
STREAM = URIRef(EX + "jobs")
STARTS, ENDS = URIRef(EX + "starts"), URIRef(EX + "ends")
PROLOGUE = Prologue(prefixes=(("", EX),))
MACHINES = 200

Pairs = Counter[tuple[Term, Term, Term]]
"""?a, ?m, ?b of an answer"""


class Query(NamedTuple):
    """`naive` says how the naive engine does the same; None if it does not."""

    window: str
    where: str
    naive: str | None = None
    policy: str = ""

    @property
    def shown(self) -> str:
        return f"{self.where} {self.policy}".strip()

    def text(self, width: int) -> str:
        window = self.window.format(width)
        return (
            f"PREFIX : <{EX}> REGISTER ISTREAM :out AS SELECT ?a ?m ?b"
            f" FROM NAMED WINDOW :w ON :jobs [{window}] WHERE {{ {self.where} }} {self.policy}"
        )


_MATCH = "MATCH {{ EVENT :w {{ ?a :starts ?m }} {} EVENT :w {{ ?b :ends ?m }} }}"
_RANGE, _EVER = "RANGE {} STEP 1", "FROM 0"
_BOTH = "?a :starts ?m . ?b :ends ?m"
QUERIES = {
    "every sequence": Query(_RANGE, _MATCH.format("SEQ"), "sequence"),
    "the last of both": Query(_RANGE, _MATCH.format("SEQN"), "naive"),
    "chronological": Query(_RANGE, _MATCH.format("SEQC"), "chronological", "CONSUME CHRONOLOGICAL"),
    "recent": Query(_RANGE, _MATCH.format("SEQR"), "recent"),
    "both in the window": Query(_RANGE, f"WINDOW :w {{ {_BOTH} }}", "join"),
    "since ever, what never ends": Query(
        _EVER, "MATCH { EVENT :w { ?a :starts ?m } SEQ EVENT :w { ?b :breaks ?m } }"
    ),
}


class Row(NamedTuple):
    """What was measured after so many items."""

    items: int
    resident_mib: float
    held: int
    occurrences: int
    solutions: int
    per_second: int


def stream(items: int, seed: int = 7) -> Iterator[TimestampedGraph]:
    """One item a time unit."""
    draw = random.Random(seed)
    machines = [URIRef(f"{EX}m{number}") for number in range(MACHINES)]
    for t in range(items):
        what = STARTS if draw.random() < 0.5 else ENDS
        graph: Graph = frozenset({(URIRef(f"{EX}job{t}"), what, draw.choice(machines))})
        yield TimestampedGraph(t, graph)


def measured(name: str, items: int, width: int) -> list[Row]:
    """Twenty rows of figures of the engine."""
    engine = RsepqlEngine(parse(QUERIES[name].text(width)), [STREAM])
    figures: list[Row] = []
    found = 0
    pace = Pace(items)
    for count, item in enumerate(merge({STREAM: stream(items)}, ties="sequence"), 1):
        found += sum(map(size, engine.feed(item)))
        if pace.due(count):
            held = engine.statistics()
            rate = pace.rate(count)
            row = Row(count, round(resident_mib(), 1), held.items, held.occurrences, found, rate)
            figures.append(row)
            print(f"{name:28}", *(f"{value:>10,}" for value in row), flush=True)
    return figures


def size(answer: TimedAnswer) -> int:
    return len(answer.content) if isinstance(answer.content, tuple) else 1


# --- the naive engine ----------------------------------------------------------------------------


class Occurrence(NamedTuple):
    """A job at a machine, with the time that it starts or ends."""

    job: Term
    machine: Term
    time: int


class NaiveEngine:
    """Evaluates the window anew at each item."""

    def __init__(self, kind: str, width: int) -> None:
        self._width = width
        self._answers: Callable[[], Pairs] = {
            "sequence": self._sequence, "naive": self._naive,
            "chronological": self._chronological, "recent": self._recent, "join": self._join,
        }[kind]
        dictionary = Dictionary()
        self._decode = dictionary.decode
        self._matchers = [
            compile_pattern(parse_group(f"{{ ?job {what} ?m }}", prologue=PROLOGUE), dictionary)
            for what in (":starts", ":ends")
        ]
        self._seen: tuple[deque[Occurrence], deque[Occurrence]] = deque(), deque()
        self._consumed: set[Occurrence] = set()
        self._before: Pairs = Counter()

    def feed(self, item: TimestampedGraph) -> Pairs:
        """What is new in the answer at the item's time."""
        for seen, matcher in zip(self._seen, self._matchers, strict=True):
            for row in matcher.match(item.graph):
                job, machine = map(self._decode, row)
                seen.append(Occurrence(job, machine, item.time))
            while seen and seen[0].time <= item.time - self._width:
                self._consumed.discard(seen.popleft())
        now = self._answers()
        new = now - self._before
        self._before = now
        return new

    def _starts(self) -> dict[Term, list[Occurrence]]:
        table: dict[Term, list[Occurrence]] = {}
        for each in self._seen[0]:
            if each not in self._consumed:
                table.setdefault(each.machine, []).append(each)
        return table

    def _ends(self) -> list[Occurrence]:
        return [each for each in self._seen[1] if each not in self._consumed]

    def _sequence(self) -> Pairs:
        starts = self._starts()
        return Counter(
            (a.job, b.machine, b.job)
            for b in self._ends() for a in starts.get(b.machine, ()) if a.time < b.time
        )

    def _naive(self) -> Pairs:
        pairs = [(a, b) for a in list(self._seen[0])[-1:] for b in list(self._seen[1])[-1:]]
        return Counter(
            (a.job, a.machine, b.job)
            for a, b in pairs if a.machine == b.machine and a.time < b.time
        )

    def _chosen(self, which: int) -> list[tuple[Occurrence, Occurrence]]:
        starts = self._starts()
        chosen = []
        for b in self._ends():  # no two carry the same mapping: each is its own only rival
            before = [a for a in starts.get(b.machine, ()) if a.time < b.time]
            if before:
                chosen.append((before[which], b))
        return chosen

    def _recent(self) -> Pairs:
        return Counter((a.job, a.machine, b.job) for a, b in self._chosen(-1))

    def _chronological(self) -> Pairs:
        chosen = self._chosen(0)
        for pair in chosen:
            self._consumed.update(pair)
        return Counter((a.job, a.machine, b.job) for a, b in chosen)

    def _join(self) -> Pairs:
        starts = self._starts()
        return Counter(
            (a.job, b.machine, b.job) for b in self._ends() for a in starts.get(b.machine, ())
        )


def compared(name: str, items: int, width: int) -> tuple[int, int] | None:
    """Items a second of the engine and of the naive one; their answers must be equal."""
    query = QUERIES[name]
    if query.naive is None:
        return None
    given = list(stream(items))
    engine = RsepqlEngine(parse(query.text(width)), [STREAM])
    ready = perf_counter()
    answers = [a for item in merge({STREAM: given}, ties="sequence") for a in engine.feed(item)]
    answers += engine.close()
    ours = items / (perf_counter() - ready)
    naive = NaiveEngine(query.naive, width)
    begin = perf_counter()
    news = {item.time: naive.feed(item) for item in given}
    theirs = items / (perf_counter() - begin)
    if {answer.time: pairs(answer) for answer in answers} != {t: new for t, new in news.items()
                                                             if new}:
        raise SystemExit(f"{name}: the engines disagree")
    print(f"{name:28} {ours:>10,.0f} items/s, naive {theirs:>10,.0f}, {ours / theirs:,.1f}×")
    return round(ours), round(theirs)


def pairs(answer: TimedAnswer) -> Pairs:
    content = answer.content if isinstance(answer.content, tuple) else ()
    return Counter(map(_pair, content))


def _pair(mu: SolutionMapping) -> tuple[Term, Term, Term]:
    a, m, b = (mu[Variable(name)] for name in "amb")
    if isinstance(a, tuple) or isinstance(m, tuple) or isinstance(b, tuple):
        raise SystemExit("not a term")
    return a, m, b


# --- the page ------------------------------------------------------------------------------------


def section(
    figures: dict[str, list[Row]], rates: dict[str, tuple[int, int] | None], width: int, naive: int
) -> str:
    """The figures as a section of the page on memory."""
    lines = [
        "## RSEP-QL",
        "",
        f"Jobs start and end at {MACHINES} machines, one item a time unit, each with a job of its",
        f"own; the window is `[RANGE {width:,} STEP 1]`, so that it holds {width:,} items, and the",
        "query is evaluated at each of them. What is new is reported (ISTREAM). Beside the engine",
        "stands one that evaluates the window anew each time, in the same process on the first",
        f"{naive:,} items.",
        "",
        "| query | items | resident at half, MiB | at the end, MiB | items held |"
        " occurrences held | solutions | items/s | naive | ratio |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name, rows in figures.items():
        half, end = rows[len(rows) // 2 - 1], rows[-1]
        rate = rates[name]
        speed = (
            f"{rate[0]:,} | {rate[1]:,} | {rate[0] / rate[1]:,.1f}"
            if rate is not None
            else f"{end.per_second:,} | – | –"
        )
        lines.append(
            f"| {name}: `{QUERIES[name].shown}` | {end.items:,} | {half.resident_mib} |"
            f" {end.resident_mib} | {end.held:,} | {end.occurrences:,} | {end.solutions:,} |"
            f" {speed} |"
        )
    return "\n".join([
        *lines,
        "",
        "What the naive engine does grows with the window; where a query asks for the last items",
        "only, it has no more to do than the engine, and less to keep in order.",
        "",
        "A landmark window (`[FROM 0]`, the last row) and `[ALL]` never let go of an item: memory",
        "grows linearly with what their event patterns have matched, unless it is consumed.",
        "",
        "`python bench/rsepql.py --page docs/memory.md` measures this and writes this section.",
        "",
    ])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--window", type=int, default=1_000, help="in items, one a time unit")
    parser.add_argument("--naive-items", type=int, default=10_000)
    parser.add_argument("--query", choices=QUERIES, action="append")
    parser.add_argument("--page", type=Path)
    arguments = parser.parse_args()
    names = arguments.query or list(QUERIES)
    rates = {name: compared(name, arguments.naive_items, arguments.window) for name in names}
    figures = {name: measured(name, arguments.items, arguments.window) for name in names}
    if arguments.page is not None:
        text = section(figures, rates, arguments.window, arguments.naive_items)
        write_section(arguments.page, "RSEP-QL", text)


if __name__ == "__main__":
    main()
