"""The printer from EP-SPARQL's syntax tree to text; `parse` returns the same tree."""

from __future__ import annotations

from collections.abc import Sequence

from ...model.pretty_printing import text_of
from ...rdf.syntax import printing as rdf
from ...rdf.syntax.printing import with_prologue
from ...rdf.syntax.tree import GroupGraphPattern, SelectQuery, UnionPattern
from .tree import EpsparqlQuery, Form, Rule, TemporalPattern


@text_of.register
def to_text(query: EpsparqlQuery) -> str:
    """Return the query, one clause a line, its IRIs shortened by its own prefixes."""
    clauses = clauses_to_text(query)
    # FROM belongs to the whole query: it is said once, in its last statement.
    last = len(query.rules) - (query.select is None)
    lines = [
        rule_to_text(rule, clauses if i == last else ()) for i, rule in enumerate(query.rules)
    ]
    if query.select is not None:
        lines.append(_form_to_text(query, query.select, clauses))
    return with_prologue(query.prologue, lines)


def rule_to_text(rule: Rule, clauses: Sequence[str] = ()) -> str:
    """CONSTRUCT { … } WHERE { … }"""
    template = " . ".join(map(rdf.to_text, rule.template))
    return "\n".join(
        [f"CONSTRUCT {{ {template} }}", *clauses, f"WHERE {rdf.to_text(rule.where)}"]
    )


def clauses_to_text(query: EpsparqlQuery) -> list[str]:
    """FROM STREAM, FROM and FROM NAMED."""
    dataset = query.dataset
    return [
        *(f"FROM STREAM {rdf.iri(clause.iri)}" for clause in query.streams),
        *(f"FROM {rdf.iri(iri)}" for iri in (dataset.default if dataset else ())),
        *(f"FROM NAMED {rdf.iri(iri)}" for iri in (dataset.named if dataset else ())),
    ]


def _form_to_text(query: EpsparqlQuery, select: SelectQuery, clauses: Sequence[str]) -> str:
    match query.form:
        case Form.SELECT:
            head = rdf.head(select)
        case Form.ASK:
            head = "ASK"
        case Form.DESCRIBE:
            named = [rdf.iri(iri) for iri in query.described]
            if select.projection or select.projection is None:
                named.insert(0, rdf.projection(select.projection))
            head = f"DESCRIBE {' '.join(named)}"
    return "\n".join([head, *clauses, " ".join(rdf.where_and_modifiers(select))])


@text_of.register
def _(element: TemporalPattern) -> str:
    left, right = element.alternatives
    return f"{_left_to_text(left)} {element.operator} {rdf.to_text(right)}"


def _left_to_text(group: GroupGraphPattern) -> str:
    """Return operators in a row need no braces, since they nest to the left."""
    match group:
        case GroupGraphPattern((TemporalPattern() as inner,)):
            return rdf.to_text(inner)
        case GroupGraphPattern((UnionPattern(alternatives) as inner,)) if len(alternatives) > 1:
            return rdf.to_text(inner)
    return rdf.to_text(group)
