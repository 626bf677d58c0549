"""Asking somebody generated questions until something new is found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from time import perf_counter
from typing import TypeAlias

from ....semantics.model.terms import Dataset, Graph
from ....semantics.rdf.syntax.tree import GroupGraphPattern
from ...fuzzing.graph_situations import GRAPH_SITUATIONS, MORE_SITUATIONS, met_in, more_met_in
from ...fuzzing.steering import Met, Steering
from .disagreements import Disagreement, disagreement
from .questions import Question, Solutions
from .respondents import Opinion, Refusal
from .traits import features

Drawn: TypeAlias = tuple[GroupGraphPattern, Dataset]


def unmet() -> Met:
    """The situations of graph patterns, none of which has been met."""
    return Met({**GRAPH_SITUATIONS, **MORE_SITUATIONS})


@dataclass
class OpinionReport:
    """What a run has found so far.

    `known` counts the disagreements by the deviation that explains them, `discoveries` are the
    others, one for each set of features. `answered` counts the questions that have a solution, and
    `met` the situations that these have met.
    """

    who: str
    version: str
    seed: int
    examples: int = 0
    answered: int = 0
    seconds: float = 0.0
    known: Counter[str] = field(default_factory=Counter)
    discoveries: dict[frozenset[str], Disagreement] = field(default_factory=dict)
    met: Met = field(default_factory=unmet)

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
    for question, asked in generated(opinion, seed, report.met):
        report.examples += 1
        report.answered += bool(question.solutions)
        _record(report, disagreement(asked, question))
        report.seconds = perf_counter() - began
        if progress is not None:
            progress(report)
        if over():
            break
    return report


def generated(opinion: Opinion, seed: int, met: Met) -> Iterator[tuple[Question, Opinion]]:
    """Questions without end, each with who is asked it, as it is set up; `met` counts what they
    have met."""
    from ...fuzzing.rounds import ROUND, a_round
    from ...inputs.choices import random_values
    from ...inputs.sparql import question as drawn_question
    from ...inputs.swarms import Swarm

    steering = Steering(f"{seed}.sparql", met)
    varied = getattr(opinion, "varied", None)
    draw = partial(drawn_question, ruled=opinion.ruled)

    def values(number: int, swarm: Swarm) -> Iterator[Drawn]:
        return random_values(draw, f"{seed}.{number}", ROUND, swarm)

    def lesson(asked: Drawn) -> tuple[Question, bool, Iterable[str]]:
        question = Question(*asked)
        answered = bool(question.solutions)
        return question, answered, situations_of(question) if answered else ()

    for number in count():
        asked = opinion if varied is None else varied(number)
        for question in a_round(steering, partial(values, number), lesson):
            yield question, asked


def situations_of(question: Question) -> frozenset[str]:
    """The situations that a question with a solution meets."""
    pattern, dataset, solutions = question.pattern, question.dataset, list(question.solutions)
    graphs = (dataset.default, *dataset.named.values())
    return frozenset(
        (*met_in(pattern, graphs, solutions), *more_met_in(pattern, dataset, solutions))
    )


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
