"""What is known to be wrong with other evaluators: deviations.yaml, read and applied."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from rdflib.term import Literal, Variable

from ....semantics.model.mappings import SolutionMapping
from ....semantics.model.terms import Dataset
from ....semantics.rdf.expressions.values import NUMERIC_DATATYPES
from ....semantics.streams.rdf.graphs import parse_graph
from ...cases.turtle_terms import term_of
from ...cases.yaml_nodes import loader_type
from .questions import Question, Solutions, pattern_of
from .respondents import Opinion, Refusal
from .traits import features

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
        """Whether a disagreement in its smallest form is this deviation."""
        if not self.is_answer(answer) or not self.when <= features(smallest):
            return False
        return not self.in_form_only or (
            isinstance(answer, Counter) and _values(answer) == _values(smallest.solutions)
        )

    def is_answer(self, answer: Solutions | Refusal) -> bool:
        """Whether an answer is of this deviation's sort: solutions, or a refusal of this kind."""
        if isinstance(answer, Refusal):
            return isinstance(self.theirs, re.Pattern) and bool(self.theirs.search(str(answer)))
        return not isinstance(self.theirs, re.Pattern)


def answer_of(opinion: Opinion, question: Question) -> Solutions | Refusal:
    """What somebody answers, a refusal included."""
    try:
        return opinion.solutions(question)
    except Refusal as refusal:
        return refusal


@cache
def deviations() -> tuple[Deviation, ...]:
    """All entries of deviations.yaml."""
    import yaml

    path = Path(__file__).with_name("deviations.yaml")
    written = yaml.load(path.read_text(encoding="utf-8"), loader_type())
    return tuple(map(_deviation, written))


def known(who: str) -> tuple[Deviation, ...]:
    """The entries about one evaluator."""
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
    """The solutions without the forms that numbers and booleans are written in."""
    return Counter(
        frozenset((variable, _value(term)) for variable, term in mu.items())
        for mu in solutions.elements()
    )


def _value(term: object) -> object:
    """A number of whatever type as a fraction, a boolean as a word; other terms as they are."""
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
