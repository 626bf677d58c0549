"""SPAseq queries and the readings that suit them, drawn by choices.

Only combinations that have a meaning are made, so that every generated case is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rdflib.term import BNode, Variable

from .....semantics.model.trees import changed, has
from .....semantics.rdf.syntax.tree import (
    Element,
    Exists,
    Filter,
    GroupGraphPattern,
    NamedGraphPattern,
    OptionalPattern,
)
from .....semantics.rdf.syntax.variables import possible_variables
from .....semantics.spaseq.syntax.readings import Readings
from .....semantics.spaseq.syntax.scope import atoms, needed_variables
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
from ....inputs.choices import Choices, dropped, several
from ....inputs.graph_patterns import graph_names, graph_pattern
from ....inputs.vocabulary import AMOUNTS, PROLOGUE, STREAMS, THINGS
from .sequences import GPM_NAMES, absence_is_possible, names_in, sequence_expression

MICROSECONDS_A_SECOND = 1_000_000

_STREAM_COUNTS = ("spaseq/streams", (1, 2, 2, 3))
_CLAUSES = ("spaseq/clauses", ("in order", "in order", "in order", "turned"))
# Round about: GPMs on different streams can match at one time.
_PLACED = ("spaseq/stream of a GPM", ("round about", "round about", "any", "first"))
_LISTED = ("spaseq/select", (False,) * 5 + (True,))
_UNITS = (
    "spaseq/unit", (WithinUnit.INTEGER,) * 6 + (WithinUnit.MICROSECONDS, WithinUnit.EVENTS)
)
# Ten is more than most scripts last; the others have bounds inside of them.
_WIDTHS = ("spaseq/width", (10, 3, 10, 5, 10, 4, 2, 6, 1))
_SLIDES = ("spaseq/slide", (None,) * 5 + (1, 2, 3, 4))


def query(choices: Choices, *, unit: WithinUnit | None = None) -> SpaseqQuery:
    """Draw a query (Def. 4): windows in `unit`, or in any unit if it is None."""
    sequence = sequence_expression(choices)
    streams = [
        StreamClause(f"S{k}", iri)
        for k, iri in enumerate(STREAMS[: choices.among(*_STREAM_COUNTS)], start=1)
    ]
    names = names_in(sequence)
    placed = choices.among(*_PLACED)
    definitions: list[Definition] = []
    earlier: set[Variable] = set()
    bound: set[Variable] = set()
    # Also those that the sequence has dropped, so that the choices behind the others stay put.
    for position, gpm in enumerate(GPM_NAMES[: 1 + max(map(GPM_NAMES.index, names))]):
        preferred = streams[position % len(streams) if placed == "round about" else 0]
        stream = choices.among("", [preferred, preferred, preferred, *streams])
        if placed == "any":
            stream = choices.among("", streams)
        body = _of_own_exists(
            graph_pattern(choices, earlier=sorted(earlier), blank=BNode(f"e{gpm}"))
        )
        earlier |= possible_variables(body)
        if gpm in names:
            definitions.append(Definition(gpm, stream.name, body))
            bound |= possible_variables(body)
    select: tuple[Variable, ...] | None = None
    if choices.among(*_LISTED):
        chosen = [v for v in several(choices, (*THINGS, *AMOUNTS), 3) if v in bound]
        if chosen and not dropped(choices):
            select = tuple(chosen)
    drawn_unit = choices.among(*_UNITS)
    unit = drawn_unit if unit is None else unit
    width, slide = choices.among(*_WIDTHS), choices.among(*_SLIDES)
    return SpaseqQuery(
        select=select,
        within=Extent(width * ticks(unit), unit),
        streams=tuple(streams if choices.among(*_CLAUSES) == "in order" else streams[::-1]),
        sequence=sequence,
        definitions=tuple(definitions),
        slide=None if slide is None else Extent(slide * ticks(unit), unit),
        prologue=PROLOGUE,
    )


def _of_own_exists(body: GroupGraphPattern) -> GroupGraphPattern:
    """Return a body whose conditions with EXISTS speak of no other GPM: they have its graph alone.

    Other variables get names of their own inside EXISTS, and outside become one that is bound.
    """
    bound = sorted(possible_variables(body))
    elements: list[Element] = []
    for element in body.elements:
        if isinstance(element, Filter) and has(element.condition, Exists):
            if not bound and needed_variables(element.condition):
                continue
            element = changed(element, _named_apart(bound))
            element = changed(
                element,
                lambda part: bound[0] if isinstance(part, Variable) and part not in bound else part,
                but=(Exists,),
            )
        elements.append(element)
    return GroupGraphPattern(tuple(elements))


def _named_apart(bound: Sequence[Variable]) -> Callable[[object], object]:
    """Return the renaming of variables inside EXISTS that are none of `bound`."""
    def apart(part: object) -> object:
        own = isinstance(part, Variable) and part not in bound and not part.endswith("_")
        return Variable(f"{part}_") if own else part

    return lambda part: changed(part, apart) if isinstance(part, Exists) else part


def ticks(unit: WithinUnit) -> int:
    """What an extent of one tick says in this unit."""
    return MICROSECONDS_A_SECOND if unit is WithinUnit.MICROSECONDS else 1


# --- readings ------------------------------------------------------------------------------------

_TIES = ("spaseq/ties", ("error", "error", "merge", "sequence", "sequence"))
_KLEENE = ("spaseq/kleene", ("last", "join", "collect"))
_NEGATION = ("spaseq/negation", ("event", "absence", "absence"))
_SLIDING = ("spaseq/windows that slide", ("tumbling", "sliding", "sliding"))
_WINDOW = ("spaseq/window", ("tumbling", "tumbling", "tumbling-half-open", "match"))
_ENTAILMENT = ("spaseq/entailment", ("none", "none", "rdfs"))
_BODY = ("spaseq/body", ("sparql",) * 7 + ("paper",))
_ANSWERS = ("spaseq/answers", ("windows",) * 7 + ("union",))


def readings(choices: Choices, query: SpaseqQuery) -> Readings:
    """Draw readings under which `query` has a meaning; one that cannot matter keeps its default."""
    chosen: dict[str, object] = {"ties": choices.among(*_TIES)}
    everything = atoms(query.sequence)
    if any(isinstance(atom, KleenePlus) for atom in everything):
        chosen["kleene"] = choices.among(*_KLEENE)
    if query.slide is not None:
        chosen["window"] = choices.among(*_SLIDING)
    elif query.within.unit is not WithinUnit.EVENTS:
        chosen["window"] = choices.among(*_WINDOW)
    if has(everything, Negation, OptionalEvent) and absence_is_possible(query.sequence):
        chosen["negation"] = choices.among(*_NEGATION)
    if any(graph_names(definition.pattern) for definition in query.definitions):
        chosen["entailment"] = choices.among(*_ENTAILMENT)
    if chosen.get("window") != "match":
        chosen["answers"] = choices.among(*_ANSWERS)
    if has(query.definitions, Filter, OptionalPattern, NamedGraphPattern):
        chosen["body"] = choices.among(*_BODY)
    return Readings.of(chosen)
