"""Strategies for the events of a case: those that its query's sequence asks for, and others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from rdflib.term import URIRef

from .....semantics.model.terms import EMPTY_GRAPH, Graph, Term
from .....semantics.model.trees import find, triple_key
from .....semantics.rdf.syntax.variables import possible_variables
from .....semantics.spaseq.syntax.readings import Readings
from .....semantics.spaseq.syntax.scope import atoms
from .....semantics.spaseq.syntax.tree import (
    Atom,
    Conjunction,
    Disjunction,
    KleenePlus,
    Negation,
    OptionalEvent,
    Reference,
    SpaseqQuery,
)
from ....fuzzing.strategies.choices import among, choice, dropped
from ....fuzzing.strategies.instances import Usual, instance
from ....fuzzing.strategies.terms import graphs
from ....fuzzing.strategies.vocabulary import AMOUNTS, NUMBERS, ODD_LITERALS, RESOURCES, name

Event: TypeAlias = tuple[int, URIRef, Graph]
"""(tick, stream, graph)"""

Role: TypeAlias = Literal["positive", "negated", "optional"]

UNNAMED = name("s9")
"""A stream that no query names."""

_GAPS = choice("spaseq/gap", (1, 2, 1, 0, 2, 3, None))
_ROUNDS = choice("spaseq/rounds", (1, 1, 1, 2, 2, 3))
_NEXT_ROUND = choice("spaseq/next round", ("after", "after", "at once", "in between"))
_ROUND_KEYS = choice("spaseq/keys of a round", ("the same", "others", "some", "others", "some"))
_OTHER_TERMS = choice("spaseq/other terms", ("plain", "plain", "plain", "odd"))
_REPETITIONS = choice("spaseq/iterations", (0, 1, 1, 2, 3))
_ITERATED = choice("spaseq/keys of an iteration", ("the same", "others", "some"))
# Another event for the same atom, before it or after it, that differs in some terms.
_RIVALS = choice("spaseq/rival", (None,) * 5 + ("after", "before", "at once"))
_TICKS = st.integers(0, 9)
# "double" matches in two ways.
_LOOKS = choice("spaseq/event", (*("single",) * 9, "double"))
# What a negation or an option looks at: it is there, or it is there with other keys.
_NEGATED = choice("spaseq/negated event", ("no", "yes", "yes", "some", "others"))
_TURNED = {"no": "yes", "yes": "no"}
_EXTRA_KINDS = choice("spaseq/extra event", ("noise", "noise", "usual", "fresh"))
_EXTRA_COUNTS = choice("spaseq/extra events", (0, 1, 0, 2, 0, 3))


def scripted_events(
    draw: DrawFn, query: SpaseqQuery, readings: Readings, usual: Usual
) -> list[Event]:
    """Events in the order in which the query's sequence asks for them."""
    return _Script(draw, query, readings, usual).events()


def extra_events(draw: DrawFn, query: SpaseqQuery, usual: Usual) -> list[Event]:
    """A few events at any time, in any stream."""
    return [draw(_extra_event(query, usual)) for _ in range(draw(_EXTRA_COUNTS))]


def event_like(draw: DrawFn, query: SpaseqQuery, event: Event, usual: Usual) -> Graph:
    """What another event of the same stream may hold: what some GPM there asks for."""
    _, stream, _ = event
    here = [each.name for each in query.definitions if query.stream_iri(each.stream) == stream]
    if not here:
        return draw(graphs(stream, max_size=1))
    keys = _keys(draw, query, here, usual, draw(_ROUND_KEYS))
    return _instance(draw, query, draw(among(here)), keys)[1]


def _keys(
    draw: DrawFn, query: SpaseqQuery, gpms: Sequence[str], usual: Usual, how: str
) -> Usual:
    """What the variables of some GPMs stand for: the usual terms, other ones, or some others."""
    if how == "the same":
        return usual
    others = _others(draw, query, gpms)
    if how == "some" and others:
        kept = draw(st.integers(0, 2 ** len(others) - 1))
        names = [name for k, name in enumerate(others) if kept >> k & 1]
        others.update({name: usual[name] for name in names if name in usual})
    return {**usual, **others}


def _others(draw: DrawFn, query: SpaseqQuery, gpms: Sequence[str]) -> Usual:
    """Terms for the variables of some GPMs, drawn anew."""
    amounts: Sequence[Term] = NUMBERS if draw(_OTHER_TERMS) == "plain" else ODD_LITERALS
    patterns = [query.definition(gpm).pattern for gpm in gpms]
    variables = sorted(set().union(*map(possible_variables, patterns)))
    return {
        variable: draw(among(amounts if variable in AMOUNTS else RESOURCES[::-1]))
        for variable in variables
    }


class _Script:
    def __init__(
        self, draw: DrawFn, query: SpaseqQuery, readings: Readings, usual: Usual
    ) -> None:
        self.draw = draw
        self.query = query
        self.absence = readings.negation == "absence"
        self.usual = usual
        self.tick = 0
        self.script: list[Event] = []
        self.repetitions = 0
        self.there = "no"

    def events(self) -> list[Event]:
        """The sequence once or several times, one after the other or one into the other."""
        everything = atoms(self.query.sequence)
        names = [gpm.name for gpm in find(everything, Reference)]
        rounds = self.draw(_ROUNDS)
        if self.absence:  # often something is forbidden in one round and not in the next
            rounds = max(rounds, 2)
        forbidden = dict.fromkeys(everything, "")
        for number in range(rounds):
            began = self.tick
            if number:
                how = self.draw(_NEXT_ROUND)
                began = {"after": self.tick, "at once": 0, "in between": 1}[how]
                self.usual = _keys(
                    self.draw, self.query, names, self.usual, self.draw(_ROUND_KEYS)
                )
            self.tick, ended = began, self.tick
            for atom in everything:
                # For any atom, so that a simpler one takes the same choices.
                self.repetitions, self.there = self.draw(_REPETITIONS), self.draw(_NEGATED)
                if self.absence:
                    self.there = _TURNED.get(forbidden[atom], self.there)
                    forbidden[atom] = self.there
                rival = self.draw(_RIVALS)
                if rival == "before":
                    self.rival(atom)
                    self.tick += 1
                self.act(atom)
                if rival in ("after", "at once"):
                    self.tick += rival == "after"
                    self.rival(atom)
                self.pause()
            self.tick = max(self.tick, ended)
        return self.script

    def rival(self, atom: Atom) -> None:
        """The atom once, with some other terms; what comes then goes on with the usual ones."""
        usual = self.usual
        names = [gpm.name for gpm in find(atom, Reference)]
        self.usual = _keys(self.draw, self.query, names, usual, "some")
        self.act(atom.operand if isinstance(atom, KleenePlus) else atom)
        self.usual = usual

    def act(self, atom: Atom) -> None:
        """Events that make the atom match, at the present tick or from it on."""
        match atom:
            case Reference(gpm):
                self.event(gpm)
            case KleenePlus(operand):
                self.act(operand)
                for _ in range(self.repetitions):
                    self.tick += 1
                    self.forget(operand)
                    self.act(operand)
            case Conjunction(operands):
                earlier, self.script = self.script, []
                for part in operands:
                    self.act(part)
                self.script = earlier + _simultaneous(self.script)
            case Disjunction(operands):
                self.act(self.draw(among(operands)))
            case Negation(Reference(gpm)):
                self.event(gpm, "negated")
            case OptionalEvent(Reference(gpm)):
                self.event(gpm, "optional")

    def event(self, gpm: str, role: Role = "positive") -> None:
        """An event that the GPM matches; or an event that it does not, one triple short of it.

        Under `negation=absence`, now and then the event that should not be there.
        """
        looks, there = self.draw(_LOOKS), self.there
        how = there if role != "positive" and there in ("some", "others") else "the same"
        keys = _keys(self.draw, self.query, [gpm], self.usual, how)
        stream, graph = _instance(self.draw, self.query, gpm, keys)
        if looks == "double":
            graph |= _instance(self.draw, self.query, gpm, _others(self.draw, self.query, [gpm]))[1]
        negated = role == "negated" or (role == "optional" and there != "no")
        if negated and not self.absence:
            graph = frozenset(sorted(graph, key=triple_key)[1:])
        expected = role == "positive" or not self.absence or there != "no"
        if not dropped(self.draw) and expected:
            self.script.append((self.tick, stream, graph))

    def forget(self, operand: Atom) -> None:
        """Iterations of a Kleene plus often bind a variable to different terms."""
        iterated = [gpm.name for gpm in find(operand, Reference)]
        how = self.draw(_ITERATED)
        self.usual.update(_keys(self.draw, self.query, iterated, self.usual, how))

    def pause(self) -> None:
        """Time goes on, or not; now and then another event comes in between."""
        gap = self.draw(_GAPS)
        if gap is None:
            gap = 2
            stream = self.draw(_streams(self.query))
            self.script.append((self.tick + 1, stream, self.draw(graphs(stream, max_size=1))))
        self.tick += gap


def _simultaneous(events: list[Event]) -> list[Event]:
    """One event of each stream, with all that the conjunction asks of it."""
    graphs_of: dict[tuple[int, URIRef], Graph] = {}
    for tick, stream, graph in events:
        graphs_of[tick, stream] = graphs_of.get((tick, stream), EMPTY_GRAPH) | graph
    return [(tick, stream, graph) for (tick, stream), graph in graphs_of.items()]


@st.composite
def _extra_event(draw: DrawFn, query: SpaseqQuery, usual: Usual) -> Event:
    kind, tick = draw(_EXTRA_KINDS), draw(_TICKS)
    if kind == "noise":
        stream = draw(_streams(query))
        return tick, stream, draw(graphs(stream, max_size=2))
    gpm = draw(among([definition.name for definition in query.definitions]))
    return tick, *_instance(draw, query, gpm, usual if kind == "usual" else {})


def _streams(query: SpaseqQuery) -> st.SearchStrategy[URIRef]:
    named = (clause.iri for clause in query.streams)
    return choice("spaseq/stream of noise", (*named, UNNAMED, UNNAMED))


def _instance(
    draw: DrawFn, query: SpaseqQuery, gpm: str, usual: Usual
) -> tuple[URIRef, Graph]:
    definition = query.definition(gpm)
    stream = query.stream_iri(definition.stream)
    return stream, instance(draw, definition.pattern, stream, usual)
