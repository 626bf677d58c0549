"""The shrinking of RSEP-QL cases: [ALL] for any window, evaluation times that are listed.

Repairs are rewritings of cases that avoid differences of engines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from rdflib.term import URIRef, Variable

from ....semantics.model.errors import DenotaError
from ....semantics.model.trees import changed, instead, leaves, nodes
from ....semantics.rdf.syntax.tree import (
    Aggregate,
    Filter,
    GroupGraphPattern,
    OptionalPattern,
    Projection,
    SelectQuery,
)
from ....semantics.rsepql.clauses import streaming_dataset
from ....semantics.rsepql.evaluation_times import evaluation_times
from ....semantics.rsepql.syntax.evaluation import Evaluation
from ....semantics.rsepql.syntax.tree import (
    Event,
    First,
    IdentityWindow,
    IntervalWindow,
    LandmarkWindow,
    Last,
    MatchPattern,
    RsepqlQuery,
    Sequence,
    TimeBasedWindow,
    WindowPattern,
)
from ...cases.case import Case
from ...fuzzing.repairs import Rewriting, rewriting
from ...fuzzing.shrinking.tree_shrinking import Hook
from .features import RsepqlCase


def proposals(case: RsepqlCase) -> Iterator[RsepqlCase]:
    """Yield queries with SELECT, plainer windows, one window for two, or listed times."""
    query, form = case.query, case.query.form
    if form.where is not None and not isinstance(form, SelectQuery):
        select = SelectQuery(None, form.where, dataset=form.dataset)
        yield case.but(query=replace(query, form=select))
    for node in nodes(query):
        for plain in _plainer(node):
            yield case.but(query=changed(query, instead(node, plain)))
    for k, clause in enumerate(query.windows):
        for other in query.windows[:k]:
            on = (*query.windows[:k], replace(clause, stream=other.stream), *query.windows[k + 1 :])
            yield case.but(query=replace(query, windows=on))
            if clause.name and other.name and form.where is not None:
                where = changed(form.where, instead(clause.name, other.name))
                yield case.but(query=replace(query, form=replace(form, where=where)))
    if "at" not in case.evaluation:
        try:
            dataset = streaming_dataset(query, case.streams, case.kb)
            times = evaluation_times(dataset, Evaluation.of(case.evaluation))
        except DenotaError:
            return
        yield case.but(evaluation={"at": list(times)})


def _plainer(node: Any) -> Iterator[Any]:
    match node:
        case TimeBasedWindow() | LandmarkWindow():
            yield IdentityWindow()
        case IntervalWindow(first):
            yield IdentityWindow()
            yield LandmarkWindow(first)
        case MatchPattern(Event(window, pattern)):
            yield WindowPattern(window, pattern)


def pruned(query: RsepqlQuery) -> RsepqlQuery:
    """Return the query without unused windows."""
    where = query.form.where or GroupGraphPattern()
    used = {leaf for leaf in leaves(where) if isinstance(leaf, URIRef)}
    windows = tuple(w for w in query.windows if w.name in used or w.in_default)
    return replace(query, windows=windows or query.windows[:1])


HOOK = Hook(
    operators=lambda query: sum(
        isinstance(node, Sequence | First | Last) for node in nodes(query.form)
    ),
    proposals=proposals,
    pruned=pruned,
    cost=lambda case: "at" not in case.evaluation,
)


_POLICY: Final = {"policy": "non-empty-content"}
_COUNTED: Final = (Projection(Variable("solutions"), Aggregate("COUNT", None)),)


def _optional_without_filter(node: Any) -> Any:
    if isinstance(node, OptionalPattern):
        elements = node.pattern.elements
        kept = tuple(each for each in elements if not isinstance(each, Filter))
        if len(kept) < len(elements):
            return replace(node, pattern=replace(node.pattern, elements=kept))
    return node


def _non_empty_windows(case: Case) -> Case | None:
    return None if case.evaluation == _POLICY else case.but(evaluation=_POLICY)


def _one_solution(case: Case) -> Case | None:
    """Give each non-empty window one solution, which counts those that it had."""
    form = case.tree.form
    if not isinstance(form, SelectQuery) or form.projection == _COUNTED:
        return None
    counted = SelectQuery(_COUNTED, form.where, dataset=form.dataset, prologue=form.prologue)
    return case.but(query=replace(case.tree, form=counted), evaluation=_POLICY)


REPAIRS: Final[Mapping[str, Rewriting]] = {
    "OPTIONAL without FILTER": rewriting(_optional_without_filter),
    "non-empty windows": _non_empty_windows,
    "one solution": _one_solution,
}
