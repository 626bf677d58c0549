"""Disagreements of other evaluators with the definitions, known (deviations.yaml) and new.

Generated questions are asked until something new is found.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, partial
from itertools import count
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

from rdflib.term import Literal, Variable

from ...semantics.model.mappings import SolutionMapping
from ...semantics.model.terms import Dataset, Graph
from ...semantics.rdf.expressions.values import NUMERIC_DATATYPES
from ...semantics.streams.rdf.graphs import parse_graph
from ..cases.rdf_text import term_of
from ..cases.yaml_nodes import loader_type
from .evaluators import Opinion, Refusal
from .pattern_cases import Question, Solutions, features, pattern_of, shrink

_BOOLEAN = "http://www.w3.org/2001/XMLSchema#boolean"
PREFIXES = {"": "http://example.org/", "xsd": "http://www.w3.org/2001/XMLSchema#"}

_PROLOGUE = "".join(f"PREFIX {prefix}: <{iri}> " for prefix, iri in PREFIXES.items())


@dataclass(frozen=True)
class Deviation:
    """One entry. `theirs` is a bag of solutions, or what the message of a refusal matches.

    One with a `quote` of what decides is a finding of docs/findings, of the given `sort`.
    """

    id: str
    who: str
    what: str
    query: str
    data: str
    named: Mapping[str, str]
    witness: Question
    theirs: Solutions | re.Pattern[str]
    ours: Solutions
    decided_by: str
    quote: str
    sort: str
    when: frozenset[str]
    in_form_only: bool

    def explains(self, smallest: Question, answer: Solutions | Refusal) -> bool:
        """Return True if a shrunk disagreement is this deviation."""
        if not self.is_answer(answer) or not self.when <= features(smallest):
            return False
        return not self.in_form_only or (
            isinstance(answer, Counter) and _values(answer) == _values(smallest.solutions)
        )

    def is_answer(self, answer: Solutions | Refusal) -> bool:
        """Return True if an answer is of this deviation's kind: solutions, or such a refusal."""
        if isinstance(answer, Refusal):
            return isinstance(self.theirs, re.Pattern) and bool(self.theirs.search(str(answer)))
        return not isinstance(self.theirs, re.Pattern)


def answer_of(opinion: Opinion, question: Question) -> Solutions | Refusal:
    """Return the answer of an evaluator, or its refusal."""
    try:
        return opinion.solutions(question)
    except Refusal as refusal:
        return refusal


@cache
def deviations() -> tuple[Deviation, ...]:
    """Return all entries of deviations.yaml."""
    import yaml

    path = Path(__file__).with_name("deviations.yaml")
    written = yaml.load(path.read_text(encoding="utf-8"), loader_type())
    return tuple(map(_deviation, written))


def known(who: str) -> tuple[Deviation, ...]:
    """Return the entries about one evaluator."""
    return tuple(each for each in deviations() if each.who == who)


def _deviation(entry: Mapping[str, Any]) -> Deviation:
    named = {
        term_of(name, PREFIXES): parse_graph(text, PREFIXES, scope=name)
        for name, text in entry.get("named", {}).items()
    }
    theirs = entry["theirs"]
    return Deviation(
        id=entry["id"],
        who=entry["who"],
        what=entry["what"],
        query=entry["query"],
        data=entry.get("data", ""),
        named={name.lstrip(":"): text for name, text in entry.get("named", {}).items()},
        witness=Question(
            pattern_of(_PROLOGUE + entry["query"]),
            Dataset(parse_graph(entry.get("data", ""), PREFIXES), named),  # type: ignore[arg-type]
        ),
        theirs=re.compile(theirs["error"]) if isinstance(theirs, dict) else _bag(theirs),
        ours=_bag(entry["ours"]),
        decided_by=entry["decided_by"],
        quote=entry.get("quote", ""),
        sort=entry.get("sort", "fault"),
        when=frozenset(entry["when"]),
        in_form_only=entry.get("differ") == "form",
    )


def _values(solutions: Solutions) -> Counter[frozenset[tuple[Variable, object]]]:
    """Return the solutions without the forms that numbers and booleans are written in."""
    return Counter(
        frozenset((variable, _value(term)) for variable, term in mu.items())
        for mu in solutions.elements()
    )


def _value(term: object) -> object:
    """Return a number of any type as a fraction, a boolean as a word; other terms as is."""
    if not isinstance(term, Literal) or term.language is not None:
        return term
    if str(term.datatype) == _BOOLEAN:
        return {"1": "true", "0": "false"}.get(str(term), str(term))
    if str(term.datatype) not in NUMERIC_DATATYPES:
        return term
    try:
        return str(Fraction(str(term)))
    except ValueError:
        return str(term).lower()


def _bag(rows: Sequence[Mapping[str, str]]) -> Solutions:
    return Counter(
        SolutionMapping((Variable(name), term_of(text, PREFIXES)) for name, text in row.items())
        for row in rows
    )


# --- disagreements --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Disagreement:
    """A question that somebody answers otherwise than the definitions, in its smallest form.

    `deviation` is the known deviation that explains it, None for a discovery.
    """

    who: str
    question: Question
    theirs: Solutions | Refusal
    deviation: Deviation | None

    def __str__(self) -> str:
        return (
            f"{self.who} deviates\n  on {' '.join(self.question.text.split())}\n"
            f"  over {self.question.nquads() or 'no triples'}"
            f"{''.join(f' and <{name}>' for name in self.question.named)}\n"
            f"  answers {_told(self.theirs)}\n  instead of {_told(self.question.solutions)}"
        )


def disagreement(
    opinion: Opinion, question: Question
) -> Disagreement | None:
    """Return the disagreement of an answer with the oracle, if there is one.

    Rows and refusals are not mixed up on the way.
    """
    theirs = answer_of(opinion, question)
    if theirs == question.solutions:
        return None
    # What a text says may be put in more than one tree: the one that parsing gives is everybody's.
    question = Question(pattern_of(question.text), question.dataset)
    entries = known(opinion.name)
    if isinstance(theirs, Refusal):
        for entry in entries:
            if entry.explains(question, theirs):
                return Disagreement(opinion.name, question, theirs, entry)

    def fails(smaller: Question) -> bool:
        answer = answer_of(opinion, smaller)
        return isinstance(answer, Refusal) == isinstance(theirs, Refusal) and (
            answer != smaller.solutions
        )

    smallest = shrink(question, fails)
    answer = answer_of(opinion, smallest)
    explaining = (each for each in entries if each.explains(smallest, answer))
    return Disagreement(opinion.name, smallest, answer, next(explaining, None))


def _told(answer: Solutions | Refusal) -> str:
    if isinstance(answer, Refusal):
        return f"an error: {answer}"
    return " ".join(str(mu) for mu in answer.elements()) or "nothing"


# --- asking ---------------------------------------------------------------------------------------


@dataclass
class OpinionReport:
    """The findings of a run so far.

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
        """True if no new deviation was found."""
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
    from ..fuzzing.rounds import ROUND
    from ..inputs.choices import random_values
    from ..inputs.sparql import question as drawn_question
    from ..inputs.swarms import random_swarm

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
    """Return a discovery as an entry of deviations.yaml; the sentences are left to be written."""
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
