"""Strategies for CEQL queries and for the readings that suit them."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from .....semantics.ceql.syntax.analysis import variables
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
from ....fuzzing.strategies.choices import among, choice
from .formulas import OUTER, STREAMS, formulas, name_of

SECOND = 1_000_000_000

_STREAM_COUNTS = choice("ceql/streams", (1, 1, 1, 2, 2))
_FROM = choice("ceql/FROM", ("in order", "in order", "turned", "none"))
# Where several results are right little is judged: one decision of two options says that at once.
_OPEN = choice("ceql/several results are right", (False,) * 6 + (True,))
_LIMITS = st.sampled_from((None, 1, 2, 3))
_STRATEGIES = choice(
    "ceql/strategy",
    (Strategy.ALL,) * 3 + (Strategy.NEXT, Strategy.LAST, Strategy.MAX) * 2 + (Strategy.STRICT,),
)
_CONSUMPTIONS = choice(
    "ceql/consume", (Consumption.NONE,) * 4 + (Consumption.ANY, Consumption.PARTITION)
)
_PARTITIONED = choice("ceql/partitioned", (False, True))
_PARTITIONS = choice(
    "ceql/partition",
    ((("k",),), (("k",),), (("s",),), (("k", "s"),), (("k",), ("b",)), (("d",),)),
)
_MEASURES = choice(
    "ceql/within", ("none",) * 4 + ("events", "t", "time") * 2 + ("another attribute",)
)
_EXTENTS = choice("ceql/extent", (2, 3, 4, 5, 1, 0, 6))
_SELECTIONS = choice("ceql/select", ("*",) * 3 + ("some",))
_SHOWS_SOME = st.sampled_from((True,) * 4 + (False,))
_ATTRIBUTES_TOLD = choice("ceql/attributes selected", (False,) * 5 + (True,))


@st.composite
def ceql_queries(draw: DrawFn) -> CeqlQuery:
    """CEQL queries with every clause, most of them few."""
    streams = draw(_STREAM_COUNTS)
    phi = draw(formulas(streams=streams))
    if any(OUTER in map(str, find(each.condition, Name)) for each in find(phi, Filter)):
        phi = As(phi, OUTER)
    named = STREAMS[:streams]
    order = draw(_FROM)
    consume = draw(_CONSUMPTIONS)
    # What is consumed tells partitions apart where there are some.
    partitioned = draw(_PARTITIONED) or (consume is not Consumption.NONE and draw(st.booleans()))
    limit, any_one = (draw(_LIMITS), draw(st.booleans())) if draw(_OPEN) else (None, False)
    query = CeqlQuery(
        formula=phi,
        select=draw(_selections(phi)),
        strategy=Strategy.ANY if any_one else draw(_STRATEGIES),
        streams={"in order": named, "turned": named[::-1], "none": ()}[order],
        partition=draw(_PARTITIONS) if partitioned else (),
        within=_window(draw(_MEASURES), draw(_EXTENTS)),
        consume=consume,
        limit=limit,
    )
    return with_streams_told(query)


def _window(measure: str, extent: int) -> Within | None:
    match measure:
        case "none":
            return None
        case "events":
            return Within(extent, WindowUnit.EVENTS)
        case "time":
            return Within(extent * SECOND, WindowUnit.TIME)
        case "t":
            return Within(extent, WindowUnit.ATTRIBUTE, "t")
    return Within(extent, WindowUnit.ATTRIBUTE, "d" if extent < 6 else "s")


@st.composite
def _selections(draw: DrawFn, phi: Formula) -> tuple[Selected, ...] | None:
    if draw(_SELECTIONS) == "*":
        return None
    names = [name_of(shown) for shown in sorted(variables(phi))]
    chosen: list[Name] = []
    if names and draw(_SHOWS_SOME):
        chosen = draw(st.lists(among(names), min_size=1, max_size=2, unique=True))
    return tuple(
        Selected(name, ("n",) if draw(_ATTRIBUTES_TOLD) else None) for name in chosen
    )


# --- readings ------------------------------------------------------------------------------------

_OUTPUT = choice("ceql/output", ("complex-event",) * 3 + ("valuation",))
_WITHIN = choice("ceql/how within is read", ("paper", "paper", "core"))
_STRATEGY = choice("ceql/when strategies choose", ("before-within", "after-within"))
_PARTITION = choice("ceql/how partitions are read", ("paper", "core"))
_LIMIT = choice("ceql/what is limited", ("event", "query"))


@st.composite
def ceql_readings(draw: DrawFn, query: CeqlQuery) -> Readings:
    """Readings; one that cannot matter to the query keeps its default."""
    chosen: dict[str, object] = {"output": draw(_OUTPUT)}
    if query.within is not None:
        if query.within.unit is WindowUnit.ATTRIBUTE:
            chosen["within"] = draw(_WITHIN)
        if query.strategy is not Strategy.ALL:
            chosen["strategy"] = draw(_STRATEGY)
    if any(len(names) > 1 for names in query.partition):
        chosen["partition"] = draw(_PARTITION)
    if query.limit is not None:
        chosen["limit"] = draw(_LIMIT)
    return Readings.of(chosen)
