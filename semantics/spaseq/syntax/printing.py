"""The printer from SPAseq's syntax tree to text; `parse` returns the same tree."""

from __future__ import annotations

from collections.abc import Iterator

from ...model.pretty_printing import text_of, written
from ...rdf.syntax import printing as rdf
from ...rdf.syntax.printing import with_prologue
from . import tree as p

_UNITS = (("DAYS", 86_400), ("HOURS", 3_600), ("MINUTES", 60), ("SECONDS", 1))


@text_of.register
def to_text(query: p.SpaseqQuery) -> str:
    """Return the query, one clause a line, its IRIs shortened by its own prefixes."""
    return with_prologue(query.prologue, _clauses(query))


def _clauses(query: p.SpaseqQuery) -> Iterator[str]:
    yield f"SELECT {'*' if query.select is None else ' '.join(map(rdf.to_text, query.select))}"
    yield f"WITHIN {text_of(query.within)}"
    if query.slide is not None:
        yield f"SLIDE {text_of(query.slide)}"
    yield from map(text_of, query.streams)
    yield "WHERE {"
    yield f"  SEQ({text_of(query.sequence)})"
    yield from (f"  {text_of(each)}" for each in query.definitions)
    yield "}"


written({
    p.StreamClause: "FROM STREAM {name} {iri}",
    p.Definition: "DEFINE GPM {name} ON {stream} {pattern}",
    p.SequenceExpression: "{first}{steps:}",
    p.Step: "{operator!o} {atom}",
    p.Reference: "{name}", p.Negation: "{operand}!", p.OptionalEvent: "{operand}?",
    p.Conjunction: "({operands: & })", p.Disjunction: "({operands: | })",
    p.KleenePlus: "{operand}+",
}, o=lambda operator: " :" if operator is p.Operator.ANY else str(operator))


@text_of.register
def _(extent: p.Extent) -> str:
    """ω or β in the largest unit that measures it wholly."""
    if extent.unit is p.WithinUnit.INTEGER:
        return str(extent.value)
    if extent.unit is p.WithinUnit.EVENTS:
        return f"{extent.value} EVENTS"
    for unit, seconds in _UNITS:
        amount, rest = divmod(extent.value, seconds * 1_000_000)
        if rest == 0:
            return f"{amount} {unit}"
    return f"{extent.value} MICROSECONDS"
