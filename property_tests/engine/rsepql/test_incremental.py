"""What is brought up to date item by item is what is found anew.

The streams are longer than the definitions can be asked about, and have so few terms that nearly
everything takes part in something: what a view forgets to take away is seen.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib.term import URIRef

from denota.engine.rsepql import plan, run
from denota.engine.rsepql.events import matching
from denota.engine.rsepql.events.views import RecomputedView
from denota.semantics.model.items import TimestampedGraph
from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.rsepql.syntax.evaluation import Evaluation
from denota.semantics.rsepql.syntax.parse import parse
from denota.semantics.rsepql.syntax.readings import Readings

from ...examples import examples

EX = "http://example.org/"
STREAMS = {name: URIRef(EX + name) for name in "st"}
TERMS = [URIRef(EX + name) for name in "ab"]
LINKS = [URIRef(EX + name) for name in "pq"]
OPERATORS = ("SEQ", "SEQC", "SEQR") * 3 + ("SEQN",)

Stream = list[TimestampedGraph]


def stream_of(random: Random) -> Stream:
    """Up to forty items, at one time unit each as a rule."""
    time, stream = 0, []
    for _ in range(random.randrange(8, 40)):
        time += random.choice((1, 1, 1, 0, 2))
        graph = frozenset(
            (random.choice(TERMS), random.choice(LINKS), random.choice(TERMS))
            for _ in range(random.choice((1, 1, 2)))
        )
        stream.append(TimestampedGraph(time, graph))
    return stream


def window(random: Random) -> str:
    sliding = f"[RANGE {random.randrange(2, 9)} STEP {random.choice((1, 1, 1, 2, 3))}]"
    others = (
        f"[ELEMENTS {random.randrange(2, 6)} STEP {random.randrange(1, 3)}]",
        f"[FROM {random.randrange(4)}]",
        f"[ELEMENTS 2 STEP 2] OF {sliding}",
    )
    return random.choice((sliding,) * 7 + others)


def event(random: Random, names: str, depth: int) -> str:
    if depth == 0:
        subject, value = random.choice("xyz"), random.choice("xyz")
        return f"EVENT :{random.choice(names)} {{ ?{subject} :{random.choice('pq')} ?{value} }}"
    left = event(random, names, random.choice((0, depth - 1)))
    right = event(random, names, random.choice((0, 0, depth - 1)))
    chosen = random.choice(("",) * 8 + ("FIRST ", "LAST "))
    return f"{chosen}(({left}) {random.choice(OPERATORS)} ({right}))"


def body(random: Random) -> str:
    """Clauses for windows, and a WHERE that looks at them."""
    names = "uvw"[: random.randrange(1, 4)]
    clauses = "".join(
        f"FROM NAMED WINDOW :{name} ON :{random.choice('sst')} {window(random)}\n"
        for name in names
    )
    if random.random() < 0.7:
        consume = random.choice(("", "", "CONSUME CHRONOLOGICAL"))
        depth = random.choice((1, 1, 2, 3))
        return f"{clauses} WHERE {{ MATCH {{ {event(random, names, depth)} }} }} {consume}"
    triples = " ".join(
        f"?{random.choice('xyz')} :{random.choice('pq')} ?{random.choice('xyz')} ."
        for _ in range(random.randrange(1, 4))
    )
    triples += random.choice(("", " FILTER (?x != ?y)"))
    if random.random() < 0.5:
        return f"{clauses.replace('NAMED ', '')} WHERE {{ {triples} }}"
    return f"{clauses} WHERE {{ WINDOW :{names[-1]} {{ {triples} }} }}"


def evaluations() -> st.SearchStrategy[Evaluation]:
    return st.sampled_from((
        Evaluation(),
        Evaluation(policy="window-close"),
        Evaluation(policy="non-empty-content"),
        Evaluation(policy="periodic", period=2),
    ))


def readings() -> st.SearchStrategy[Readings]:
    return st.builds(Readings, **{
        name: st.sampled_from(values) for name, values in Readings.choices().items()
    })


@examples(300)
@given(
    # Drawn choice by choice, most cases would be plain ones.
    random=st.randoms(use_true_random=True),
    operator=st.sampled_from(("RSTREAM", "ISTREAM", "DSTREAM")),
    readings=readings(),
    evaluation=evaluations(),
)
def test_kept_up_to_date_is_found_anew(
    random: Random, operator: str, readings: Readings, evaluation: Evaluation
) -> None:
    asked = body(random)
    query = parse(f"PREFIX : <{EX}> REGISTER {operator} :out AS SELECT * {asked}")
    streams = {STREAMS["s"]: stream_of(random), STREAMS["t"]: stream_of(random)}
    ticks = evaluation if "RANGE" in asked else Evaluation()

    def answers() -> list[tuple[int, Counter[SolutionMapping]]]:
        return [
            (answer.time, Counter(answer.content))
            for answer in run(query, streams, {}, readings, ticks)
            if isinstance(answer.content, tuple)
        ]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "view_of", RecomputedView)
        patch.setattr(plan, "kept_in_window", lambda select, *_: (select, None))
        patch.setattr(plan, "kept_in_default", lambda select, *_: (select, None))
        patch.setattr(plan, "is_linear", lambda _: False)
        anew = answers()
    assert answers() == anew
