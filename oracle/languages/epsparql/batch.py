"""Many streams of one EP-SPARQL query: what the definitions and the engine say of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from typing import Any

from rdflib.term import BNode, Variable

from ....semantics.epsparql.syntax.readings import Readings
from ....semantics.epsparql.syntax.tree import EpsparqlQuery, Form
from ....semantics.model.interval_solutions import IntervalSolution
from ....semantics.model.trees import has
from ...checking.batch_execution import OnManyStreams
from .language import LANGUAGE


class ConstructingOnMany(OnManyStreams):
    """Of rules that make blank nodes, these are named by where they occur."""

    def rows(self, results: Iterable[IntervalSolution]) -> list[Hashable]:
        solutions = list(results)
        occurrences: defaultdict[BNode, list[str]] = defaultdict(list)
        several = False
        for solution in solutions:
            nodes = {term for term in solution.mapping.values() if isinstance(term, BNode)}
            several |= len(nodes) > 1
            for node in nodes:
                occurrences[node].append(repr(_row(solution, {node: "this"})))
        looks = {node: repr(sorted(seen)) for node, seen in occurrences.items()}
        alike = Counter(looks.values())
        if several and any(count > 1 for count in alike.values()):
            return list(solutions)  # which of them is which, the case checker says
        names: dict[BNode, str] = {}
        for node, look in looks.items():
            # Nodes that look alike, each alone in its solutions, may be exchanged.
            alike[look] -= 1
            names[node] = f"{alike[look]} {look}"
        return [_row(solution, names) for solution in solutions]


def _row(solution: IntervalSolution, names: dict[BNode, str]) -> Hashable:
    """Return the solution with these names, other blank nodes without one."""

    def named(term: object) -> Hashable:
        return ("blank", names.get(term, "")) if isinstance(term, BNode) else repr(term)

    mapping: list[tuple[Variable, Hashable]] = sorted(
        (variable, named(term)) for variable, term in solution.mapping.items()
    )
    return solution.start, solution.end, tuple(mapping)


def on_many(query: EpsparqlQuery, readings: Readings, **beside: Any) -> OnManyStreams:
    """Return the query, which the engine compiles once."""
    constructs = query.form is not Form.ASK and has(
        tuple(rule.template for rule in query.rules), BNode
    )
    asked = ConstructingOnMany if constructs else OnManyStreams
    return asked(LANGUAGE, query, readings, **beside)
