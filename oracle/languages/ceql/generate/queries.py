"""CEQL queries, and the readings that suit them."""

from __future__ import annotations

from typing import Final

from .....semantics.ceql.syntax.readings import Readings
from .....semantics.ceql.syntax.scoping import with_streams_told
from .....semantics.ceql.syntax.tree import (
    As,
    CeqlQuery,
    Consumption,
    Filter,
    Formula,
    Name,
    Selected,
    Strategy,
    WindowUnit,
    Within,
)
from .....semantics.model.trees import find
from ....inputs.choices import Choices
from .formulas import OUTER, STREAMS, Scope, chosen, formula, rivals

SECOND: Final = 1_000_000_000
GRAMMAR_VERSION: Final = 1
"""Changes whenever the drawing functions draw other queries, as certificates are of all of them."""

_OPERATORS: Final = (3, 4, 5, 2, 6, 5, 7, 4, 8, 1, 10, 0, 9, 6)
_STRATEGIES: Final = (
    *(Strategy.ALL,) * 3, *(Strategy.NEXT, Strategy.LAST, Strategy.MAX) * 2, Strategy.STRICT,
)
_SEVERAL: Final = (
    *((Strategy.ALL, most) for most in (1, 2, 3)),
    *((Strategy.ANY, most) for most in (None, 1, 2, 3)),
)
_CONSUMPTIONS: Final = (Consumption.NONE,) * 4 + (Consumption.ANY, Consumption.PARTITION)
_PARTITIONS: Final = (
    (("k",),), (("k",),), (("s",),), (("k", "s"),), (("k",), ("b",)), (("d",),),
)
_MEASURES: Final = ("none",) * 4 + ("events", "t", "time") * 2 + ("another attribute",)


def any_formula(choices: Choices, streams: int = 1, operators: int | None = None) -> Formula:
    """Draw a formula of few types or many: few are matched in many ways, which are rivals."""
    scope = Scope(streams, choices.among("ceql/types in a formula", (3, 3, 2, 1)))
    if operators is None:
        if choices.among("ceql/word", ("any",) * 5 + ("rivals",)) == "rivals":
            return rivals(choices, scope)
        operators = choices.among("ceql/operators", _OPERATORS)
    return formula(choices, operators, scope)


def query(choices: Choices, operators: int | None = None) -> CeqlQuery:
    """Draw a query with any clauses, most of them few, and perhaps a number of operators."""
    streams = choices.among("ceql/streams", (1, 1, 1, 2, 2))
    phi = any_formula(choices, streams, operators)
    if any(OUTER in map(str, find(each.condition, Name)) for each in find(phi, Filter)):
        phi = As(phi, OUTER)
    named = STREAMS[:streams]
    order = choices.among("ceql/FROM", ("in order", "in order", "turned", "none"))
    consume = choices.among("ceql/consume", _CONSUMPTIONS)
    # Consumption tells partitions apart, where there are some.
    likely = (True,) if consume is Consumption.NONE else (True,) * 3
    partitioned = choices.among("ceql/partitioned", (False, *likely))
    strategy, limit = Strategy.ALL, None
    # One decision of two options: where several results are right, little is compared.
    if choices.among("ceql/several results are right", (False,) * 6 + (True,)):
        strategy, limit = choices.among("LIMIT and ANY", _SEVERAL)
    if strategy is Strategy.ALL:
        strategy = choices.among("ceql/strategy", _STRATEGIES)
    return with_streams_told(CeqlQuery(
        formula=phi,
        select=_selection(choices, phi),
        strategy=strategy,
        streams={"in order": named, "turned": named[::-1], "none": ()}[order],
        partition=choices.among("ceql/partition", _PARTITIONS) if partitioned else (),
        within=_window(choices),
        consume=consume,
        limit=limit,
    ))


def _window(choices: Choices) -> Within | None:
    measure = choices.among("ceql/within", _MEASURES)
    if measure == "none":
        return None
    extent = choices.among("ceql/extent", (2, 3, 4, 5, 1, 0, 6))
    match measure:
        case "events":
            return Within(extent, WindowUnit.EVENTS)
        case "time":
            return Within(extent * SECOND, WindowUnit.TIME)
        case "t":
            return Within(extent, WindowUnit.ATTRIBUTE, "t")
    return Within(extent, WindowUnit.ATTRIBUTE, "d" if extent < 6 else "s")


def _selection(choices: Choices, phi: Formula) -> tuple[Selected, ...] | None:
    if choices.among("ceql/select", ("*",) * 3 + ("some",)) == "*":
        return None
    told = "ceql/attributes selected", (False,) * 5 + (True,)
    return tuple(
        Selected(name, ("n",) if choices.among(*told) else None) for name in chosen(choices, phi)
    )


def readings(choices: Choices, query: CeqlQuery) -> Readings:
    """Draw readings; one that cannot matter to the query keeps its default."""
    outputs = ("complex-event",) * 3 + ("valuation",)
    chosen: dict[str, object] = {"output": choices.among("ceql/output", outputs)}
    if query.within is not None:
        if query.within.unit is WindowUnit.ATTRIBUTE:
            chosen["within"] = choices.among("ceql/how within is read", ("paper", "paper", "core"))
        if query.strategy is not Strategy.ALL:
            chosen["strategy"] = choices.among(
                "ceql/when strategies choose", ("before-within", "after-within")
            )
    if any(len(names) > 1 for names in query.partition):
        chosen["partition"] = choices.among("ceql/how partitions are read", ("paper", "core"))
    if query.limit is not None:
        chosen["limit"] = choices.among("ceql/what is limited", ("event", "query"))
    return Readings.of(chosen)
