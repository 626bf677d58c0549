"""CEQL queries that are legal but surely not meant: what can be said before any event arrives."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ...model.errors import QueryWarning
from ...model.trees import find
from .analysis import variables
from .scoping import doubts
from .tree import CeqlQuery, EventType, Filter, Name, Projection


def check_query(
    query: CeqlQuery, stream_names: Collection[str] | None = None
) -> list[QueryWarning]:
    """Return the warnings about a query, in the order of its text.

    `stream_names` are the streams that there are; None means that this is not known. The codes:

    * `unknown-stream`: FROM or S>R names a stream that is not there, or S>R one that FROM does not
      read: it has no events;
    * `unknown-variable`: a FILTER or SELECT of a variable that the formula beside it never binds,
      so that the condition always holds, or that nothing is selected;
    * `missing-attribute`: an attribute that is declared, and for other event types only;
    * `no-results`: LIMIT 0.
    """
    warnings = [*_unknown_streams(query, stream_names), *_unknown_variables(query)]
    warnings += [
        QueryWarning("missing-attribute", doubt.message, doubt.position) for doubt in doubts(query)
    ]
    if query.limit == 0:
        warnings.append(QueryWarning("no-results", "LIMIT 0 reports nothing", query.position))
    return sorted(warnings, key=lambda warning: warning.position)


def _unknown_streams(
    query: CeqlQuery, known: Collection[str] | None
) -> Iterator[QueryWarning]:
    for name in query.streams:
        if known is not None and name not in known:
            there = ", ".join(known) or "none"
            yield QueryWarning(
                "unknown-stream",
                f"no input for stream '{name}' (streams with input: {there}): it is treated as"
                " empty",
                query.position,
            )
    read = query.streams or known
    for phi in find(query.formula, EventType):
        if phi.stream is not None and read is not None and phi.stream not in read:
            yield QueryWarning(
                "unknown-stream",
                f"'{phi.stream}>{phi.name}' is of a stream that the query does not read",
                phi.position,
            )


def _unknown_variables(query: CeqlQuery) -> Iterator[QueryWarning]:
    for phi in find(query.formula, Filter):
        bound = variables(phi.formula)
        for variable in find(phi.condition, Name):
            if str(variable) not in bound:
                yield _unknown(variable, "a condition on it always holds")
    for projection in find(query.projected, Projection):
        bound = variables(projection.formula)
        for variable in projection.variables:
            if str(variable) not in bound:
                yield _unknown(variable, "selecting it selects nothing")


def _unknown(variable: Name, consequence: str) -> QueryWarning:
    return QueryWarning(
        "unknown-variable", f"nothing binds '{variable}': {consequence}", variable.position
    )
