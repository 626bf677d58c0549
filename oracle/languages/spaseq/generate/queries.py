"""SPAseq queries: sequences (Def. 4, Appendix B) of a given size, and readings that suit them.

Operators are , ; : + & | ! ?; a conjunction or disjunction of n operands counts n − 1. The number
is split among the parts by choices, so that every expression has exactly so many.

Only combinations that have a meaning are made, so that every generated case is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final, TypeAlias

from rdflib.term import BNode, Variable

from .....semantics.model.errors import Impossible
from .....semantics.model.trees import changed, find, has
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
from .....semantics.spaseq.syntax.scoping import atoms, needed_variables
from .....semantics.spaseq.syntax.tree import (
    Atom,
    Conjunction,
    Definition,
    Disjunction,
    Extent,
    KleenePlus,
    Negation,
    Operand,
    Operator,
    OptionalEvent,
    Reference,
    SequenceExpression,
    SpaseqQuery,
    Step,
    StreamClause,
    WithinUnit,
)
from ....inputs.choices import Choices, Decided, Options, several
from ....inputs.graph_patterns import ONE_BLOCK, graph_names, graph_pattern
from ....inputs.graphs import PROLOGUE, STREAMS

GPM_NAMES = ("A", "B", "C", "D", "E")

_SEQUENCE_OPERATORS = ("spaseq/operator", (Operator.ANY, Operator.NEXT, Operator.STRICT))
_INSIDE = ("spaseq/inside", ("anything", "negated"))
# A negation says most between two other elements; as an absence it must stand there.
_NEXT_IS_NEGATED = ("", (True, True, True, False))
_END = ("plus", "plus", "plus", "not", "optional", "optional", "and", "or")
_INNER = (*("not",) * 6, *("optional",) * 5, *("plus",) * 4, "and", "or")
_POSITIVE = ("plus", "plus", "and", "or")
_LARGER = ("and", "or", "plus and", "plus or")
_OPERANDS = ("not", "not", "optional", "optional", "optional", "and", "or")
_JOINED = ("and", "or")
_REUSE = ("spaseq/mentions", (False,) * 7 + (True,))


def sequence_expression(choices: Choices, operators: int) -> SequenceExpression:
    """Draw a sequence expression over the GPM names A, B, … with exactly so many operators."""
    return _Drawing(choices).sequence(operators)


@cache
def _shares(operators: int) -> Decided[int]:
    """Return the choice of the number of operators in an atom, out of those that are left."""
    several = (0,) * 16 + (1,) * 24 if operators else (0,)
    return "spaseq/operators of an atom", (*several, *range(2, operators + 1))


@cache
def _widths(operators: int) -> Decided[int]:
    return "spaseq/operands", (2,) * 4 + tuple(range(3, operators + 2))


class _Drawing:
    """Draws one sequence expression, naming GPMs A, B, … as they are first met."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.names: list[str] = []
        self.negated = choices.among(*_INSIDE) == "negated"

    def sequence(self, left: int) -> SequenceExpression:
        found: list[Atom] = []
        operators: list[Operator] = []
        while len(found) == len(operators):
            if self.negated and found and left > 1 and self.choices.among(*_NEXT_IS_NEGATED):
                left -= 1
                found.append(Negation(self.reference()))
            else:
                # A negation and the operators around it are left.
                kept = 3 if self.negated and not found and left > 2 else 0
                own = self.choices.among(*_shares(left - kept))
                left -= own
                kinds = _POSITIVE if self.negated else _INNER if found and left else _END
                name = "spaseq/atom" if found else "spaseq/first atom"
                found.append(self.atom(own, (name, kinds if own < 2 else _LARGER)))
            if left:
                operators.append(self.choices.among(*_SEQUENCE_OPERATORS))
                left -= 1
        return SequenceExpression(found[0], tuple(map(Step, operators, found[1:])))

    def atom(self, operators: int, kinds: Decided[str]) -> Atom:
        if not operators:
            return self.reference()
        match self.choices.among(*kinds).split():
            case ["plus"]:
                return KleenePlus(self.reference())
            case ["plus", kind]:
                return KleenePlus(self.joined(kind, operators - 1))
            case [kind]:
                return self.operand(kind, operators)
        raise Impossible("a kind of atom has one word or two")

    def operand(self, kind: str, operators: int) -> Operand:
        match kind:
            case "not":
                return Negation(self.reference())
            case "optional":
                return OptionalEvent(self.reference())
        return self.joined(kind, operators)

    def joined(self, kind: str, left: int) -> Conjunction | Disjunction:
        width = self.choices.among(*_widths(left))
        left -= width - 1
        operands: list[Operand] = []
        for more in reversed(range(width)):
            own = self.choices.among("operators of an operand", range(left + 1)) if more else left
            left -= own
            operands.append(self.inside(kind, own))
        return Conjunction(tuple(operands)) if kind == "and" else Disjunction(tuple(operands))

    def inside(self, kind: str, operators: int) -> Operand:
        if not operators:
            return self.reference()
        kinds = _JOINED if self.negated or operators > 1 else _OPERANDS
        return self.operand(self.choices.among(f"spaseq/operand of {kind}", kinds), operators)

    def reference(self) -> Reference:
        full = len(self.names) == len(GPM_NAMES)
        if self.names and (full or self.choices.among(*_REUSE)):
            return Reference(self.choices.among("", self.names))
        self.names.append(GPM_NAMES[len(self.names)])
        return Reference(self.names[-1])


def absence_is_possible(sequence: SequenceExpression) -> bool:
    """Return True if every negation is between positive elements, and none inside `&` or `|`."""
    everything = atoms(sequence)
    alone = (Negation, OptionalEvent)
    if isinstance(everything[0], alone) or isinstance(everything[-1], alone):
        return False
    return not any(has(atom, *alone) for atom in everything if not isinstance(atom, alone))


def names_in(sequence: SequenceExpression) -> list[str]:
    """Return the names of the sequence's GPMs, each once, in the order of the text."""
    return list(dict.fromkeys(gpm.name for gpm in find(sequence, Reference)))


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
    """Return the extent of one tick in this unit."""
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

COLUMNAR: Final[Options] = {
    **ONE_BLOCK,
    "spaseq/first atom": ("plus", "not", "optional", "or", "plus or"),
    "spaseq/atom": ("plus", "not", "optional", "or", "plus or"),
    "spaseq/operand of or": ("not", "optional", "or"),
    "spaseq/unit": (WithinUnit.INTEGER, WithinUnit.MICROSECONDS), "spaseq/event": ("single",),
    "spaseq/kleene": ("last", "join"), "spaseq/negation": ("event",),
}
"""The options of queries whose partial matches an engine can hold in columns."""


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
