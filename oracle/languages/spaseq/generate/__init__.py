"""SPAseq inputs: sequences, queries, events, whole cases, drawn by choices.

Restrictions are the options of choices that are refused where an engine lacks a capability, which
it says in names (`engines.capabilities`): most of what is generated for it is something that it
takes.
Variables are few, so that GPMs share them and events of streams meet: neither can be left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final, Literal, TypeAlias

from hypothesis.strategies import DrawFn, SearchStrategy, composite
from rdflib.term import BNode, URIRef, Variable

from .....semantics.model.items import TimeKind
from .....semantics.model.terms import EMPTY_GRAPH, Graph, Term
from .....semantics.model.trees import find, triple_key
from .....semantics.rdf.syntax.tree import Filter, GroupGraphPattern
from .....semantics.rdf.syntax.variables import possible_variables
from .....semantics.spaseq.syntax.readings import Readings
from .....semantics.spaseq.syntax.scoping import atoms
from .....semantics.spaseq.syntax.tree import (
    Atom,
    Conjunction,
    Disjunction,
    Extent,
    KleenePlus,
    Negation,
    Operator,
    OptionalEvent,
    Reference,
    SequenceExpression,
    SpaseqQuery,
    WithinUnit,
)
from ....fuzzing.value_tables import graph_value_tables
from ....inputs.choices import (
    Choices,
    HypothesisChoices,
    Options,
    all_of,
    cases_on,
    dropped,
    strategies,
)
from ....inputs.graph_patterns import (
    FILTER_KINDS,
    NO_BODY_OF_ANY_CONSTRUCTS,
    TRIPLE_PATTERNS,
    graph_names,
)
from ....inputs.graphs import (
    AMOUNTS,
    BACKGROUNDS,
    NUMBERS,
    ODD_LITERALS,
    RESOURCES,
    STREAMS,
    THINGS,
    any_graph,
    in_document,
    name,
    schema_graph,
)
from ....inputs.sparql_data import Usual, background_instance, instance
from ....inputs.streams import arranged, instant, streamset_of
from ..case import SpaseqCase
from ..cost_estimate import MOST_GENERATED, work
from .queries import (
    COLUMNAR,
    absence_is_possible,
    names_in,
    query,
    readings,
    sequence_expression,
    ticks,
)
from .queries import query as drawn_query
from .queries import readings as drawn_readings

Event: TypeAlias = tuple[int, URIRef, Graph]
"""(tick, stream, graph)"""

Role: TypeAlias = Literal["positive", "negated", "optional"]

UNNAMED = name("s9")
"""A stream that no query names."""

_GAPS = ("spaseq/gap", (1, 2, 1, 0, 2, 3, None))
_ROUNDS = ("spaseq/rounds", (1, 1, 1, 2, 2, 3))
_NEXT_ROUND = ("spaseq/next round", ("after", "after", "at once", "in between"))
_ROUND_KEYS = ("spaseq/keys of a round", ("the same", "others", "some", "others", "some"))
_OTHER_TERMS = ("spaseq/other terms", ("plain", "plain", "plain", "odd"))
_REPETITIONS = ("spaseq/iterations", (0, 1, 1, 2, 3))
_ITERATED = ("spaseq/keys of an iteration", ("the same", "others", "some"))
# Another event for the same atom, before it or after it, that differs in some terms.
_RIVALS = ("spaseq/rival", (None,) * 5 + ("after", "before", "at once"))
# "double" matches in two ways.
_LOOKS = ("spaseq/event", (*("single",) * 9, "double"))
# Whether the event of a negation or option occurs, and if so with the usual keys or with others.
_NEGATED = ("spaseq/negated event", ("no", "yes", "yes", "some", "others"))
_TURNED = {"no": "yes", "yes": "no"}
_EXTRA_KINDS = ("spaseq/extra event", ("noise", "noise", "usual", "fresh"))
_EXTRA_COUNTS = ("spaseq/extra events", (0, 1, 0, 2, 0, 3))


def scripted_events(
    choices: Choices, query: SpaseqQuery, readings: Readings, usual: Usual
) -> list[Event]:
    """Return events in the order in which the query's sequence asks for them."""
    return _Script(choices, query, readings, usual).events()


def extra_events(choices: Choices, query: SpaseqQuery, usual: Usual) -> list[Event]:
    """Return a few events at any time, in any stream."""
    return [_extra_event(choices, query, usual) for _ in range(choices.among(*_EXTRA_COUNTS))]


def event_like(choices: Choices, query: SpaseqQuery, event: Event, usual: Usual) -> Graph:
    """Return a graph for another event of the same stream, which matches some GPM there."""
    _, stream, _ = event
    here = [each.name for each in query.definitions if query.stream_iri(each.stream) == stream]
    if not here:
        return any_graph(choices, stream, max_size=1)
    keys = _keys(choices, query, here, usual, choices.among(*_ROUND_KEYS))
    return _instance(choices, query, choices.among("", here), keys)[1]


def _keys(
    choices: Choices, query: SpaseqQuery, gpms: Sequence[str], usual: Usual, how: str
) -> Usual:
    """Return the values of some GPMs' variables: the usual terms, other ones, or some others."""
    if how == "the same":
        return usual
    others = _others(choices, query, gpms)
    if how == "some" and others:
        kept = choices.among("", range(2 ** len(others)))
        names = [name for k, name in enumerate(others) if kept >> k & 1]
        others.update({name: usual[name] for name in names if name in usual})
    return {**usual, **others}


def _others(choices: Choices, query: SpaseqQuery, gpms: Sequence[str]) -> Usual:
    """Return terms for the variables of some GPMs, drawn anew."""
    amounts: Sequence[Term] = NUMBERS if choices.among(*_OTHER_TERMS) == "plain" else ODD_LITERALS
    patterns = [query.definition(gpm).pattern for gpm in gpms]
    variables = sorted(set().union(*map(possible_variables, patterns)))
    return {
        variable: choices.among("", amounts if variable in AMOUNTS else RESOURCES[::-1])
        for variable in variables
    }


class _Script:
    def __init__(
        self, choices: Choices, query: SpaseqQuery, readings: Readings, usual: Usual
    ) -> None:
        self.choices = choices
        self.query = query
        self.absence = readings.negation == "absence"
        self.usual = usual
        self.tick = 0
        self.script: list[Event] = []
        self.repetitions = 0
        self.there = "no"

    def events(self) -> list[Event]:
        """Return the sequence once or several times, one after the other or one into the other."""
        everything = atoms(self.query.sequence)
        names = [gpm.name for gpm in find(everything, Reference)]
        rounds = self.choices.among(*_ROUNDS)
        if self.absence:  # often something is forbidden in one round and not in the next
            rounds = max(rounds, 2)
        forbidden = dict.fromkeys(everything, "")
        for number in range(rounds):
            began = self.tick
            if number:
                how = self.choices.among(*_NEXT_ROUND)
                began = {"after": self.tick, "at once": 0, "in between": 1}[how]
                self.usual = _keys(
                    self.choices, self.query, names, self.usual, self.choices.among(*_ROUND_KEYS)
                )
            self.tick, ended = began, self.tick
            for atom in everything:
                # For any atom, so that a simpler one takes the same choices.
                self.repetitions = self.choices.among(*_REPETITIONS)
                self.there = self.choices.among(*_NEGATED)
                if self.absence:
                    self.there = _TURNED.get(forbidden[atom], self.there)
                    forbidden[atom] = self.there
                rival = self.choices.among(*_RIVALS)
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
        """Script one event of the atom with other terms; later events have the usual ones."""
        usual = self.usual
        names = [gpm.name for gpm in find(atom, Reference)]
        self.usual = _keys(self.choices, self.query, names, usual, "some")
        self.act(atom.operand if isinstance(atom, KleenePlus) else atom)
        self.usual = usual

    def act(self, atom: Atom) -> None:
        """Script events that make the atom match, at the present tick or from it on."""
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
                self.act(self.choices.among("", operands))
            case Negation(Reference(gpm)):
                self.event(gpm, "negated")
            case OptionalEvent(Reference(gpm)):
                self.event(gpm, "optional")

    def event(self, gpm: str, role: Role = "positive") -> None:
        """Script an event that the GPM matches, or one that it does not, with one triple missing.

        Under `negation=absence`, now and then the event that should not be there.
        """
        looks, there = self.choices.among(*_LOOKS), self.there
        how = there if role != "positive" and there in ("some", "others") else "the same"
        keys = _keys(self.choices, self.query, [gpm], self.usual, how)
        stream, graph = _instance(self.choices, self.query, gpm, keys)
        if looks == "double":
            others = _others(self.choices, self.query, [gpm])
            graph |= _instance(self.choices, self.query, gpm, others)[1]
        negated = role == "negated" or (role == "optional" and there != "no")
        if negated and not self.absence:
            graph = frozenset(sorted(graph, key=triple_key)[1:])
        expected = role == "positive" or not self.absence or there != "no"
        if not dropped(self.choices) and expected:
            self.script.append((self.tick, stream, graph))

    def forget(self, operand: Atom) -> None:
        """Replace usual terms: iterations of a Kleene plus often bind different ones."""
        iterated = [gpm.name for gpm in find(operand, Reference)]
        how = self.choices.among(*_ITERATED)
        self.usual.update(_keys(self.choices, self.query, iterated, self.usual, how))

    def pause(self) -> None:
        """Advance the time, or not; sometimes insert another event."""
        gap = self.choices.among(*_GAPS)
        if gap is None:
            gap = 2
            stream = _stream(self.choices, self.query)
            self.script.append((self.tick + 1, stream, any_graph(self.choices, stream, max_size=1)))
        self.tick += gap


def _simultaneous(events: list[Event]) -> list[Event]:
    """Return one event of each stream, with all that the conjunction asks of it."""
    graphs_of: dict[tuple[int, URIRef], Graph] = {}
    for tick, stream, graph in events:
        graphs_of[tick, stream] = graphs_of.get((tick, stream), EMPTY_GRAPH) | graph
    return [(tick, stream, graph) for (tick, stream), graph in graphs_of.items()]


def _extra_event(choices: Choices, query: SpaseqQuery, usual: Usual) -> Event:
    kind, tick = choices.among(*_EXTRA_KINDS), choices.among("", range(10))
    if kind == "noise":
        stream = _stream(choices, query)
        return tick, stream, any_graph(choices, stream, max_size=2)
    gpm = choices.among("", [definition.name for definition in query.definitions])
    return tick, *_instance(choices, query, gpm, usual if kind == "usual" else {})


def _stream(choices: Choices, query: SpaseqQuery) -> URIRef:
    named = [clause.iri for clause in query.streams]
    return choices.among("spaseq/stream of noise", (*named, UNNAMED, UNNAMED))


def _instance(
    choices: Choices, query: SpaseqQuery, gpm: str, usual: Usual
) -> tuple[URIRef, Graph]:
    definition = query.definition(gpm)
    stream = query.stream_iri(definition.stream)
    return stream, instance(choices, definition.pattern, stream, usual)


_ABSENT = ("spaseq/absent stream", (None,) * 9 + STREAMS)
_UNASKED = ("spaseq/unasked background", (None,) * 14 + BACKGROUNDS)
_ORIGINS = ("spaseq/origin", (0,) * 7 + (-2,))
_STARTS = ("spaseq/start", (None,) * 12 + (0, -1, 1, 2))
_FITS = (
    "spaseq/window fits", ("as drawn",) * 5 + ("tight", "tight", "one less", "one more", "wide")
)
_LIKELIER = (
    "spaseq/made likelier", ("as drawn", *("fewer filters",) * 4, "wider", "wider")
)
_WIDE = 15
_FEWER = (16, 12, 9, 7, 5, 4, 3, 2, 1)
"""The numbers of events a window, tried in turn, that a case that is too much work keeps."""


def case(choices: Choices, asked: SpaseqQuery | None = None) -> SpaseqCase:
    """Draw a query, unless one is given, with streams that it often matches, and readings."""
    query = drawn_query(choices) if asked is None else asked
    readings = drawn_readings(choices, query)
    usual: Usual = {}
    events = scripted_events(choices, query, readings, usual)
    if asked is None:
        query = _fitting(query, events, choices.among(*_FITS))
    scripted = events = events + extra_events(choices, query, usual)
    size, unit = ticks(query.within.unit), query.within.unit
    start = choices.among(*_STARTS)
    events = arranged(
        choices,
        "spaseq/streams",
        events,
        widths=[query.within.value // size],
        slides=[] if query.slide is None else [query.slide.value // size],
        bounds=[start or 0],
        fresh=lambda event: event_like(choices, query, event, usual),
    )
    kind = TimeKind.DATETIME if unit is WithinUnit.MICROSECONDS else TimeKind.INTEGER
    origin = choices.among(*_ORIGINS)
    # Σ(u) = ∅ for a stream that the query names and that is not there (SPAseq, before Def. 7).
    absent = choices.among(*_ABSENT)
    kb = _background(choices, query, readings, usual)
    how = choices.among(*_LIKELIER)

    def on(events: Sequence[Event]) -> SpaseqCase:
        streams = streamset_of(
            [(tick + origin, stream, graph) for tick, stream, graph in events],
            [clause.iri for clause in query.streams if clause.iri != absent],
            kind=kind,
            ties=readings.ties,
        )
        began = None if start is None else instant(start + origin, kind)
        return SpaseqCase(query, streams, kb, readings, began)

    def affordable(events: Sequence[Event]) -> SpaseqCase:
        case = on(events)
        for most in _FEWER:
            if _is_affordable(case):
                break
            events = _thinned(events, query.within, most)
            case = on(events)
        return case

    case = affordable(events)
    if asked is not None or how == "as drawn":
        return case
    likely = _likelier(case, how)
    if not events or events == scripted or likely.denotation():
        return likely
    return _likelier(affordable(scripted), how)


def _is_affordable(case: SpaseqCase) -> bool:
    return work(case, MOST_GENERATED) <= MOST_GENERATED


def _thinned(events: Sequence[Event], within: Extent, most: int) -> list[Event]:
    """Return the events, in time order, but for those that are one too many in a window."""
    ordered = sorted(events, key=lambda event: event[0])
    if within.unit is WithinUnit.EVENTS:
        return ordered[:most]
    kept: list[Event] = []
    for event in ordered:
        if len(kept) < most or event[0] - kept[-most][0] > within.value // ticks(within.unit):
            kept.append(event)
    return kept


def _fitting(query: SpaseqQuery, events: Sequence[Event], how: str) -> SpaseqQuery:
    """Return the query with a window that holds its script just, just not, or easily."""
    span = max((tick for tick, _, _ in events), default=0)
    widths = {"tight": span, "one less": span - 1, "one more": span + 1, "wide": _WIDE}
    return query if how == "as drawn" else _with_width(query, max(widths[how], 1))


def _with_width(query: SpaseqQuery, width: int) -> SpaseqQuery:
    return replace(
        query, within=replace(query.within, value=width * ticks(query.within.unit))
    )


def _likelier(case: SpaseqCase, how: str) -> SpaseqCase:
    """Return the case, or, without matches, one that has some: with fewer filters or steps."""
    if case.denotation():
        return case
    likelier = chain(
        (case.but(query=_with_width(case.query, _WIDE), evaluation={}),) if how == "wider"
        else _fewer_filters(case),
        _fewer_steps(case),
    )
    return next(
        (likely for likely in likelier if _is_affordable(likely) and likely.denotation()), case
    )


def _fewer_filters(case: SpaseqCase) -> Iterator[SpaseqCase]:
    definitions = case.query.definitions
    for k, definition in enumerate(definitions):
        elements = definition.pattern.elements
        kept = tuple(element for element in elements if not isinstance(element, Filter))
        if len(kept) < len(elements):
            bare = replace(definition, pattern=GroupGraphPattern(kept))
            some = (*definitions[:k], bare, *definitions[k + 1 :])
            yield case.but(query=replace(case.query, definitions=some))


def _fewer_steps(case: SpaseqCase) -> Iterator[SpaseqCase]:
    query = case.query
    for count in range(len(query.sequence.steps) - 1, 0, -1):
        sequence = replace(query.sequence, steps=query.sequence.steps[:count])
        if case.readings.negation == "event" or absence_is_possible(sequence):
            names = names_in(sequence)
            definitions = tuple(each for each in query.definitions if each.name in names)
            bound = set().union(*(possible_variables(each.pattern) for each in definitions))
            select = tuple(each for each in query.select or () if each in bound) or None
            shorter = replace(query, sequence=sequence, definitions=definitions, select=select)
            yield case.but(query=shorter)


# --- background ----------------------------------------------------------------------------------


def _background(
    choices: Choices, query: SpaseqQuery, readings: Readings, usual: Usual
) -> dict[URIRef, Graph]:
    named = [(each.pattern, graph_names(each.pattern)) for each in query.definitions]
    asked = {name for _, names in named for name in names}
    kb: dict[URIRef, Graph] = {}
    unasked = choices.among(*_UNASKED)
    for graph_name in BACKGROUNDS:
        wanted = graph_name in asked or (graph_name == BACKGROUNDS[0] and Variable("g") in asked)
        if not wanted and graph_name != unasked:
            continue
        made = [
            background_instance(choices, pattern, graph_name, usual)
            for pattern, names in named if names
        ]
        if readings.entailment == "rdfs":
            made.append(in_document(schema_graph(choices, max_size=3), graph_name))
        kb[graph_name] = frozenset().union(*made, any_graph(choices, graph_name, max_size=2))
    return kb


def _atoms(*kinds: str) -> Options:
    """Return these kinds, wherever an atom of a sequence or an operand may be one."""
    inner = tuple(kind for kind in kinds if "plus" not in kind)
    return {
        "spaseq/first atom": kinds, "spaseq/atom": kinds,
        **({"spaseq/operand of and": inner, "spaseq/operand of or": inner} if inner else {}),
    }


_PLUS: Final = ("plus", "plus or", "plus and")
_DEFERRED = tuple(kinds for kinds in FILTER_KINDS if "deferred" in kinds)
_LOCAL = tuple(kinds for kinds in FILTER_KINDS if "local" in kinds)

_BY_GROUP: Final[Mapping[str, Mapping[str, Options]]] = {
    "operators": {
        **{each: {"spaseq/operator": (each,)} for each in Operator},
        "+": _atoms(*_PLUS),
        "+ first": {"spaseq/first atom": _PLUS},
        "+ after an operand": {"spaseq/atom": _PLUS},
        "+ on a BOp": _atoms("plus or", "plus and"),
        "&": _atoms("and", "plus and"),
        "|": _atoms("or", "plus or"),
        "!": {**_atoms("not"), "spaseq/inside": ("negated",)},
        "?": _atoms("optional"),
        "nested BOp": {f"spaseq/operand of {kind}": ("and", "or") for kind in ("and", "or")},
    },
    "patterns": {
        "OPTIONAL": {"graphs/body construct": ("OPTIONAL",)},
        "UNION": {"graphs/body construct": ("UNION",)},
        "nested group": {"graphs/body construct": ("nested group",)},
        "MINUS": {"graphs/body construct": ("MINUS",)},
        "GRAPH": {"graphs/body construct": ("GRAPH",)},
        "GRAPH ?g": {"graphs/body graph": (Variable("g"), THINGS[1])},
        "BIND": {"graphs/body construct": ("BIND",)},
        "VALUES": {"graphs/body construct": ("VALUES",)},
        "property path": {"graphs/body construct": ("property path",)},
        "sub-select": {"graphs/body construct": ("sub-select",)},
        "EXISTS": {"graphs/body construct": ("EXISTS",)},
        "FILTER": {
            "graphs/body construct": ("EXISTS",), "graphs/body optional": ("filtered",),
            "graphs/body filters": {*_LOCAL, *_DEFERRED},
        },
        "blank node in a pattern": {
            "graphs/body triple": [
                each for each in TRIPLE_PATTERNS
                if isinstance(each.subject, BNode) or isinstance(each.object, BNode)
            ],
        },
    },
    "filters": {
        "local filter": {
            "graphs/body construct": ("EXISTS",), "graphs/body filters": _LOCAL,
        },
        "deferred filter": {"graphs/body filters": _DEFERRED},
    },
    "windows": {
        "WITHIN EVENTS": {"spaseq/unit": (WithinUnit.EVENTS,)},
        "dateTime": {"spaseq/unit": (WithinUnit.MICROSECONDS,)},
        "SLIDE": {"spaseq/slide": (1, 2, 3, 4)},
    },
    "clauses": {"SELECT list": {"spaseq/select": (True,)}},
    "readings": {
        "ties=merge": {"spaseq/ties": ("merge",)},
        "ties=sequence": {"spaseq/ties": ("sequence",)},
        "kleene=join": {"spaseq/kleene": ("join",)},
        "kleene=collect": {"spaseq/kleene": ("collect",)},
        "window=match": {"spaseq/window": ("match",)},
        "window=tumbling-half-open": {"spaseq/window": ("tumbling-half-open",)},
        "window=sliding": {"spaseq/windows that slide": ("sliding",)},
        "negation=absence": {"spaseq/negation": ("absence",)},
        "entailment=rdfs": {"spaseq/entailment": ("rdfs",)},
        "body=paper": {"spaseq/body": ("paper",)},
        "answers=union": {"spaseq/answers": ("union",)},
    },
    "streams": {
        "2": {"spaseq/streams": (2, 3), "spaseq/stream of noise": (UNNAMED,)},
        "3": {"spaseq/streams": (3,), "spaseq/stream of noise": (UNNAMED,)},
    },
    "data": {
        "unnamed stream": {"spaseq/stream of noise": (UNNAMED,)},
        "absent stream": {"spaseq/absent stream": STREAMS},
        "background graph": {
            "spaseq/unasked background": BACKGROUNDS, "graphs/body construct": ("GRAPH",),
            **NO_BODY_OF_ANY_CONSTRUCTS,
        },
        "start": {"spaseq/start": (0, -1, 1, 2)},
    },
}

RESTRICTIONS: Final = {
    (group, name): (
        all_of((refused, NO_BODY_OF_ANY_CONSTRUCTS)) if group in ("patterns", "filters")
        else refused
    )
    for group, by_name in _BY_GROUP.items() for name, refused in by_name.items()
}
"""By a group of capabilities and a name in it: the options that are refused to do without it."""


VALUE_TABLES = graph_value_tables(
    "spaseq", "SELECT * WITHIN 1 FROM STREAM S :s WHERE {{ SEQ(A) DEFINE GPM A ON S {{ {} }} }}",
    apart=True,
)

spaseq_queries = strategies(query)
readings_of = strategies(readings)


@composite
def sequence_expressions(draw: DrawFn) -> SequenceExpression:
    """Return a strategy of sequence expressions with at most nine operators."""
    choices = HypothesisChoices(draw)
    return sequence_expression(choices, choices.among("", range(10)))


def spaseq_cases(
    queries: SearchStrategy[SpaseqQuery] | None = None
) -> SearchStrategy[SpaseqCase]:
    """Return a strategy of cases: queries (or those of `queries`) on streams they often match."""
    return cases_on(case, queries)


__all__ = [
    "COLUMNAR", "RESTRICTIONS", "VALUE_TABLES", "case", "readings_of", "sequence_expressions",
    "spaseq_cases", "spaseq_queries",
]
