"""The beginnings of a CEQL formula's sequence, and of each one queries that demand less."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

from ....semantics.ceql.syntax.analysis import conjuncts, variables
from ....semantics.ceql.syntax.readings import Readings
from ....semantics.ceql.syntax.tree import (
    AndCondition,
    As,
    CeqlQuery,
    Condition,
    Consumption,
    Contiguous,
    Filter,
    Formula,
    NotFormula,
    Projection,
    Sequence,
    Strategy,
    VariableCondition,
)
from ....semantics.model.pretty_printing import text_of
from ....semantics.model.trees import changed, find, instead
from ..base import TOGETHER, Beginning, Relaxed
from .explain.table import without_conditions, without_contiguity


def beginnings(query: CeqlQuery, readings: Readings) -> list[Beginning]:
    """Return the beginnings of the formula, the shortest first; the last one is the formula.

    No clause is kept that only chooses among matches.
    """
    found, before = [], ""
    for formula, last in _begun(query.formula):
        own = replace(
            query, formula=formula, select=None, strategy=Strategy.ALL, limit=None,
            consume=Consumption.NONE,
        )
        relaxed = tuple(Relaxed(but, each, readings) for but, each in _relaxed(own))
        found.append(Beginning(before, text_of(without_conditions(last)), own, relaxed))
        before = text_of(without_conditions(formula))
    return found


def _relaxed(query: CeqlQuery) -> Iterator[tuple[str, CeqlQuery]]:
    phi = query.formula
    if query.within is not None:
        yield f"not WITHIN {text_of(query.within)}", replace(query, within=None)
    if query.partition:
        names = " and ".join("/".join(dict.fromkeys(names)) for names in query.partition)
        yield f"not with the same {names} (PARTITION BY)", replace(query, partition=())
    if without_contiguity(phi) != phi:
        yield "not next to it (':')", replace(query, formula=without_contiguity(phi))
    filters = [*find(phi, Filter, but=NotFormula)]
    texts = [f"FILTER {text_of(each.condition)}" for each in filters]
    for each, text in zip(filters, texts, strict=True):
        told = f"not with {text}" if len(filters) > 1 else f"{text} is never true"
        yield told, replace(query, formula=changed(phi, instead(each, each.formula)))
    if len(filters) > 1:
        without = replace(query, formula=without_conditions(phi))
        yield f"not with {' and '.join(texts)}", without
    yield TOGETHER, replace(
        query, within=None, partition=(), formula=without_contiguity(without_conditions(phi))
    )


def _begun(phi: Formula) -> list[tuple[Formula, Formula]]:
    """Return each beginning with its last element."""
    match phi:
        case Sequence(left, right) | Contiguous(left, right):
            return [*_begun(left), (phi, right)]
        case Filter(inner, condition):
            *shorter, (_, last) = _begun(inner)
            return [*((_narrowed(psi, condition), end) for psi, end in shorter), (phi, last)]
        case As(inner) | Projection(inner):
            *shorter, (_, last) = _begun(inner)
            return [*shorter, (phi, last)]
    return [(phi, phi)]


def _narrowed(phi: Formula, condition: Condition) -> Formula:
    """Return φ under those of the conditions that ask only for what it binds."""
    bound = variables(phi)
    kept = [
        each for each in conjuncts(condition)
        if all(str(asked.variable) in bound for asked in find(each, VariableCondition))
    ]
    return Filter(phi, reduce(AndCondition, kept)) if kept else phi
