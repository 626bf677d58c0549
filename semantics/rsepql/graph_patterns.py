"""The semantics of graph patterns: ⟦P⟧_{SDS_ι}^t, a bag (RSEP-QL Def. 6, equations 1 to 3 and 8).

All of P is evaluated at one t, so that it is SPARQL's own evaluation over the snapshots at t, with
WINDOW and MATCH as two further operators.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from rdflib.term import URIRef, Variable

from ..model.errors import Impossible
from ..model.mappings import SolutionMapping
from ..rdf.evaluation import Evaluation, evaluate_algebra, join
from ..rdf.expressions.context import Execution
from ..rdf.syntax.tree import EmbeddedPattern, GroupGraphPattern
from ..rdf.translation import translated
from .dataset import Snapshots
from .syntax.tree import EventPattern, MatchPattern, WindowPattern

Matching: TypeAlias = Callable[[EventPattern], Sequence[SolutionMapping]]
"""⟦MATCH E⟧ at t"""


def over(snapshots: Snapshots, execution: Execution, matching: Matching) -> Evaluation:
    """SDS_ι(t), ι being the default graph at first, with the further operators."""

    def further(P: EmbeddedPattern, active: Evaluation) -> list[SolutionMapping]:
        match P:
            case WindowPattern(name, pattern):
                return window_graph_pattern(name, pattern, snapshots, active)
            case MatchPattern(E):
                return event_graph_pattern(matching(E), active)
        raise Impossible(f"not a graph pattern: {P!r}")

    return Evaluation(snapshots, snapshots.default, execution, embedded=further)


def window_graph_pattern(
    name: URIRef | Variable, P: GroupGraphPattern, snapshots: Snapshots, active: Evaluation
) -> list[SolutionMapping]:
    """(3): ⟦WINDOW w_j P⟧_{SDS_ι}^t = ⟦P⟧_{SDS_{w_j}}^t

    The paper has names only. A variable ranges over the windows as that of GRAPH ranges over
    graphs: ⟦WINDOW ?w P⟧ = ⋃_j ({{?w ↦ w_j}} ⋈ ⟦WINDOW w_j P⟧).
    """
    if not isinstance(name, Variable):
        return evaluate_algebra(translated(P), replace(active, graph=snapshots.windows[name]))
    return [
        mu
        for w_j in snapshots.windows if active.outer.get(name, w_j) == w_j
        for mu in join(
            [SolutionMapping({name: w_j})], window_graph_pattern(w_j, P, snapshots, active)
        )
    ]


def event_graph_pattern(
    omega: Sequence[SolutionMapping], active: Evaluation
) -> list[SolutionMapping]:
    """(8): ⟦MATCH E⟧_{SDS_ι}^t is the same bag for every ι."""
    return [mu for mu in omega if mu.compatible(active.outer)]
