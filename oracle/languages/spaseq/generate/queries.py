"""SPAseq queries and the readings that suit them, drawn by choices.

Only combinations that have a meaning are made, so that every generated case is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

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
from ....inputs.choices import Choices, several
from ....inputs.graph_patterns import graph_names, graph_pattern
from ....inputs.vocabulary import PROLOGUE, STREAMS
from .sequences import absence_is_possible, names_in, sequence_expression

MICROSECONDS_A_SECOND = 1_000_000
GRAMMAR_VERSION: Final = 1
"""Changes whenever the drawing functions draw other queries, as certificates are of all of them."""

_OPERATORS = ("spaseq/operators", (0, 1, 2, 3, 4, 5, 1, 3, 2, 1, 3, 4, 0, 2, 3, 6, 1, 3, 5, 4, 7))
_STREAM_COUNTS = ("spaseq/streams", (1, 2, 2, 3))
_CLAUSES = ("spaseq/clauses", ("in order", "in order", "in order", "turned", "used"))
# Round about: GPMs on different streams can match at one time.
_PLACED = ("spaseq/stream of a GPM", ("round about", "round about", "any", "first unused"))
_LISTED = ("spaseq/select", (False,) * 5 + (True,))
_UNITS = (
    "spaseq/unit", (WithinUnit.INTEGER,) * 6 + (WithinUnit.MICROSECONDS, WithinUnit.EVENTS)
)
# Ten is more than most scripts last; the others have bounds inside of them.
_WIDTHS = ("spaseq/width", (10, 3, 10, 5, 10, 4, 2, 6, 1))
_SLIDES = ("spaseq/slide", (None,) * 5 + (1, 2, 3, 4))

Bodies: TypeAlias = Callable[[Choices, Sequence[str]], Sequence[GroupGraphPattern]]
"""Draws the bodies of GPMs of these names."""


def usual_bodies(choices: Choices, names: Sequence[str]) -> Sequence[GroupGraphPattern]:
    """Draw bodies of any constructs, which share variables."""
    earlier: set[Variable] = set()
    found: list[GroupGraphPattern] = []
    for gpm in names:
        body = graph_pattern(choices, earlier=sorted(earlier), blank=BNode(f"e{gpm}"))
        found.append(_of_own_exists(body))
        earlier |= possible_variables(found[-1])
    return found


def query(
    choices: Choices,
    operators: int | None = None,
    *,
    unit: WithinUnit | None = None,
    bodies: Bodies = usual_bodies,
) -> SpaseqQuery:
    """Draw a query (Def. 4), perhaps with a number of operators.

    Args:
        choices: chooses.
        operators: the number of operators of its sequence; default: any.
        unit: what windows are measured in; default: any unit.
        bodies: draws the bodies of its GPMs.
    """
    if operators is None:
        operators = choices.among(*_OPERATORS)
    sequence = sequence_expression(choices, operators)
    streams = [
        StreamClause(f"S{k}", iri)
        for k, iri in enumerate(STREAMS[: choices.among(*_STREAM_COUNTS)], start=1)
    ]
    names = names_in(sequence)
    placed = choices.among(*_PLACED)
    used: dict[StreamClause, None] = {}
    on: list[str] = []
    for position in range(len(names)):
        some = streams if placed == "any" else streams[: len(used) + 1]
        if placed == "round about":
            some = [streams[position % len(streams)]] * 3 + streams
        stream = choices.among("stream", some)
        used[stream] = None
        on.append(stream.name)
    definitions = tuple(map(Definition, names, on, bodies(choices, names)))
    select: tuple[Variable, ...] | None = None
    if choices.among(*_LISTED):
        bound = set().union(*(possible_variables(each.pattern) for each in definitions))
        most = choices.among("most variables selected", (3, 1))
        select = tuple(several(choices, sorted(bound), most)) or None
    drawn_unit = choices.among(*_UNITS)
    unit = drawn_unit if unit is None else unit
    width, slide = choices.among(*_WIDTHS), choices.among(*_SLIDES)
    clauses = {"in order": streams, "turned": streams[::-1], "used": used}
    return SpaseqQuery(
        select=select,
        within=Extent(width * ticks(unit), unit),
        streams=tuple(clauses[choices.among(*_CLAUSES)]),
        sequence=sequence,
        definitions=definitions,
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
