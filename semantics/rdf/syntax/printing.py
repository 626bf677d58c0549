"""The printer from syntax tree to text; parsing the text returns the same tree.

IRIs are written in full, so that the text needs no prologue. Every operand that is no primary
expression is bracketed, unless the grammar nests it without brackets just as the tree does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from rdflib.term import BNode, Literal, URIRef, Variable

from ...model.pretty_printing import binds, inside, text_of, written
from ...model.terms import Term
from . import tree as s
from .tree import Prologue


class Shortener:
    """Writes the IRIs of a printed query as prefixed names, where a prefix of its prologue fits."""

    _TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|<(?P<iri>[^<>"{}|^`\\\x00-\x20]*)>')
    _LOCAL = re.compile(r"(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)?")

    def __init__(self, prologue: Prologue) -> None:
        self._prefixes = prologue.prefixes

    def __call__(self, text: str) -> str:
        return self._TOKEN.sub(self._shorter, text)

    def _shorter(self, token: re.Match[str]) -> str:
        iri = token["iri"]
        for prefix, namespace in self._prefixes if iri is not None else ():
            if namespace and iri.startswith(namespace):
                local = iri.removeprefix(namespace)
                if self._LOCAL.fullmatch(local):
                    return f"{prefix}:{local}"
        return token[0]


def with_prologue(prologue: Prologue, lines: Iterable[str]) -> str:
    """Return the lines of a query below its prologue, their IRIs shortened by it."""
    declared = (f"PREFIX {prefix}: <{iri}>" for prefix, iri in prologue.prefixes)
    return "\n".join([*declared, *map(Shortener(prologue), lines)]) + "\n"


_XSD = "http://www.w3.org/2001/XMLSchema#"
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r", "\t": r"\t"})
_BARE = {
    _XSD + "integer": re.compile(r"[+-]?[0-9]+"),
    _XSD + "decimal": re.compile(r"[+-]?[0-9]*\.[0-9]+"),
    _XSD + "double": re.compile(r"[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)[eE][+-]?[0-9]+"),
    _XSD + "boolean": re.compile(r"true|false"),
}


to_text = text_of
"""The text of a pattern, expression, term or query, or of what a language embeds in groups."""


# --- terms ---------------------------------------------------------------------------------------


@text_of.register
def _(term: Variable) -> str:
    return f"?{term}"


@text_of.register
def _(term: BNode) -> str:
    return f"_:{term}"


@text_of.register
def _(term: Literal) -> str:
    quoted = f'"{term.translate(_ESCAPES)}"'
    if term.language is not None:
        return f"{quoted}@{term.language}"
    if term.datatype is None:
        return quoted
    bare = _BARE.get(str(term.datatype))
    if bare is not None and bare.fullmatch(term):
        return str(term)
    return f"{quoted}^^{iri(term.datatype)}"


@text_of.register(URIRef)
def iri(term: str) -> str:
    """<iri>, with what may not stand between the brackets escaped.

    The escape of a code point (SPARQL 1.1, 19.2) does not help there, so that an IRI with such a
    character, which no query can have written, is percent-encoded.
    """
    escaped = re.sub(
        r'[<>"{}|^`\\\x00-\x20]', lambda match: f"%{ord(match[0]):02X}", term
    )
    return f"<{escaped}>"


# --- property paths ------------------------------------------------------------------------------

written({
    s.AlternativePath: "{alternatives!1:|}", s.SequencePath: "{steps!2:/}",
    s.InversePath: "^{path!3}", s.ZeroOrMorePath: "{path!3}*", s.OneOrMorePath: "{path!3}+",
    s.ZeroOrOnePath: "{path!3}?", s.NestedPath: "{path!3}[{test}]",
    s.NodeTest: "[{path}{object: }]",
})
binds({
    s.AlternativePath: 0, s.SequencePath: 1, s.ZeroOrMorePath: 1, s.OneOrMorePath: 1,
    s.ZeroOrOnePath: 1, s.InversePath: 2, s.NestedPath: 2,
})


@text_of.register
def _(path: s.NegatedPropertySet) -> str:
    steps = [*(iri(link) for link in path.forward), *(f"^{iri(link)}" for link in path.inverse)]
    return f"!({'|'.join(steps)})"


@text_of.register
def _(path: s.AxisPath) -> str:
    step = f"{path.axis}^-1" if path.inverse else str(path.axis)
    if path.label is not None:
        return f"{step}::{to_text(path.label)}"
    return step if path.nested is None else f"{step}::[{to_text(path.nested)}]"


# --- expressions: an operand is a term, a call, or stands in brackets ----------------------------

_TERM, _CALL = 8, 9


def _unsigned(expression: s.Expression) -> str:
    # A signed number would be read as one token.
    return inside(expression, _CALL if isinstance(expression, Literal) else _TERM)


def _separator(text: str | None) -> str:
    return "" if text is None else f'; SEPARATOR="{text.translate(_ESCAPES)}"'


written({
    s.Or: "{operands!1: || }", s.And: "{operands!2: && }", s.Not: "!{operand!8}",
    s.Comparison: "{left!8} {operator} {right!8}",
    s.In: "{operand!8} {negated:NOT }IN ({choices:, })",
    s.Arithmetic: "{left!8} {operator} {right!8}", s.Sign: "{operator}{operand!u}",
    s.BuiltIn: "{name}({arguments:, })",
    s.FunctionCall: "{function}({distinct:DISTINCT }{arguments:, })",
    s.Exists: "{negated:NOT }EXISTS {pattern}",
    s.Aggregate: "{name}({distinct:DISTINCT }{operand!a}{separator!s})",
}, u=_unsigned, a=lambda operand: "*" if operand is None else to_text(operand), s=_separator)
binds({
    s.Or: 0, s.Not: 0, s.Arithmetic: 0, s.Sign: 0, s.And: 1, s.Comparison: 2, s.In: 2,
    Variable: _TERM, URIRef: _TERM, BNode: _TERM, Literal: _TERM,
})


def constraint(expression: s.Expression) -> str:
    """Return an operand of FILTER, HAVING or ORDER BY: a call, or an expression in brackets."""
    return inside(expression, _CALL)


# --- graph patterns ------------------------------------------------------------------------------


@text_of.register
def _(group: s.GroupGraphPattern) -> str:
    last = len(group.elements) - 1
    parts = []
    for i, element in enumerate(group.elements):
        text = to_text(element)
        if isinstance(element, s.TriplesBlock) and i < last:
            text += " ."
        elif isinstance(element, s.SubSelect) and last > 0:
            # Only alone in its group does a sub-select stand without brackets.
            text = f"{{ {text} }}"
        parts.append(text)
    return f"{{ {' '.join(parts)} }}" if parts else "{}"


def _row(row: tuple[Term | None, ...]) -> str:
    return f"({' '.join('UNDEF' if cell is None else to_text(cell) for cell in row)})"


written({
    s.TriplesBlock: "{triples: . }", s.TriplePattern: "{subject} {predicate} {object}",
    s.Filter: "FILTER {condition!9}", s.OptionalPattern: "OPTIONAL {pattern}",
    s.UnionPattern: "{alternatives: UNION }", s.MinusPattern: "MINUS {pattern}",
    s.NamedGraphPattern: "GRAPH {name} {pattern}", s.SubSelect: "{query}",
    s.Bind: "BIND ({expression} AS {variable})",
    s.InlineData: "VALUES ({variables: }) {{ {rows!r} }}",
}, r=lambda rows: " ".join(map(_row, rows)))


# --- queries -------------------------------------------------------------------------------------


@text_of.register(s.SelectQuery)
@text_of.register(s.AskQuery)
@text_of.register(s.ConstructQuery)
@text_of.register(s.DescribeQuery)
def _(query: s.SparqlQuery) -> str:
    return " ".join([head(query), *dataset_clauses(query), *where_and_modifiers(query)])


def head(query: s.SparqlQuery) -> str:
    """Return the part of a query before FROM and WHERE."""
    match query:
        case s.SelectQuery():
            form = "DISTINCT " if query.distinct else "REDUCED " if query.reduced else ""
            return f"SELECT {form}{projection(query.projection)}"
        case s.ConstructQuery(template):
            return f"CONSTRUCT {{ {' . '.join(map(to_text, template))} }}"
        case s.DescribeQuery(targets):
            return f"DESCRIBE {'*' if targets is None else ' '.join(map(to_text, targets))}"
        case s.AskQuery():
            return "ASK"


def projection(items: tuple[s.Projection, ...] | None) -> str:
    """Return the text after SELECT."""
    return "*" if items is None else " ".join(map(to_text, items))


@text_of.register
def _(item: s.Projection) -> str:
    if item.expression is None:
        return to_text(item.variable)
    return f"({to_text(item.expression)} AS {to_text(item.variable)})"


written(
    {s.OrderCondition: "{descending!d} ({expression})"}, d=lambda down: "DESC" if down else "ASC"
)


def dataset_clauses(query: s.SparqlQuery) -> list[str]:
    """FROM and FROM NAMED."""
    if query.dataset is None:
        return []
    return [
        *(f"FROM {iri(name)}" for name in query.dataset.default),
        *(f"FROM NAMED {iri(name)}" for name in query.dataset.named),
    ]


def where_and_modifiers(query: s.SparqlQuery) -> list[str]:
    """Return WHERE, where there is one, and the clauses behind it."""
    where = [f"WHERE {to_text(query.where)}"] if query.where is not None else []
    return [*where, *solution_modifiers(query)]


def solution_modifiers(query: s.SparqlQuery) -> list[str]:
    """Return the text after WHERE: GROUP BY, HAVING, ORDER BY, LIMIT, OFFSET, VALUES."""
    parts: list[str] = []
    modifier = query.modifier
    if modifier.group_by:
        parts.append("GROUP BY " + " ".join(map(_group_condition, modifier.group_by)))
    if modifier.having:
        parts.append("HAVING " + " ".join(map(constraint, modifier.having)))
    if modifier.order_by:
        parts.append("ORDER BY " + " ".join(map(to_text, modifier.order_by)))
    if modifier.limit is not None:
        parts.append(f"LIMIT {modifier.limit}")
    if modifier.offset:
        parts.append(f"OFFSET {modifier.offset}")
    if query.values is not None:
        parts.append(to_text(query.values))
    return parts


def _group_condition(item: s.Projection | s.Expression) -> str:
    return to_text(item) if isinstance(item, Variable | s.Projection) else constraint(item)
