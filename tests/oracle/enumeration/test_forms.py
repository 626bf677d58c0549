"""Alphabets of forms: queries and streams, against all that naive loops make."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import permutations, product

import pytest

from denota.oracle.languages.enumerated_graphs import EXAMPLE
from denota.oracle.languages.enumeration import Bounds
from denota.oracle.languages.spaseq.alphabets import ALPHABETS, FormAlphabet
from denota.oracle.languages.spaseq.enumerate.streams import Symmetry
from denota.oracle.ranks.space import Space
from denota.oracle.ranks.walks import Walks
from denota.semantics.spaseq.syntax.parse import parse
from denota.semantics.spaseq.syntax.tree import KleenePlus, Operator, SpaseqQuery

FORMS = {name: each for name, each in ALPHABETS.items() if isinstance(each, FormAlphabet)}
STREAM = "WITHIN 100 FROM STREAM S1 :u1 WHERE"


def in_order(text: str) -> str:
    """The text with its variables called x, y, z, w in the order in which they are met."""
    met: dict[str, str] = {}
    return re.sub(r"\?(\d)", lambda v: "?" + met.setdefault(v[0], "xyzw"[len(met)]), text)


def renamed(text: str, names: dict[str, str]) -> str:
    return re.sub(r"\?([xyz])", lambda v: "?" + names[v[1]], text)


def every_body(alphabet: FormAlphabet, gpms: int) -> Iterator[str]:
    """The bodies of so many GPMs, with a | between them, up to names."""
    forms = (alphabet.plain, *alphabet.others)
    for chosen in product(forms, repeat=gpms):
        if sum(form is not alphabet.plain for form in chosen) > alphabet.most[gpms - 1]:
            continue
        slots = sum(form.variables for form in chosen)
        for numbers in product(map(str, range(slots)), repeat=slots):
            left, bodies = iter(numbers), []
            for form in chosen:
                own = [next(left) for _ in range(form.variables)]
                if form.apart and own[-1] in own[:-1]:
                    break
                bodies.append(renamed(form.text, dict(zip("xyz", own, strict=False))))
            else:
                yield in_order(" | ".join(bodies))


def every_query(alphabet: FormAlphabet, sequence: str, gpms: int) -> Iterator[SpaseqQuery]:
    for text in set(every_body(alphabet, gpms)):
        defined = " ".join(
            f"DEFINE GPM {name} ON S1 {{ {body} }}"
            for name, body in zip("AB", text.split(" | "), strict=False)
        )
        variables = sorted(set(re.findall(r"\?[xyzw]", text)))
        selects = alphabet.selects and len(variables) > 1 and "FILTER" not in text
        for select in ("*", *(variables if selects else ())):
            yield parse(
                f"PREFIX : <{EXAMPLE}> SELECT {select} {STREAM} {{ SEQ({sequence}) {defined} }}"
            )


@pytest.mark.parametrize("name", ["sequences", "filters", "optionals"])
def test_every_query_once(name: str) -> None:
    space = Space.of("spaseq", Bounds(1, 0, alphabet=name))
    listed = [run.query for run in space.runs(0, space.cases) if run.operators == 1]
    pairs = [
        query for query in listed
        if [step.operator for step in query.sequence.steps] == [Operator.NEXT]
    ]
    assert len(set(pairs)) == len(pairs)
    assert set(pairs) == set(every_query(FORMS[name], "A ; B", 2))
    repeated = [query for query in listed if isinstance(query.sequence.first, KleenePlus)]
    assert len(set(repeated)) == len(repeated)
    assert set(repeated) == set(every_query(FORMS[name], "A+", 1))


@pytest.mark.parametrize("name", list(FORMS))
@pytest.mark.parametrize("ordered", [False, True])
def test_one_stream_of_each_class(name: str, *, ordered: bool) -> None:
    alphabet = FORMS[name]
    graphs = [frozenset(content) for content in alphabet.contents]
    listed = [
        tuple(graphs[content] for _, _, content in stream)
        for stream in Space.of("spaseq", Bounds(alphabet=name)).enumeration.streams(
            Symmetry(1, ordered), 2
        )
    ]

    def least(stream: tuple[frozenset[tuple[str, ...]], ...]) -> str:
        used = sorted({name for graph in stream for triple in graph for name in triple})
        values = [name for name in used if name.isdigit()]
        nodes = [("a", "b")] if alphabet.background else permutations("ab")
        images = ["12"] if ordered else ["12", "21"]
        return min(
            repr([
                sorted(tuple(new.get(name, name) for name in triple) for triple in graph)
                for graph in stream
            ])
            for a, b in nodes for image in images
            for new in [{"a": a, "b": b, **dict(zip(values, image, strict=False))}]
        )

    classes = list(map(least, listed))
    assert len(set(classes)) == len(classes)
    assert set(classes) == set(map(least, product(graphs, repeat=2)))


def test_walks_by_their_weights() -> None:
    def steps(place: int, left: int) -> list[tuple[str, int]]:
        return [(f"{place}{step}", left - step) for step in range(min(left, 2) + 1)]

    walks = Walks(3, 3, steps, lambda left: left)
    ends = [
        (f"0{a}", f"1{b}", f"2{c}")
        for a, b, c in product(range(3), repeat=3) if a + b + c <= 3
    ]
    weighed = [(walk, 3 - sum(int(step[1]) for step in walk)) for walk in ends]
    expected = [
        (walk, left, rest) for walk, left in weighed for rest in range(2 * left)
    ]
    total = walks.total(lambda left: 2 * left)
    assert [walks.at(rank, lambda left: 2 * left) for rank in range(total)] == expected
    with pytest.raises(IndexError):
        walks.at(total, lambda left: 2 * left)
