"""From syntax tree to text, such that parsing the text gives the same tree again.

IRIs are written in full, so that the text needs no prologue. Every operand that is no primary
expression is bracketed, unless the grammar nests it without brackets just as the tree does.
"""

from __future__ import annotations

import re
from functools import singledispatch
from typing import TypeAlias

from rdflib.term import BNode, Literal, URIRef, Variable

from ...model.terms import Term
from . import tree as s

Printable: TypeAlias = (
    s.GroupGraphPattern | s.Element | s.Expression | s.Path | s.SparqlQuery | s.TriplePattern
)

_XSD = "http://www.w3.org/2001/XMLSchema#"
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r", "\t": r"\t"})
_BARE = {
    _XSD + "integer": re.compile(r"[+-]?[0-9]+"),
    _XSD + "decimal": re.compile(r"[+-]?[0-9]*\.[0-9]+"),
    _XSD + "double": re.compile(r"[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)[eE][+-]?[0-9]+"),
    _XSD + "boolean": re.compile(r"true|false"),
}


def to_text(tree: Printable) -> str:
    """The text of a pattern, expression, term or query.

    >>> to_text(Literal("1", datatype=_XSD + "integer"))
    '1'
    """
    return _text(tree)


@singledispatch
def _text(tree: Printable) -> str:
    raise AssertionError(f"not a syntax tree: {tree!r}")


prints = _text.register
"""Decorates the function that writes what a language embeds in groups (an `EmbeddedPattern`)."""


# --- terms ---------------------------------------------------------------------------------------


@_text.register
def _(term: Variable) -> str:
    return f"?{term}"


@_text.register
def _(term: URIRef) -> str:
    return iri(term)


@_text.register
def _(term: BNode) -> str:
    return f"_:{term}"


@_text.register
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


@_text.register
def _(path: s.InversePath) -> str:
    return f"^{_path_primary(path.path)}"


@_text.register
def _(path: s.SequencePath) -> str:
    return "/".join(
        _text(step) if isinstance(step, s.InversePath | s.NestedPath) else _path_primary(step)
        for step in path.steps
    )


@_text.register
def _(path: s.AlternativePath) -> str:
    return "|".join(
        f"({_text(inner)})" if isinstance(inner, s.AlternativePath) else _text(inner)
        for inner in path.alternatives
    )


@_text.register
def _(path: s.ZeroOrMorePath) -> str:
    return f"{_path_primary(path.path)}*"


@_text.register
def _(path: s.OneOrMorePath) -> str:
    return f"{_path_primary(path.path)}+"


@_text.register
def _(path: s.ZeroOrOnePath) -> str:
    return f"{_path_primary(path.path)}?"


@_text.register
def _(path: s.NegatedPropertySet) -> str:
    steps = [*(iri(link) for link in path.forward), *(f"^{iri(link)}" for link in path.inverse)]
    return f"!({'|'.join(steps)})"


@_text.register
def _(path: s.AxisPath) -> str:
    step = f"{path.axis}^-1" if path.inverse else str(path.axis)
    if path.label is not None:
        return f"{step}::{_text(path.label)}"
    return step if path.nested is None else f"{step}::[{_text(path.nested)}]"


@_text.register
def _(path: s.NestedPath) -> str:
    return f"{_path_primary(path.path)}[{_text(path.test)}]"


@_text.register
def _(path: s.NodeTest) -> str:
    object_ = "" if path.object is None else f" {_text(path.object)}"
    return f"[{_text(path.path)}{object_}]"


_PRIMARY_PATHS = (URIRef, s.NegatedPropertySet, s.AxisPath, s.NodeTest)


def _path_primary(path: s.Path) -> str:
    if isinstance(path, _PRIMARY_PATHS):
        return _text(path)
    return f"({_text(path)})"


# --- expressions ---------------------------------------------------------------------------------


@_text.register
def _(expression: s.Or) -> str:
    return " || ".join(_operand(operand, s.And, *_RELATIONAL) for operand in expression.operands)


@_text.register
def _(expression: s.And) -> str:
    return " && ".join(_operand(operand, *_RELATIONAL) for operand in expression.operands)


@_text.register
def _(expression: s.Not) -> str:
    return f"!{_operand(expression.operand)}"


@_text.register
def _(expression: s.Comparison) -> str:
    left, right = _operand(expression.left), _operand(expression.right)
    return f"{left} {expression.operator} {right}"


@_text.register
def _(expression: s.In) -> str:
    word = "NOT IN" if expression.negated else "IN"
    return f"{_operand(expression.operand)} {word} ({_list(expression.choices)})"


@_text.register
def _(expression: s.Arithmetic) -> str:
    return f"{_operand(expression.left)} {expression.operator} {_operand(expression.right)}"


@_text.register
def _(expression: s.Sign) -> str:
    # A signed number would be read as one token.
    operand = expression.operand
    text = f"({_text(operand)})" if isinstance(operand, Literal) else _operand(operand)
    return f"{expression.operator}{text}"


@_text.register
def _(expression: s.BuiltIn) -> str:
    return f"{expression.name}({_list(expression.arguments)})"


@_text.register
def _(expression: s.FunctionCall) -> str:
    distinct = "DISTINCT " if expression.distinct else ""
    return f"{iri(expression.function)}({distinct}{_list(expression.arguments)})"


@_text.register
def _(expression: s.Exists) -> str:
    return f"{'NOT ' if expression.negated else ''}EXISTS {_text(expression.pattern)}"


@_text.register
def _(expression: s.Aggregate) -> str:
    operand = "*" if expression.operand is None else _text(expression.operand)
    distinct = "DISTINCT " if expression.distinct else ""
    separator = ""
    if expression.separator is not None:
        separator = f'; SEPARATOR="{expression.separator.translate(_ESCAPES)}"'
    return f"{expression.name}({distinct}{operand}{separator})"


_RELATIONAL = (s.Comparison, s.In)
_PRIMARY = (URIRef, Literal, Variable, BNode, s.BuiltIn, s.FunctionCall, s.Exists, s.Aggregate)


def _operand(expression: s.Expression, *bare: type) -> str:
    text = _text(expression)
    return text if isinstance(expression, _PRIMARY + bare) else f"({text})"


def _list(expressions: tuple[s.Expression, ...]) -> str:
    return ", ".join(map(_text, expressions))


def constraint(expression: s.Expression) -> str:
    """What may follow FILTER, HAVING or ORDER BY: a call, or brackets."""
    if isinstance(expression, s.BuiltIn | s.FunctionCall | s.Exists | s.Aggregate):
        return _text(expression)
    return f"({_text(expression)})"


# --- graph patterns ------------------------------------------------------------------------------


@_text.register
def _(group: s.GroupGraphPattern) -> str:
    last = len(group.elements) - 1
    parts = []
    for i, element in enumerate(group.elements):
        text = _text(element)
        if isinstance(element, s.TriplesBlock) and i < last:
            text += " ."
        elif isinstance(element, s.SubSelect) and last > 0:
            # Only alone in its group does a sub-select stand without brackets.
            text = f"{{ {text} }}"
        parts.append(text)
    return f"{{ {' '.join(parts)} }}" if parts else "{}"


@_text.register
def _(block: s.TriplesBlock) -> str:
    return " . ".join(map(_text, block.triples))


@_text.register
def _(triple: s.TriplePattern) -> str:
    return f"{_text(triple.subject)} {_text(triple.predicate)} {_text(triple.object)}"


@_text.register
def _(element: s.Filter) -> str:
    return f"FILTER {constraint(element.condition)}"


@_text.register
def _(element: s.OptionalPattern) -> str:
    return f"OPTIONAL {_text(element.pattern)}"


@_text.register
def _(element: s.UnionPattern) -> str:
    return " UNION ".join(map(_text, element.alternatives))


@_text.register
def _(element: s.MinusPattern) -> str:
    return f"MINUS {_text(element.pattern)}"


@_text.register
def _(element: s.NamedGraphPattern) -> str:
    return f"GRAPH {_text(element.name)} {_text(element.pattern)}"


@_text.register
def _(element: s.Bind) -> str:
    return f"BIND ({_text(element.expression)} AS {_text(element.variable)})"


@_text.register
def _(element: s.InlineData) -> str:
    rows = " ".join(f"({' '.join(map(_cell, row))})" for row in element.rows)
    return f"VALUES ({' '.join(map(_text, element.variables))}) {{ {rows} }}"


def _cell(value: Term | None) -> str:
    return "UNDEF" if value is None else _text(value)


@_text.register
def _(element: s.SubSelect) -> str:
    return _text(element.query)


# --- queries -------------------------------------------------------------------------------------


@_text.register(s.SelectQuery)
@_text.register(s.AskQuery)
@_text.register(s.ConstructQuery)
@_text.register(s.DescribeQuery)
def _(query: s.SparqlQuery) -> str:
    return " ".join([head(query), *dataset_clauses(query), *where_and_modifiers(query)])


def head(query: s.SparqlQuery) -> str:
    """What stands before FROM and WHERE."""
    match query:
        case s.SelectQuery():
            form = "DISTINCT " if query.distinct else "REDUCED " if query.reduced else ""
            return f"SELECT {form}{projection(query.projection)}"
        case s.ConstructQuery(template):
            return f"CONSTRUCT {{ {' . '.join(map(_text, template))} }}"
        case s.DescribeQuery(targets):
            return f"DESCRIBE {'*' if targets is None else ' '.join(map(_text, targets))}"
        case s.AskQuery():
            return "ASK"


def projection(items: tuple[s.Projection, ...] | None) -> str:
    """What follows SELECT."""
    return "*" if items is None else " ".join(map(_projection, items))


def _projection(item: s.Projection) -> str:
    if item.expression is None:
        return _text(item.variable)
    return f"({_text(item.expression)} AS {_text(item.variable)})"


def dataset_clauses(query: s.SparqlQuery) -> list[str]:
    """FROM and FROM NAMED."""
    if query.dataset is None:
        return []
    return [
        *(f"FROM {iri(name)}" for name in query.dataset.default),
        *(f"FROM NAMED {iri(name)}" for name in query.dataset.named),
    ]


def where_and_modifiers(query: s.SparqlQuery) -> list[str]:
    """WHERE, where there is one, and what follows it."""
    where = [f"WHERE {_text(query.where)}"] if query.where is not None else []
    return [*where, *solution_modifiers(query)]


def solution_modifiers(query: s.SparqlQuery) -> list[str]:
    """What follows WHERE: GROUP BY, HAVING, ORDER BY, LIMIT, OFFSET, VALUES."""
    parts: list[str] = []
    modifier = query.modifier
    if modifier.group_by:
        parts.append("GROUP BY " + " ".join(map(_group_condition, modifier.group_by)))
    if modifier.having:
        parts.append("HAVING " + " ".join(map(constraint, modifier.having)))
    if modifier.order_by:
        parts.append("ORDER BY " + " ".join(map(_order_condition, modifier.order_by)))
    if modifier.limit is not None:
        parts.append(f"LIMIT {modifier.limit}")
    if modifier.offset:
        parts.append(f"OFFSET {modifier.offset}")
    if query.values is not None:
        parts.append(_text(query.values))
    return parts


def _group_condition(item: s.Projection | s.Expression) -> str:
    if isinstance(item, s.Projection):
        return _projection(item)
    return _text(item) if isinstance(item, Variable) else constraint(item)


def _order_condition(condition: s.OrderCondition) -> str:
    return f"{'DESC' if condition.descending else 'ASC'} ({_text(condition.expression)})"
