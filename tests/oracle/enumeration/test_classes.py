"""A case of each isomorphism class: counted by listing all orbits of all cases, by brute force.

Nothing here knows how the enumeration works: the listed cases are read back from their texts, and
*all* labelled cases of the same bounds are made by nested loops over labels. Two cases are the same
class iff some renaming of streams, variables and nodes, together with any change of times that
keeps the events' order and what the windows hold, makes one of the other.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import permutations, product
from typing import TypeAlias

import pytest

from denota.oracle.languages.enumeration import Bounds
from denota.oracle.languages.spaseq.enumerate import ALPHABETS
from denota.oracle.ranks.space import Space
from denota.oracle.sweeps.corpus_file import CorpusRow
from denota.semantics.rdf.syntax.tree import Comparison, Filter, TriplesBlock
from denota.semantics.spaseq.syntax.parse import parse
from denota.semantics.spaseq.syntax.tree import (
    Conjunction,
    Disjunction,
    KleenePlus,
    Negation,
    OptionalEvent,
    Reference,
)
from denota.semantics.streams.rdf.reader import parse_stream

# A GPM: (stream, variables of its triple pattern, filter). A filter: (own variable, other one).
Gpm: TypeAlias = tuple[int, tuple[str, ...], tuple[str, str] | None]
# An event: (time, stream, graph); a triple is (subject, object).
Event: TypeAlias = tuple[int, int, frozenset[tuple[str, str]]]
Case: TypeAlias = tuple[str, tuple[Gpm, ...], frozenset[Event]]
Windows: TypeAlias = Callable[[list[int]], Iterable[tuple[int, ...]]]

ONE_OPERATOR = ("_,_", "_;_", "_:_", "_&_", "_|_", "_+", "_!", "_?")
TWO_OPERATORS_OF_TWO_GPMS = (
    *(f"_{u}{o}_" for u in "+!?" for o in ",;:"), *(f"_{o}_{u}" for u in "+!?" for o in ",;:"),
    *(f"_{u}{o}_" for u in "!?" for o in "&|"), *(f"_{o}_{u}" for u in "!?" for o in "&|"),
    "(_&_)+", "(_|_)+",
)
NODES = ("a", "b")
NOTHING: frozenset[tuple[str, str]] = frozenset()


# --- reading the listed cases back from their texts -----------------------------------------------


def shape_of(part: object) -> str:
    match part:
        case Reference():
            return "_"
        case Negation():
            return "_!"
        case OptionalEvent():
            return "_?"
        case KleenePlus(operand):
            inner = shape_of(operand)
            return f"{inner if inner == '_' else f'({inner})'}+"
        case Conjunction(operands) | Disjunction(operands):
            sign = "&" if isinstance(part, Conjunction) else "|"
            return sign.join(
                f"({shape_of(o)})" if isinstance(o, Conjunction | Disjunction) else shape_of(o)
                for o in operands
            )
    raise AssertionError(part)


def names_of(part: object) -> Iterator[str]:
    match part:
        case Reference(name):
            yield name
        case Negation(operand) | OptionalEvent(operand) | KleenePlus(operand):
            yield from names_of(operand)
        case Conjunction(operands) | Disjunction(operands):
            for operand in operands:
                yield from names_of(operand)


def case_of(row: CorpusRow) -> Case:
    return *query_of(row.query), events_of(row.streams)


@cache
def query_of(text: str) -> tuple[str, tuple[Gpm, ...]]:
    query = parse(text)
    atoms = [query.sequence.first, *(step.atom for step in query.sequence.steps)]
    signs = ["", *(step.operator for step in query.sequence.steps)]
    several = len(atoms) > 1
    shape = "".join(
        sign + (f"({shape_of(atom)})" if several and isinstance(atom, Conjunction | Disjunction)
                else shape_of(atom))
        for sign, atom in zip(signs, atoms, strict=True)
    )
    gpms = []
    for name in (name for atom in atoms for name in names_of(atom)):
        definition = query.definition(name)
        block, *filters = definition.pattern.elements
        assert isinstance(block, TriplesBlock)
        [triple] = block.triples
        variables = tuple(str(t) for t in (triple.subject, triple.object) if t.n3()[0] == "?")
        condition = None
        for element in filters:
            assert isinstance(element, Filter)
            assert isinstance(element.condition, Comparison)
            condition = (str(element.condition.left), str(element.condition.right))
        gpms.append((number(query.stream_iri(definition.stream)), variables, condition))
    return shape, tuple(gpms)


@cache
def events_of(streams: str) -> frozenset[Event]:
    events = set()
    for iri, text in json.loads(streams).items():
        for item in parse_stream(text, format="trig", prefixes=PREFIXES):
            triples = {
                (local(s), local(o)) for s, p, o in item.graph if local(p) == "p"
            }
            events.add((item.time, number(iri), frozenset(triples)))
    return frozenset(events)


PREFIXES = {"": "http://example.org/", "prov": "http://www.w3.org/ns/prov#"}


def number(iri: str) -> int:
    return int(iri.rpartition("/s")[2])


def local(term: object) -> str:
    return str(term).rpartition("/")[2]


# --- the classes, by brute force ------------------------------------------------------------------


def everything_is_one_window(times: list[int]) -> Iterable[tuple[int, ...]]:
    return ()


def closed_windows_of_two(times: list[int]) -> Iterable[tuple[int, ...]]:
    for k in range(20):
        yield tuple(t for t in times if times[0] + 2 * k <= t <= times[0] + 2 * k + 2)


def half_open_windows_of_two(times: list[int]) -> Iterable[tuple[int, ...]]:
    for k in range(20):
        yield tuple(t for t in times if times[0] + 2 * k <= t < times[0] + 2 * k + 2)


def sliding_windows_of_three_by_two(times: list[int]) -> Iterable[tuple[int, ...]]:
    for k in range(20):
        yield tuple(t for t in times if times[0] + 2 * k <= t <= times[0] + 2 * k + 3)


def spans_of_two(times: list[int]) -> Iterable[tuple[int, ...]]:
    return ((a, b) for a in times for b in times if 0 < b - a <= 2)


def class_of(case: Case, streams: int, windows: Windows) -> object:
    """The least of all that renaming makes of a case: the same for all cases of one class."""
    shape, gpms, events = case
    times = sorted({time for time, _, _ in events})
    rank = {time: k for k, time in enumerate(times)}
    shared = [tuple(rank[t] for t in held) for held in windows(times) if held] if times else []
    # For one renaming of the streams, those of variables and of constants do not meet.
    return shape, tuple(shared), min(
        (least_query(gpms, renaming), least_events(events, renaming))
        for renaming in permutations(range(1, streams + 1))
    )


@cache
def least_query(gpms: tuple[Gpm, ...], streams: tuple[int, ...]) -> str:
    variables = sorted({v for _, vs, f in gpms for v in (*vs, *(f or ()))})
    images = []
    for image in permutations(range(len(variables))):
        v = dict(zip(variables, image, strict=True))
        images.append([
            (streams[s - 1], [v[x] for x in vs], f and (v[f[0]], v[f[1]])) for s, vs, f in gpms
        ])
    return min(map(repr, images))


@cache
def least_events(events: frozenset[Event], streams: tuple[int, ...]) -> str:
    rank = {time: k for k, time in enumerate(sorted({time for time, _, _ in events}))}
    images = []
    for image in permutations(NODES):
        new = dict(zip(NODES, image, strict=True))
        images.append(sorted(
            (rank[t], streams[s - 1], sorted((new[x], new.get(y, y)) for x, y in graph))
            for t, s, graph in events
        ))
    return min(map(repr, images))


def labelled_cases(
    alphabet: str, shapes: Iterable[str], events: int, latest: int
) -> Iterator[Case]:
    """Every case with these labels, isomorphic or not."""
    streamsets = list(labelled_streamsets(alphabet, events, latest))
    for shape in shapes:
        for gpms in labelled_gpms(alphabet, shape.count("_")):
            for streamset in streamsets:
                yield shape, gpms, streamset


def labelled_gpms(alphabet: str, count: int) -> Iterator[tuple[Gpm, ...]]:
    pool = "xyzw"[: count * (2 if alphabet == "edges" else 1)]
    slots = 2 if alphabet == "edges" else 1
    for streams in product(range(1, ALPHABETS[alphabet].streams + 1), repeat=count):
        for flat in product(pool, repeat=count * slots):
            bodies = [flat[k * slots:(k + 1) * slots] for k in range(count)]
            if alphabet == "values":
                bodies = [(*body, f"v{k}") for k, body in enumerate(bodies)]
            plain = [(s, vs, None) for s, vs in zip(streams, bodies, strict=True)]
            yield tuple(plain)
            for k in range(count):
                earlier = {v for body in bodies[:k] for v in body}
                compared = [v for v in bodies[k] if v not in earlier]
                if alphabet == "values":  # values are compared with values
                    compared = [v for v in compared if v[0] == "v"]
                    earlier = {v for v in earlier if v[0] == "v"}
                for own, other in product(sorted(set(compared)), sorted(earlier)):
                    yield (*plain[:k], (*plain[k][:2], (own, other)), *plain[k + 1:])


def labelled_streamsets(
    alphabet: str, events: int, latest: int
) -> Iterator[frozenset[Event]]:
    objects = NODES if alphabet == "edges" else ("1", "2") if alphabet == "values" else ("o",)
    triples = [(s, o) for s in NODES for o in objects]
    graphs = [NOTHING, *(frozenset({t}) for t in triples),
              *(frozenset({t, u}) for t, u in product(triples, triples) if t < u)]
    places = list(product(range(latest + 1), range(1, ALPHABETS[alphabet].streams + 1)))
    for chosen in product(places, repeat=events):
        if list(chosen) == sorted(set(chosen)):  # Def. 2: one graph at a time, in each stream
            for contents in product(graphs, repeat=events):
                yield frozenset((t, s, g) for (t, s), g in zip(chosen, contents, strict=True))


WINDOWS = {
    "wide": (everything_is_one_window, {}),
    "tumbling": (closed_windows_of_two, {"within": 2}),
    "half-open": (half_open_windows_of_two,
                  {"within": 2, "readings": {"window": "tumbling-half-open"}}),
    "match": (spans_of_two, {"within": 2, "readings": {"window": "match"}}),
    "sliding": (sliding_windows_of_three_by_two, {"within": 3, "slide": 2}),
}

# (alphabet, window, shapes, operators, events, latest time)
BOUNDS = [
    ("keys", "wide", ("_",), 0, 3, 3),
    ("keys", "wide", ONE_OPERATOR, 1, 2, 2),
    ("keys", "wide", TWO_OPERATORS_OF_TWO_GPMS, 2, 1, 1),
    ("single", "tumbling", ("_",), 0, 3, 8),
    ("single", "half-open", ("_",), 0, 3, 8),
    ("single", "match", ("_", ), 0, 3, 6),
    ("single", "sliding", ("_",), 0, 3, 10),
    ("keys", "tumbling", ("_",), 0, 2, 5),
    ("values", "wide", ("_;_", "_!"), 1, 1, 1),
    ("values", "wide", ("_?", "_+"), 1, 2, 1),
    ("values", "wide", ("_&_",), 1, 2, 1),
    ("edges", "wide", ("_+",), 1, 1, 0),
    ("edges", "wide", ("_:_",), 1, 0, 0),
]


@pytest.mark.parametrize(("alphabet", "window", "shapes", "operators", "events", "latest"), BOUNDS)
def test_one_case_of_each_class(
    alphabet: str, window: str, shapes: tuple[str, ...], operators: int, events: int, latest: int
) -> None:
    windows, options = WINDOWS[window]
    space = Space.of("spaseq", Bounds(operators, events, alphabet=alphabet, **options))
    block = space.block(operators, events)
    listed = [
        case for case in map(case_of, space.rows(block.first, block.end))
        if case[0] in shapes
    ]

    def class_(case: Case) -> object:
        return class_of(case, ALPHABETS[alphabet].streams, windows)

    listed_classes = list(map(class_, listed))
    all_classes = set(map(class_, labelled_cases(alphabet, shapes, events, latest)))
    if window == "wide":  # times that another window does not tell apart are all there
        assert len(set(listed_classes)) == len(listed), "two listed cases are isomorphic"
    assert set(listed_classes) == all_classes
