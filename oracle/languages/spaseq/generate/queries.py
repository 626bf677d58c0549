"""Strategies for SPAseq queries and for the readings that suit them.

Only combinations that have a meaning are made, so that every generated case is judged.
"""

from __future__ import annotations

from functools import cache
from itertools import product

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from rdflib.term import BNode, Variable

from .....semantics.rdf.syntax.variables import possible_variables
from .....semantics.spaseq.syntax.readings import Readings
from .....semantics.spaseq.syntax.tree import (
    Definition,
    Extent,
    KleenePlus,
    SpaseqQuery,
    StreamClause,
    WithinUnit,
)
from ....fuzzing.strategies.choices import among
from ....fuzzing.strategies.dropping import dropped
from ....fuzzing.strategies.graph_patterns import graph_names, graph_patterns
from ....fuzzing.strategies.vocabulary import AMOUNTS, PROLOGUE, STREAMS, THINGS
from ..case import atoms
from .sequences import GPM_NAMES, absence_is_possible, names_in, negates, sequence_expressions

MICROSECONDS_A_SECOND = 1_000_000

_STREAM_COUNTS = st.sampled_from((1, 2, 2, 3))
_RARELY = st.sampled_from((False,) * 5 + (True,))
_SELECTED = st.lists(st.sampled_from((*THINGS, *AMOUNTS)), min_size=1, max_size=3, unique=True)
_UNITS = st.sampled_from(
    (WithinUnit.INTEGER,) * 6 + (WithinUnit.MICROSECONDS, WithinUnit.EVENTS)
)
# Ten is more than most generated streams last; the others have boundaries inside the stream.
_WIDTHS = (10, 3, 10, 5, 10, 4, 10, 2, 10, 1, 10, 10)
_SLIDES = (None,) * 7 + (1, 2, 3)


@st.composite
def spaseq_queries(draw: DrawFn, *, unit: WithinUnit | None = None) -> SpaseqQuery:
    """SPAseq queries (Def. 4): windows in `unit`, or in any unit if it is None."""
    sequence = draw(sequence_expressions())
    streams = [
        StreamClause(f"S{k}", iri)
        for k, iri in enumerate(STREAMS[: draw(_STREAM_COUNTS)], start=1)
    ]
    names = names_in(sequence)
    definitions: list[Definition] = []
    earlier: set[Variable] = set()
    bound: set[Variable] = set()
    # Also those that the sequence has dropped, so that the choices behind the others stay put.
    for position, gpm in enumerate(GPM_NAMES[: 1 + max(map(GPM_NAMES.index, names))]):
        # One stream after the other: GPMs on different streams can match at one time.
        preferred = streams[position % len(streams)]
        stream = draw(among([preferred, preferred, preferred, *streams]))
        body = draw(graph_patterns(earlier=sorted(earlier), blank=BNode(f"e{gpm}")))
        earlier |= possible_variables(body)
        if gpm in names:
            definitions.append(Definition(gpm, stream.name, body))
            bound |= possible_variables(body)
    select: tuple[Variable, ...] | None = None
    if draw(_RARELY):
        chosen = [v for v in draw(_SELECTED) if v in bound]
        if chosen and not dropped(draw):
            select = tuple(chosen)
    drawn_unit = draw(_UNITS)
    within, slide = draw(_windows(drawn_unit if unit is None else unit))
    return SpaseqQuery(
        select=select,
        within=within,
        streams=tuple(streams),
        sequence=sequence,
        definitions=tuple(definitions),
        slide=slide,
        prologue=PROLOGUE,
    )


@cache
def _windows(unit: WithinUnit) -> SearchStrategy[tuple[Extent, Extent | None]]:
    """WITHIN and SLIDE in one choice."""
    size = MICROSECONDS_A_SECOND if unit is WithinUnit.MICROSECONDS else 1
    return st.sampled_from(
        [
            (Extent(width * size, unit), None if slide is None else Extent(slide * size, unit))
            for width in _WIDTHS
            for slide in _SLIDES
        ]
    )


# --- readings ------------------------------------------------------------------------------------


@st.composite
def readings_of(draw: DrawFn, query: SpaseqQuery) -> Readings:
    """Readings under which `query` has a meaning; one that cannot matter keeps its default."""
    (ties, kleene, negation), (sliding, window, entailment) = draw(_EVENTS), draw(_SETTINGS)
    chosen: dict[str, object] = {"ties": ties}
    everything = atoms(query.sequence)
    if any(isinstance(atom, KleenePlus) for atom in everything):
        chosen["kleene"] = kleene
    if query.slide is not None:
        chosen["window"] = sliding
    elif query.within.unit is not WithinUnit.EVENTS:
        chosen["window"] = window
    if any(map(negates, everything)) and absence_is_possible(query.sequence):
        chosen["negation"] = negation
    if any(graph_names(definition.pattern) for definition in query.definitions):
        chosen["entailment"] = entailment
    return Readings.of(chosen)


# Several readings are one choice each time, but of no more than 127 values, from where on
# Hypothesis prefers the first ones.
_EVENTS = st.sampled_from(
    list(
        product(
            ("error", "error", "error", "merge", "sequence"),
            ("last", "join", "collect"),
            ("event", "absence", "absence"),
        )
    )
)
_SETTINGS = st.sampled_from(
    list(
        product(
            ("tumbling", "sliding"),
            ("tumbling", "tumbling", "tumbling", "tumbling-half-open", "match"),
            ("none", "none", "rdfs"),
        )
    )
)
