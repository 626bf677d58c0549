"""One question put to the production engine, and its answer judged by the oracle."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

from ..oracle.api import Report, check, parse, run
from ..semantics.spaseq.syntax.results import Pair
from ..semantics.spaseq.syntax.tree import SpaseqQuery
from .questions import Question


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the engine answered, whether it is right, and how long both took (in seconds)."""

    question: Question
    query: SpaseqQuery
    events: int
    pairs: tuple[Pair, ...]
    engine_seconds: float
    oracle_seconds: float
    report: Report

    @property
    def solutions(self) -> int:
        """The number of mappings in all pairs."""
        return sum(len(pair.solutions) for pair in self.pairs)


def judge(question: Question) -> Judgement:
    """Runs the engine on the streams of the question, and the oracle on the same."""
    query = parse(question.query, "spaseq", source=question.file)
    assert isinstance(query, SpaseqQuery)
    # What is compiled or imported at first use is not the speed of the engine.
    few = {iri: items[:20] for iri, items in question.streams.items()}
    for _ in run(query, few, question.kb, question.readings):
        pass
    start = perf_counter()
    pairs = tuple(run(query, question.streams, question.kb, question.readings))
    middle = perf_counter()
    report = check(query, question.streams, pairs, question.kb, question.readings)
    end = perf_counter()
    events = sum(len(items) for items in question.streams.values())
    return Judgement(question, query, events, pairs, middle - start, end - middle, report)
