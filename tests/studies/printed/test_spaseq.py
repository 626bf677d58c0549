"""SPAseq's algorithms as printed, beside the definitions: each erratum about them, executed."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from denota.oracle.cases.case import Task
from denota.oracle.cases.case_reader import read_case
from denota.oracle.languages.enumeration import Bounds
from denota.oracle.ranks.space import Space
from denota.semantics.model.errors import UnsupportedError
from denota.semantics.model.trees import has
from denota.semantics.spaseq.denotation import evaluate
from denota.semantics.spaseq.syntax.tree import (
    Conjunction,
    Disjunction,
    KleenePlus,
    Negation,
    Operator,
    OptionalEvent,
)
from denota.studies.printed.spaseq import (
    Algorithm10,
    Algorithm10Corrected,
    AsExplained,
    AsPrinted,
    Corrected,
)

ERRATA = Path(__file__).resolve().parents[3] / "corpus" / "errata" / "spaseq"

ANSWERS: list[tuple[str, type[AsPrinted], list[str]]] = [
    ("SPA-6-strict", AsExplained, ["3 ?a=e1 ?b=e2 ?c=e3"]),
    ("SPA-6-next", AsExplained, ["3 ?a=e1 ?b=e2 ?c=e3"]),
    ("SPA-8-tumbling", AsExplained, ["20 ?h=H1 ?l=L1 ?p=Pw1 ?v=Vl1 ?w=W1"]),
    ("SPA-8-early", AsPrinted, []),
    ("SPA-8-early", AsExplained, ["2 ?a=a ?b=b"]),
    ("SPA-8-late", AsPrinted, ["90 ?a=a ?b=b"]),
    ("SPA-8-late", AsExplained, []),
    ("SPA-9", AsExplained, ["10 ?h=H1 ?p=Pw1"]),
    ("SPA-9-sequence", AsExplained, ["15 ?h=H1 ?p=Pw1 ?v=Vl1 ?w=W1"]),
    ("SPA-13", AsExplained, []),
    ("SPA-13", Algorithm10Corrected, []),
    ("SPA-13-between", AsExplained, ["20 ?a=e10 ?b=f20 ?c=g20"]),
    ("SPA-13-between", Algorithm10Corrected, []),
    ("SPA-23", AsPrinted, ["15 ?a=e10 ?b=e15"]),
    ("SPA-23", AsExplained, []),
    ("SPA-23-code", AsPrinted, ["12 ?a=a ?b=b"]),
    ("SPA-23-code", AsExplained, []),
    ("SPA-24", AsPrinted, ["10 ?a=e10 ?b=f10"]),
    ("SPA-25", AsPrinted, ["11 ?a=e10 ?b=e11"]),
    ("SPA-29-alone", AsExplained, []),
    ("SPA-29-conjunction", AsPrinted, ["12 ?a=e11 ?c=g12"]),
    ("SPA-29-conjunction", AsExplained, []),
    ("SPA-29-kleene", AsPrinted, ["13 ?a=(e11) ?b=e13", "13 ?a=(e12) ?b=e13"]),
    ("SPA-29-kleene", AsExplained, ["13 ?a=(e11 e12) ?b=e13", "13 ?a=(e12) ?b=e13"]),
    ("SPA-30", AsExplained, ["1 ?a=(e1)", "3 ?a=(e3)"]),
    ("SPA-34", AsExplained, ["20 ?a=e ?x=f ?y=g"]),
    ("SPA-34", Algorithm10, []),
    ("SPA-37-kleene", AsPrinted, []),
    ("SPA-37-disjunction", AsPrinted, []),
    ("SPA-37-conjunction", AsPrinted, ["12 ?a=a ?b=b ?c=c"]),
    ("SPA-38", Algorithm10, []),
    ("SPA-38", Algorithm10Corrected, ["11 ?a=a ?b=b ?c=c"]),
    ("SPA-39-empty", AsPrinted, ["11 ?a=a ?c=c"]),
    ("SPA-39-absence", AsPrinted, ["11 ?a=a ?c=c"]),
    ("SPA-39-foreign", AsPrinted, ["12 ?a=a ?c=c"]),
    ("SPA-39-negation", AsPrinted, ["11 ?a=a"]),
]  # fmt: skip
"""What the engine has for the case of an erratum, where it is said on its page."""


def shown(pairs: object) -> list[str]:
    """Pairs of one mapping each, as `TIME ?v=term …`."""
    assert isinstance(pairs, frozenset)
    return sorted(
        " ".join([str(pair.time), *(f"?{v}={_name(mu[v])}" for v in sorted(mu))])
        for pair in pairs for mu in pair.solutions
    )


def _name(value: object) -> str:
    if isinstance(value, tuple):
        return "(" + " ".join(map(_name, value)) + ")"
    return str(value).removeprefix("http://example.org/")


@pytest.mark.parametrize(("name", "engine", "answers"), ANSWERS)
def test_algorithm_on_the_case_of_an_erratum(
    name: str, engine: type[AsPrinted], answers: list[str]
) -> None:
    assert shown(engine().run(read_case(ERRATA / f"{name}.case.yaml"))) == answers


@pytest.mark.parametrize("name", sorted({name for name, _, _ in ANSWERS}))
def test_the_corrected_algorithms_answer_as_the_definitions(name: str) -> None:
    case = read_case(ERRATA / f"{name}.case.yaml")
    if case.readings.negation == "absence":
        with pytest.raises(UnsupportedError):
            Corrected().run(case)
    else:
        assert Corrected().run(case) == case.denotation()


def test_which_small_queries_differ() -> None:
    """As corrected none does. As explained `,` and `;` do on events of one timestamp only."""
    readings = {"window": "match"}
    space = Space.of("spaseq", Bounds(2, 3, readings=readings))
    differing: set[str] = set()
    for number, run in enumerate(islice(space.runs(0, space.cases), 0, None, 3)):
        query, place = run.query, number * 7919 % len(run)
        streams = run.given(place)
        expected = evaluate(query, streams, {}, run.readings)
        task = Task("spaseq", query, streams, readings=readings)
        assert Corrected().run(task) == expected
        steps = query.sequence.steps
        if any(step.operator is Operator.ANY for step in steps):
            continue
        try:
            same = AsExplained().run(task) == expected
        except UnsupportedError:  # a nested BOp
            continue
        if has(query.sequence, KleenePlus, Conjunction, Disjunction, Negation, OptionalEvent):
            differing |= set() if same else {run.text}
        elif steps and not _ties(streams):
            assert same
    assert differing


def _ties(streams: object) -> bool:
    assert isinstance(streams, dict)
    times = [item.time for stream in streams.values() for item in stream]
    return len(set(times)) < len(times)


@pytest.mark.parametrize(
    "name", ["SPA-32-any", "SPA-31-nested"], ids=["skip-till-any", "a BOp in a BOp"]
)
def test_queries_that_no_algorithm_takes(name: str) -> None:
    with pytest.raises(UnsupportedError):
        AsPrinted().run(read_case(ERRATA / f"{name}.case.yaml"))
