"""The alphabet `two-windows`: two windows, on one stream or on two."""

from __future__ import annotations

from collections.abc import Iterator

from .....semantics.rsepql.syntax.tree import SequenceOperator
from .clauses import (
    CONSUMPTION,
    OUTPUTS,
    POLICIES,
    About,
    Clause,
    WrittenQuery,
    closes,
    combined,
    query,
)
from .content_streams import Content, Contents, InstantChoices

_FIRST, _SECOND = "{ ?x :A ?a }", "{ ?x :B ?b }"
_BODIES = (
    Clause(f"WINDOW :w {_FIRST} WINDOW :v {_SECOND}"),
    Clause("WINDOW ?w { ?x ?p ?a }"),
    Clause(f"MATCH {{ EVENT :w {_FIRST} }} WINDOW :v {_SECOND}"),
    Clause(f"MATCH {{ EVENT :w {_FIRST} }} MATCH {{ EVENT :v {_SECOND} }}"),
    *(
        Clause(f"MATCH {{ EVENT :w {_FIRST} {each} EVENT :v {_SECOND} }}", int(place > 0))
        for place, each in enumerate(SequenceOperator)
    ),
    Clause(f"MATCH {{ EVENT :w {_FIRST} SEQ EVENT :v {_FIRST} }}"),
)
_STREAMS = (Clause("s"), Clause("t"))


def _functions(width: int) -> tuple[Clause, ...]:
    return (
        Clause(f"[RANGE {width}]"), Clause(f"[RANGE {width + 1}]", 1),
        Clause(f"[RANGE {width} STEP {width}]", 1), Clause("[FROM 0]", 1),
        Clause("[ELEMENTS 1]", 1),
    )


def two_windows(width: int) -> Iterator[WrittenQuery]:
    """Every query of the alphabet."""
    for operators, (first, second, stream, body, output, policy, consumption) in combined(
        _functions(width), _functions(width), _STREAMS, _BODIES, OUTPUTS, POLICIES, CONSUMPTION
    ):
        if policy.waits_for_the_end and not closes(first.text + second.text):
            continue
        if consumption.text and "EVENT" not in body.text:
            continue
        clauses = (
            f"FROM NAMED WINDOW :w ON :s {first.text}",
            f"FROM NAMED WINDOW :v ON :{stream.text} {second.text}",
        )
        text = query(clauses, body.text, output=output.text, consumption=consumption.text)
        streams = tuple(dict.fromkeys(("s", stream.text)))
        counted = any("ELEMENTS" in each for each in clauses)
        contents = Contents(
            tuple(_graphs(stream.text)), (("s0", "s1"),), InstantChoices(width, width + 2), counted
        )
        yield WrittenQuery(text, operators, About(contents, streams, policy.said))


def _graphs(other: str) -> Iterator[Content]:
    """What comes on the stream :s, and on the other if it is another."""
    for name in ("s0", "s1"):
        yield Content("s", ((name, "A", "o"),))
        yield Content(other, ((name, "B", "o"),))
    for stream in dict.fromkeys(("s", other)):
        yield Content(stream, (("z", "Z", "z"),))
