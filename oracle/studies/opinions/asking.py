"""Asking somebody generated questions until something new is found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from random import Random
from time import perf_counter

from ....semantics.model.terms import Graph
from .disagreements import Disagreement, disagreement
from .questions import Question, Solutions
from .respondents import Opinion, Refusal
from .traits import features


@dataclass
class OpinionReport:
    """What a run has found so far.

    `known` counts the disagreements by the deviation that explains them, `discoveries` are the
    others, one for each set of features. `answered` counts the questions that have a solution.
    """

    who: str
    version: str
    seed: int
    examples: int = 0
    answered: int = 0
    seconds: float = 0.0
    known: Counter[str] = field(default_factory=Counter)
    discoveries: dict[frozenset[str], Disagreement] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether nothing new was found."""
        return not self.discoveries


def ask(
    opinion: Opinion,
    *,
    examples: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    progress: Callable[[OpinionReport], None] | None = None,
) -> OpinionReport:
    """Ask generated questions, `examples` of them or for so many seconds, whichever ends first."""
    report = OpinionReport(opinion.name, opinion.version, seed)
    began = perf_counter()

    def over() -> bool:
        if examples is not None and report.examples >= examples:
            return True
        return seconds is not None and perf_counter() - began >= seconds

    if over():
        return report
    for question, asked in generated(opinion, seed):
        report.examples += 1
        report.answered += bool(question.solutions)
        _record(report, disagreement(asked, question))
        report.seconds = perf_counter() - began
        if progress is not None:
            progress(report)
        if over():
            break
    return report


def generated(opinion: Opinion, seed: int) -> Iterator[tuple[Question, Opinion]]:
    """Generate questions without end, each with the respondent as it is set up."""
    from ...fuzzing.rounds import ROUND
    from ...inputs.choices import random_values
    from ...inputs.sparql import question as drawn_question
    from ...inputs.swarms import random_swarm

    swarms = Random(f"{seed}.sparql")
    varied = getattr(opinion, "varied", None)
    draw = partial(drawn_question, ruled=opinion.ruled)
    for number in count():
        asked = opinion if varied is None else varied(number)
        for drawn in random_values(draw, f"{seed}.{number}", ROUND, random_swarm(swarms)):
            yield Question(*drawn), asked


def _record(report: OpinionReport, found: Disagreement | None) -> None:
    if found is None:
        return
    if found.deviation is not None:
        report.known[found.deviation.id] += 1
    else:
        report.discoveries.setdefault(features(found.question), found)


def deviation_file(found: Disagreement) -> str:
    """A discovery as an entry of deviations.yaml; the sentences are left to be written."""
    import yaml

    theirs = found.theirs
    entry = {
        "id": f"{found.who}-",
        "who": found.who,
        "what": "",
        "query": " ".join(found.question.text.split()),
        "data": _turtle(found.question.dataset.default),
        "named": {name.n3(): _turtle(graph) for name, graph in found.question.named.items()},
        "theirs": {"error": str(theirs)} if isinstance(theirs, Refusal) else _rows(theirs),
        "ours": _rows(found.question.solutions),
        "decided_by": "",
        "when": sorted(features(found.question)),
    }
    return yaml.safe_dump([entry], sort_keys=False, allow_unicode=True, width=100)


def _turtle(graph: Graph) -> str:
    return " ".join(sorted(" ".join(term.n3() for term in triple) + " ." for triple in graph))


def _rows(solutions: Solutions) -> list[dict[str, str]]:
    return [
        {str(v): value.n3() for v, value in sorted(mu.items()) if not isinstance(value, tuple)}
        for mu in solutions.elements()
    ]
