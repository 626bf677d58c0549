"""Conditions of a group as functions of its mappings, and a group without its filters."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.mappings import SolutionMapping
from ..model.terms import Dataset
from ..rdf.evaluation import Evaluation
from ..rdf.expressions.context import Context as ExpressionContext
from ..rdf.expressions.context import Execution
from ..rdf.expressions.evaluation import is_true
from ..rdf.syntax.tree import Element, Expression, Filter, GroupGraphPattern, TriplesBlock
from .operators import Condition


def split(group: GroupGraphPattern) -> tuple[list[Element], list[Expression]]:
    """A group's elements and its filters' conditions; triples around a filter are one block."""
    elements: list[Element] = []
    conditions: list[Expression] = []
    for element in group.elements:
        if isinstance(element, Filter):
            conditions.append(element.condition)
        elif isinstance(element, TriplesBlock) and elements and (
            isinstance(previous := elements[-1], TriplesBlock)
        ):
            elements[-1] = TriplesBlock(previous.triples + element.triples)
        else:
            elements.append(element)
    return elements, conditions


def holds_for(conditions: Sequence[Expression], dataset: Dataset | None = None) -> Condition:
    """Whether all conditions are true of a mapping; an error is false (SPARQL 1.1, 17.2).

    EXISTS looks at the default graph of the dataset.
    """
    execution = Execution()
    active = None if dataset is None else Evaluation(dataset, dataset.default, execution)

    def holds(mu: SolutionMapping) -> bool:
        return all(
            is_true(
                condition, mu,
                ExpressionContext(execution) if active is None else active.context(),
            )
            for condition in conditions
        )

    return holds
