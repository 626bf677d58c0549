"""Definitions 7, 10–12 and 16 against a search through all tuples of events.

The search knows neither pairs nor joins: it takes one event an element, in order of time, and asks
what the operators ask of it. It covers sequences of GPMs that match an event in at most one way.
"""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from denota.semantics.model.items import TimestampedGraph
from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.terms import URIRef, Variable
from denota.semantics.spaseq.denotation import evaluate
from denota.semantics.spaseq.syntax.parse import parse
from denota.semantics.spaseq.syntax.readings import Readings
from denota.semantics.spaseq.syntax.results import Pair

NS = "http://example.org/"
STREAMS = ("s", "t")

# (time, stream) -> kind and place; at most one event a time and stream, as Definition 2 asks
events = st.dictionaries(
    st.tuples(st.integers(0, 7), st.sampled_from(STREAMS)),
    st.tuples(st.sampled_from("KKL"), st.sampled_from("pppq")),
    min_size=5,
    max_size=10,
)


@st.composite
def sequences_over(draw):
    """Events, and a sequence over GPMs that each match one of them at least."""
    happened = draw(events)
    gpms = st.sampled_from(sorted({(stream, kind) for (_, stream), (kind, _) in happened.items()}))
    n = draw(st.sampled_from([2, 3, 1]))
    wanted = draw(st.lists(gpms, min_size=n, max_size=n))
    return happened, wanted, draw(st.lists(st.sampled_from(";:,"), min_size=n - 1, max_size=n - 1))


windows = st.sampled_from(["tumbling", "tumbling-half-open", "match", "sliding"])


def name(local):
    return URIRef(NS + local)


def graph(time, stream, kind, place):
    event = name(f"{stream}{time}")
    return frozenset({(event, name("is"), name(kind)), (event, name("at"), name(place))})


def found(happened, wanted, operators):
    """The tuples of events that match, as lists of ((time, stream), place)."""
    for chosen in product(sorted(happened), repeat=len(wanted)):
        times = [time for time, _ in chosen]
        places = {happened[each][1] for each in chosen}
        if times != sorted(set(times)) or len(places) > 1:
            continue
        if all(
            (stream, happened[each][0]) == gpm
            for each, gpm in zip(chosen, wanted, strict=True)
            for stream in each[1:]
        ) and all(
            not any(
                before < time < after
                and (
                    operator == ","
                    or (operator == ";" and ((stream, kind), {place}) == (gpm, places))
                )
                for (time, stream), (kind, place) in happened.items()
            )
            for before, after, operator, gpm in zip(
                times, times[1:], operators, wanted[1:], strict=False
            )
        ):
            yield chosen, places.pop()


def windows_of(first, last, start, omega, beta, window):
    if window == "match":
        return [None] if last - first <= omega else []
    closed = window != "tumbling-half-open"
    begins = (start + k * beta for k in range(10))
    return [
        (begin, begin + omega)
        for begin in begins
        if begin <= first and (last <= begin + omega if closed else last < begin + omega)
    ]


@given(sequences_over(), st.integers(3, 8), st.integers(1, 5), windows)
def test_the_search_finds_the_same(case, omega, beta, window):
    happened, wanted, operators = case
    slide = f"SLIDE {beta}" if window == "sliding" else ""
    text = "E0" + "".join(f" {op} E{i}" for i, op in enumerate(operators, 1))
    query = parse(
        f"PREFIX : <{NS}> SELECT * WITHIN {omega} {slide} FROM STREAM s :s FROM STREAM t :t "
        f"WHERE {{ SEQ({text}) "
        + " ".join(
            f"DEFINE GPM E{i} ON {stream} {{ ?e{i} :is :{kind} ; :at ?place }}"
            for i, (stream, kind) in enumerate(wanted)
        )
        + " }"
    )
    streams = {
        name(stream): [
            TimestampedGraph(time, graph(time, stream, *what))
            for (time, where), what in sorted(happened.items())
            if where == stream
        ]
        for stream in STREAMS
    }
    start = min(time for time, _ in happened)
    step = beta if window == "sliding" else omega
    expected = {
        Pair(boundaries, chosen[-1][0], frozenset({SolutionMapping({
            Variable("place"): name(place),
            **{Variable(f"e{i}"): name(f"{s}{t}") for i, (t, s) in enumerate(chosen)},
        })}))
        for chosen, place in found(happened, wanted, operators)
        for boundaries in windows_of(chosen[0][0], chosen[-1][0], start, omega, step, window)
    }
    assert evaluate(query, streams, readings=Readings(window=window)) == expected
