"""Strategies for SPAseq queries and for the readings that suit them.

Only combinations that have a meaning are made, so that every generated case is judged.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from rdflib.term import BNode, Variable

from .....semantics.model.trees import has
from .....semantics.rdf.syntax.variables import possible_variables
from .....semantics.spaseq.syntax.readings import Readings
from .....semantics.spaseq.syntax.scope import atoms
from .....semantics.spaseq.syntax.tree import (
    Definition,
    Extent,
    KleenePlus,
    Negation,
    OptionalEvent,
    SpaseqQuery,
    StreamClause,
    WithinUnit,
)
from ....fuzzing.strategies.choices import among, choice, dropped
from ....fuzzing.strategies.graph_patterns import graph_names, graph_patterns
from ....fuzzing.strategies.vocabulary import AMOUNTS, PROLOGUE, STREAMS, THINGS
from .sequences import GPM_NAMES, absence_is_possible, names_in, sequence_expressions

MICROSECONDS_A_SECOND = 1_000_000

_STREAM_COUNTS = choice("spaseq/streams", (1, 2, 2, 3))
_CLAUSES = choice("spaseq/clauses", ("in order", "in order", "in order", "turned"))
# Round about: GPMs on different streams can match at one time.
_PLACED = choice("spaseq/stream of a GPM", ("round about", "round about", "any", "first"))
_LISTED = choice("spaseq/select", (False,) * 5 + (True,))
_SELECTED = st.lists(st.sampled_from((*THINGS, *AMOUNTS)), min_size=1, max_size=3, unique=True)
_UNITS = choice(
    "spaseq/unit", (WithinUnit.INTEGER,) * 6 + (WithinUnit.MICROSECONDS, WithinUnit.EVENTS)
)
# Ten is more than most scripts last; the others have bounds inside of them.
_WIDTHS = choice("spaseq/width", (10, 3, 10, 5, 10, 4, 2, 6, 1))
_SLIDES = choice("spaseq/slide", (None,) * 5 + (1, 2, 3, 4))


@st.composite
def spaseq_queries(draw: DrawFn, *, unit: WithinUnit | None = None) -> SpaseqQuery:
    """SPAseq queries (Def. 4): windows in `unit`, or in any unit if it is None."""
    sequence = draw(sequence_expressions())
    streams = [
        StreamClause(f"S{k}", iri)
        for k, iri in enumerate(STREAMS[: draw(_STREAM_COUNTS)], start=1)
    ]
    names = names_in(sequence)
    placed = draw(_PLACED)
    definitions: list[Definition] = []
    earlier: set[Variable] = set()
    bound: set[Variable] = set()
    # Also those that the sequence has dropped, so that the choices behind the others stay put.
    for position, gpm in enumerate(GPM_NAMES[: 1 + max(map(GPM_NAMES.index, names))]):
        preferred = streams[position % len(streams) if placed == "round about" else 0]
        stream = draw(among([preferred, preferred, preferred, *streams]))
        if placed == "any":
            stream = draw(among(streams))
        body = draw(graph_patterns(earlier=sorted(earlier), blank=BNode(f"e{gpm}")))
        earlier |= possible_variables(body)
        if gpm in names:
            definitions.append(Definition(gpm, stream.name, body))
            bound |= possible_variables(body)
    select: tuple[Variable, ...] | None = None
    if draw(_LISTED):
        chosen = [v for v in draw(_SELECTED) if v in bound]
        if chosen and not dropped(draw):
            select = tuple(chosen)
    drawn_unit = draw(_UNITS)
    unit = drawn_unit if unit is None else unit
    width, slide = draw(_WIDTHS), draw(_SLIDES)
    return SpaseqQuery(
        select=select,
        within=Extent(width * ticks(unit), unit),
        streams=tuple(streams if draw(_CLAUSES) == "in order" else streams[::-1]),
        sequence=sequence,
        definitions=tuple(definitions),
        slide=None if slide is None else Extent(slide * ticks(unit), unit),
        prologue=PROLOGUE,
    )


def ticks(unit: WithinUnit) -> int:
    """What an extent of one tick says in this unit."""
    return MICROSECONDS_A_SECOND if unit is WithinUnit.MICROSECONDS else 1


# --- readings ------------------------------------------------------------------------------------

_TIES = choice("spaseq/ties", ("error", "error", "merge", "sequence", "sequence"))
_KLEENE = choice("spaseq/kleene", ("last", "join", "collect"))
_NEGATION = choice("spaseq/negation", ("event", "absence", "absence"))
_SLIDING = choice("spaseq/windows that slide", ("tumbling", "sliding", "sliding"))
_WINDOW = choice("spaseq/window", ("tumbling", "tumbling", "tumbling-half-open", "match"))
_ENTAILMENT = choice("spaseq/entailment", ("none", "none", "rdfs"))


@st.composite
def readings_of(draw: DrawFn, query: SpaseqQuery) -> Readings:
    """Readings under which `query` has a meaning; one that cannot matter keeps its default."""
    chosen: dict[str, object] = {"ties": draw(_TIES)}
    everything = atoms(query.sequence)
    if any(isinstance(atom, KleenePlus) for atom in everything):
        chosen["kleene"] = draw(_KLEENE)
    if query.slide is not None:
        chosen["window"] = draw(_SLIDING)
    elif query.within.unit is not WithinUnit.EVENTS:
        chosen["window"] = draw(_WINDOW)
    if has(everything, Negation, OptionalEvent) and absence_is_possible(query.sequence):
        chosen["negation"] = draw(_NEGATION)
    if any(graph_names(definition.pattern) for definition in query.definitions):
        chosen["entailment"] = draw(_ENTAILMENT)
    return Readings.of(chosen)
