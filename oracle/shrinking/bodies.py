"""Simpler graph patterns and conditions (SPARQL 1.1 Query, 5 and 17)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import singledispatch
from typing import Any

from rdflib.namespace import XSD
from rdflib.term import Literal

from ...semantics.rdf.syntax import (
    AlternativePath,
    And,
    Arithmetic,
    Bind,
    BuiltIn,
    Comparison,
    Element,
    EmbeddedPattern,
    Exists,
    Expression,
    Filter,
    GroupGraphPattern,
    In,
    InlineData,
    InversePath,
    MinusPattern,
    NamedGraphPattern,
    NegatedPropertySet,
    Not,
    OneOrMorePath,
    OptionalPattern,
    Or,
    SequencePath,
    Sign,
    SubSelect,
    TriplePattern,
    TriplesBlock,
    UnionPattern,
    ZeroOrMorePath,
    ZeroOrOnePath,
)
from ...semantics.rdf.terms import literal

ONE = literal("1", str(XSD.integer))


def simpler_groups(group: GroupGraphPattern) -> Iterator[GroupGraphPattern]:
    """Every group that is one step simpler and looks at a graph still, large cuts first."""
    elements = group.elements
    for k, element in enumerate(elements):
        before, after = elements[:k], elements[k + 1 :]
        for simpler in ((), *_contents(element), *_simpler_elements(element)):
            smaller = _group((*before, *simpler, *after))
            if any(isinstance(e, _LOOKING) for e in smaller.elements):
                yield smaller


# A group of the other elements alone has a meaning, but it takes a moment to see which.
_LOOKING = (TriplesBlock, UnionPattern, NamedGraphPattern, SubSelect, EmbeddedPattern)


@singledispatch
def simpler_embedded(element: Element) -> Iterator[tuple[Element, ...]]:
    """What may stand for an element that another language embeds in groups; it registers them."""
    return iter(())


def _group(elements: Iterable[Element]) -> GroupGraphPattern:
    """A group whose adjacent triples form one block, as they do in a text."""
    joined: list[Element] = []
    for element in elements:
        if isinstance(element, TriplesBlock) and joined and isinstance(joined[-1], TriplesBlock):
            joined[-1] = TriplesBlock((*joined[-1].triples, *element.triples))
        else:
            joined.append(element)
    return GroupGraphPattern(tuple(joined))


def _contents(element: Element) -> Iterator[tuple[Element, ...]]:
    """What an element holds, in its place."""
    match element:
        case OptionalPattern(inner) | NamedGraphPattern(_, inner) | MinusPattern(inner):
            yield inner.elements
        case UnionPattern(alternatives):
            for alternative in alternatives:
                match alternative.elements:
                    case (SubSelect(query),):  # it has a group to itself (SPARQL grammar, [54])
                        yield query.where.elements
                    case elements:
                        yield elements
        case Filter(Exists(inner)):
            yield inner.elements
        case _:
            pass


def _simpler_elements(element: Element) -> Iterator[tuple[Element, ...]]:
    match element:
        case TriplesBlock(triples):
            for k, triple in enumerate(triples):
                before, after = triples[:k], triples[k + 1 :]
                if len(triples) > 1:
                    yield (TriplesBlock((*before, *after)),)
                for simpler in _simpler_triples(triple):
                    yield (TriplesBlock((*before, simpler, *after)),)
        case OptionalPattern(inner) | MinusPattern(inner):
            for group in simpler_groups(inner):
                yield (type(element)(group),)
        case NamedGraphPattern(name, inner):
            for group in simpler_groups(inner):
                yield (NamedGraphPattern(name, group),)
        case UnionPattern(alternatives):
            for k, alternative in enumerate(alternatives):
                others, later = alternatives[:k], alternatives[k + 1 :]
                if len(alternatives) > 2:
                    yield (UnionPattern((*others, *later)),)
                for group in simpler_groups(alternative):
                    yield (replace(element, alternatives=(*others, group, *later)),)
        case Filter(condition):
            for expression in simpler_conditions(condition):
                yield (Filter(expression),)
        case Bind(expression, variable):
            for simpler_expression in simpler_values(expression):
                yield (Bind(simpler_expression, variable),)
        case EmbeddedPattern():
            yield from simpler_embedded(element)
        case InlineData(variables, rows) if len(rows) > 1:
            for k in range(len(rows)):
                yield (InlineData(variables, rows[:k] + rows[k + 1 :]),)
        case _:
            pass


def _simpler_triples(triple: TriplePattern) -> Iterator[TriplePattern]:
    for simpler in _simpler_paths(triple.predicate):
        yield TriplePattern(triple.subject, simpler, triple.object)


def _simpler_paths(path: Any) -> Iterator[Any]:
    match path:
        case (
            InversePath(inner) | ZeroOrMorePath(inner) | OneOrMorePath(inner) | ZeroOrOnePath(inner)
        ):
            yield inner
        case SequencePath(parts) | AlternativePath(parts):
            yield from parts
        case NegatedPropertySet(forward, inverse):
            yield from (*forward, *inverse)
        case _:
            pass


def simpler_conditions(condition: Expression) -> Iterator[Expression]:
    """Every condition that is one step simpler; it is a truth value still."""
    match condition:
        case And(operands) | Or(operands):
            yield from operands
            for k, operand in enumerate(operands):
                before, after = operands[:k], operands[k + 1 :]
                if len(operands) > 2:
                    yield type(condition)((*before, *after))
                for simpler in simpler_conditions(operand):
                    yield type(condition)((*before, simpler, *after))
        case Not(operand):
            yield operand
            for simpler in simpler_conditions(operand):
                yield Not(simpler)
        case Comparison(operator, left, right):
            for simpler in simpler_values(left):
                yield Comparison(operator, simpler, right)
            for simpler in simpler_values(right):
                yield Comparison(operator, left, simpler)
            if operator in ("<=", ">=", "!="):
                for plainer in ("=", "<", ">"):
                    yield Comparison(plainer, left, right)
        case In(operand, choices, negated):
            if not negated:
                yield from (Comparison("=", operand, choice) for choice in choices)
            for k in range(len(choices)):
                if len(choices) > 1:
                    yield In(operand, choices[:k] + choices[k + 1 :], negated)
        case Exists(inner, negated):
            for group in simpler_groups(inner):
                yield Exists(group, negated)
        case BuiltIn("SAMETERM", (left, right)):
            yield Comparison("=", left, right)
        case _:
            pass


def simpler_values(value: Expression) -> Iterator[Expression]:
    """Every expression that is one step simpler and may stand for a term."""
    match value:
        case Arithmetic(operator, left, right):
            yield left
            yield right
            for simpler in simpler_values(left):
                yield Arithmetic(operator, simpler, right)
            for simpler in simpler_values(right):
                yield Arithmetic(operator, left, simpler)
            if operator != "+":
                yield Arithmetic("+", left, right)
        case Sign(_, operand):
            yield operand
        case BuiltIn(_, arguments):
            yield from arguments
        case Literal() if value != ONE:
            yield ONE
        case _:
            pass
