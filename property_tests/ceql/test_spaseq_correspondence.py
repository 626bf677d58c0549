"""CEL's φ1 ; φ2 is SPAseq's `:` without shared variables, on one stream of one-triple graphs.

A tuple of type A at position i is the graph { :i :is :A } at time i, an event type is a GPM that
binds a variable of its own to the subject: then complex events and pairs tell the same positions.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rdflib.term import URIRef

from denota.semantics.ceql import core_extensions as cel
from denota.semantics.ceql.syntax.parse import parse as parse_ceql
from denota.semantics.model.items import TimestampedGraph
from denota.semantics.model.tuples import EventTuple
from denota.semantics.spaseq import denotation as spaseq
from denota.semantics.spaseq.syntax.parse import parse as parse_spaseq

from ..examples import examples

HERE = "http://example.org/"
TYPES = ("A", "B", "C")
ATOMS = st.lists(st.sampled_from(TYPES), min_size=1, max_size=2, unique=True)

Sequence = list[list[str]]
"""Each step one of some event types."""


def ceql_text(steps: Sequence) -> str:
    return "SELECT * WHERE " + " ; ".join(f"({' OR '.join(each)})" for each in steps)


def spaseq_text(steps: Sequence) -> str:
    """A GPM for each occurrence of an event type, so that no two share a variable."""
    definitions, names = [], []
    for k, each in enumerate(steps):
        own = [f"{kind}{k}" for kind in each]
        names.append(own[0] if len(own) == 1 else f"({' | '.join(own)})")
        definitions += [
            f"DEFINE GPM {name} ON S {{ ?{name} :is :{kind} }}"
            for name, kind in zip(own, each, strict=True)
        ]
    return (
        f"PREFIX : <{HERE}> SELECT * WITHIN 1000 FROM STREAM S :s"
        f" WHERE {{ SEQ({' : '.join(names)}) {' '.join(definitions)} }}"
    )


@examples(150)
@given(
    st.lists(ATOMS, min_size=1, max_size=4),
    st.lists(st.sampled_from((*TYPES, "Z")), max_size=7),
)
def test_sequence_is_skip_till_any(steps: Sequence, word: list[str]) -> None:
    events = cel.evaluate(parse_ceql(ceql_text(steps)), [EventTuple(kind) for kind in word])
    stream = [
        TimestampedGraph(
            time, frozenset({(URIRef(f"{HERE}{time}"), URIRef(HERE + "is"), URIRef(HERE + kind))})
        )
        for time, kind in enumerate(word)
    ]
    pairs = spaseq.evaluate(parse_spaseq(spaseq_text(steps)), {URIRef(HERE + "s"): stream})
    told = {
        (pair.time, tuple(sorted(int(str(term).removeprefix(HERE)) for term in mu.values())))
        for pair in pairs for mu in pair.solutions
    }
    assert told == {(event.end, event.positions) for event in events}
    assert all(event.start == event.positions[0] for event in events)
    assert len(pairs) == len(events)
