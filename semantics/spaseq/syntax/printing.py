"""From SPAseq's syntax tree to text; `parse` reads back the same tree."""

from __future__ import annotations

from ...rdf.syntax import printing as rdf
from ...rdf.syntax.shortening import Shortener
from .tree import (
    Atom,
    Conjunction,
    Disjunction,
    Extent,
    KleenePlus,
    Negation,
    Operator,
    OptionalEvent,
    Reference,
    SequenceExpression,
    SpaseqQuery,
    WithinUnit,
)

_UNITS = (("DAYS", 86_400), ("HOURS", 3_600), ("MINUTES", 60), ("SECONDS", 1))


def to_text(query: SpaseqQuery) -> str:
    """The query, one clause a line, its IRIs shortened by the prefixes of its own prologue."""
    shorten = Shortener(query.prologue)
    return "\n".join([
        *(f"PREFIX {prefix}: <{iri}>" for prefix, iri in query.prologue.prefixes),
        f"SELECT {'*' if query.select is None else ' '.join(map(rdf.to_text, query.select))}",
        f"WITHIN {extent_to_text(query.within)}",
        *([f"SLIDE {extent_to_text(query.slide)}"] if query.slide is not None else []),
        *(f"FROM STREAM {each.name} {shorten(rdf.iri(each.iri))}" for each in query.streams),
        "WHERE {",
        f"  SEQ({sequence_to_text(query.sequence)})",
        *(
            f"  DEFINE GPM {each.name} ON {each.stream} {shorten(rdf.to_text(each.pattern))}"
            for each in query.definitions
        ),
        "}",
    ]) + "\n"


def sequence_to_text(sequence: SequenceExpression) -> str:
    """What stands in SEQ( … ), e.g. `A; B+, (C & D)`."""
    text = atom_to_text(sequence.first)
    for step in sequence.steps:
        space = " : " if step.operator is Operator.ANY else f"{step.operator} "
        text += space + atom_to_text(step.atom)
    return text


def atom_to_text(psi: Atom) -> str:
    """One element of a sequence."""
    match psi:
        case Reference(name):
            return name
        case Negation(operand):
            return f"{operand.name}!"
        case OptionalEvent(operand):
            return f"{operand.name}?"
        case Conjunction(operands):
            return f"({' & '.join(map(atom_to_text, operands))})"
        case Disjunction(operands):
            return f"({' | '.join(map(atom_to_text, operands))})"
        case KleenePlus(operand):
            return f"{atom_to_text(operand)}+"


def extent_to_text(extent: Extent) -> str:
    """ω or β in the largest unit that measures it wholly."""
    if extent.unit is WithinUnit.INTEGER:
        return str(extent.value)
    if extent.unit is WithinUnit.EVENTS:
        return f"{extent.value} EVENTS"
    for unit, seconds in _UNITS:
        amount, rest = divmod(extent.value, seconds * 1_000_000)
        if rest == 0:
            return f"{amount} {unit}"
    return f"{extent.value} MICROSECONDS"
