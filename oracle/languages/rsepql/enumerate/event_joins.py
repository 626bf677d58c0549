"""The alphabet `event-joins`: event patterns over graphs of one or two triples."""

from __future__ import annotations

from collections.abc import Iterator

from .....semantics.rsepql.syntax.tree import SequenceOperator
from .clauses import AS_WRITTEN, CONSUMPTION, OUTPUTS, About, Clause, WrittenQuery, combined, query
from .content_streams import Content, Contents, InstantChoices

_EVENTS = tuple(
    Clause(f"EVENT :w {{ {pattern} }}")
    for pattern in (
        "?x :A ?a", "?x :B ?b", "?y :A ?a", "?y :B ?b", ":s0 :A ?a", "?x :A ?a . ?x :B ?b",
        "?x :A ?a . ?y :B ?b",
    )
)
_CHOICES = (AS_WRITTEN, Clause("FIRST", 1), Clause("LAST", 1))
_SELECTS = (Clause("SELECT *"), Clause("SELECT ?a", 1))


def _patterns() -> Iterator[Clause]:
    """Events, alone or one after the other; each, or all of it, may be the first or last."""
    for operators, (choice, event) in combined(_CHOICES, _EVENTS):
        yield Clause(f"{choice.text} {event.text}", operators)
    sequences = [Clause(each, 1) for each in SequenceOperator]
    for operators, (choice, first, left, sequence, second, right) in combined(
        _CHOICES, _CHOICES, _EVENTS, sequences, _CHOICES, _EVENTS
    ):
        if operators > _MOST:
            continue
        inner = f"{first.text} {left.text} {sequence.text} {second.text} {right.text}"
        yield Clause(f"{choice.text} ({inner})" if choice.text else inner, operators)


_MOST = 2
"""So many operators at most has an event pattern."""


def event_joins(width: int) -> Iterator[WrittenQuery]:
    """Every query of the alphabet."""
    window = f"FROM NAMED WINDOW :w ON :s [RANGE {width}]"
    for operators, (pattern, select, output, consumption) in combined(
        [*_patterns()], _SELECTS, OUTPUTS, CONSUMPTION
    ):
        if operators > _MOST + 1 or (select.operators and "?a" not in pattern.text):
            continue
        text = query(
            [window], f"MATCH {{ {pattern.text} }}", select=select.text, output=output.text,
            consumption=consumption.text,
        )
        # A constant is itself.
        alike = () if ":s0" in pattern.text else (("s0", "s1"),)
        contents = Contents(tuple(_graphs()), alike, InstantChoices(width))
        yield WrittenQuery(text, operators, About(contents))


def _graphs() -> Iterator[Content]:
    for name in ("s0", "s1"):
        triples = (name, "A", "o"), (name, "B", "o")
        yield from (Content("s", each) for each in (triples[:1], triples[1:], triples))
    yield Content("s", (("z", "Z", "z"),))
