"""What engines are said to do for E1 SEQ E2, written down as they would do it, item by item.

These models know nothing of RSEP-QL's equations: claims compare the two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Literal

from ...semantics.rdf.evaluation import solutions
from ...semantics.rdf.mappings import SolutionMapping
from ...semantics.rdf.parse import parse_group
from ...semantics.rdf.syntax import Prologue
from ...semantics.streams.items import TimestampedGraph
from .rows import Answering, Events, Row, Rows

Detected = tuple[SolutionMapping, int]
"""A mapping with the time of the event that has it."""


def matches(body: str, prologue: Prologue) -> Callable[[Events], list[Detected]]:
    """The events of a basic event pattern, in time order."""
    group = parse_group(body, prologue=prologue)

    def found(events: Events) -> list[Detected]:
        graphs = [item for item in events if isinstance(item, TimestampedGraph)]
        return [(mu, item.time) for item in graphs for mu in solutions(group, item.graph)]

    return found


def consuming(
    first: str, second: str, prologue: Prologue, which: Literal["earliest", "latest"]
) -> Answering:
    """ETALIS's policies chronological (`earliest`) and recent (`latest`).

    Each event of E1 waits. An event of E2 takes the earliest, or the latest, of those that wait
    since before it and agree with it (all of them, where several came at that instant); whatever
    takes part in an answer waits no longer. What arrives at one instant does not see itself.
    """
    of_first, of_second = matches(first, prologue), matches(second, prologue)
    choose = min if which == "earliest" else max

    def answered(events: Events) -> Rows:
        rows: set[Row] = set()
        waiting = of_first(events)
        arrivals = of_second(events)
        for now in sorted({time for _, time in arrivals}):
            taken: set[Detected] = set()
            for mu2 in dict.fromkeys(mu for mu, time in arrivals if time == now):
                agreeing = [
                    each for each in waiting if each[1] < now and each[0].compatible(mu2)
                ]
                if not agreeing:
                    continue
                since = choose(time for _, time in agreeing)
                for mu1, time in agreeing:
                    if time == since:
                        rows.add((now, mu1.merge(mu2)))
                        taken.add((mu1, time))
            waiting = [each for each in waiting if each not in taken]
        return Counter(rows)

    return answered


def by_timestamps(
    first: str, second: str, prologue: Prologue, of: Literal["solution", "pattern"]
) -> Answering:
    """C-SPARQL's idiom, over all that is in the window: FILTER(timestamp(P1) < timestamp(P2)).

    timestamp() is the time of the most recent occurrence of what matched: of the triples of this
    `solution`, or of whatever matches the `pattern`.
    """
    of_first, of_second = matches(first, prologue), matches(second, prologue)

    def answered(events: Events) -> Rows:
        left, right = of_first(events), of_second(events)
        end = max((item.time for item in events if isinstance(item, TimestampedGraph)), default=0)
        rows: set[Row] = set()
        for mu1, _ in left:
            for mu2, _ in right:
                if mu1.compatible(mu2) and _latest(left, mu1, of) < _latest(right, mu2, of):
                    rows.add((end, mu1.merge(mu2)))
        return Counter(rows)

    return answered


def _latest(
    detected: list[Detected], mu: SolutionMapping, of: Literal["solution", "pattern"]
) -> int:
    return max(time for each, time in detected if of == "pattern" or each == mu)
