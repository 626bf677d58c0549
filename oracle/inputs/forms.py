"""Texts of alphabets: forms of bodies, and graphs as triples of the names of their terms."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise, product
from typing import Any, Final, TypeAlias

from rdflib.term import URIRef

from ...semantics.model.items import IntervalGraph, TimestampedGraph
from ...semantics.model.terms import Graph, Term, literal
from ...semantics.model.time import XSD
from .choices import Choices, NothingAllowed
from .graphs import name

_SLOT: Final = re.compile(r"\?(x|y|z|new|other|earlier|value|less)\b")
_THINGS: Final = "xyzwutsrqponmlk"
_EXCHANGE: Final = str.maketrans("ab", "ba")

Placed: TypeAlias = tuple[int | tuple[int, int], URIRef, str]
"""An event: its instant or its start and end, its stream, and its graph as a text."""


def filled(choices: Choices, form: str, things: list[str], values: list[str]) -> str:
    """Draw a variable for each slot of a form; `things` and `values`, those in use, grow.

    ?x, ?y and ?z are any variables that are in use, or the first unused one; ?new is the first
    unused one, ?other any but those of this form, ?earlier one of an earlier form; ?value is the
    first unused one of values, ?less one that is in use. Other variables stay.
    """
    earlier = tuple(things)
    own: dict[str, str] = {}
    for slot in _slots(form):
        known = values if slot in ("value", "less") else things
        unused = f"v{len(values) + 1}" if known is values else _THINGS[len(things)]
        options: Sequence[str] = (*known, unused)
        match slot:
            case "new" | "value":
                options = (unused,)
            case "less":
                options = tuple(each for each in values if each not in own.values())
            case "earlier":
                options = earlier
            case "other":
                options = tuple(each for each in options if each not in own.values())
        if not options:
            raise NothingAllowed(slot)
        own[slot] = choices.among("variable", options)
        if own[slot] == unused:
            known.append(unused)
    return _written(form, tuple(own.items()))


class Forms:
    """Draws the bodies of one query, each of a form.

    Args:
        name: the name of the choice.
        forms: the plain form first.
        others: the greatest number of bodies that have not the plain form.
        in_order: a form is one that is in use or the first unused one; default: any.
    """

    def __init__(
        self, name: str, forms: Sequence[str], others: int, *, in_order: bool = False
    ) -> None:
        self._name, self._forms, self._others = name, forms, others
        self._open = 1 if in_order else len(forms)

    def drawn(self, choices: Choices, things: list[str], values: list[str]) -> str:
        """Draw a body; `things` and `values` are those of `filled`."""
        form = choices.among(self._name, self._forms[: self._open if self._others else 1])
        self._others -= form != self._forms[0]
        self._open = max(self._open, self._forms.index(form) + 2)
        return filled(choices, form, things, values)


@cache
def _slots(form: str) -> Sequence[str]:
    return list(dict.fromkeys(_SLOT.findall(form)))


@cache
def _written(form: str, named: tuple[tuple[str, str], ...]) -> str:
    variables = dict(named)
    return _SLOT.sub(lambda slot: "?" + variables[slot[1]], form)


def triples(text: str) -> frozenset[tuple[str, ...]]:
    """Return the names of the terms of each triple."""
    return frozenset(tuple(triple.split()) for triple in text.split(" . "))


def exchanged(graphs: Sequence[str]) -> Sequence[int]:
    """Return the number that each graph has after an exchange of the nodes a and b."""
    numbers = {triples(text): number for number, text in enumerate(graphs)}
    return [numbers[triples(text.translate(_EXCHANGE))] for text in graphs]


@cache
def graph(text: str) -> Graph:
    """Return the graph of a text, always the same object."""
    return frozenset((name(s), name(p), _term(o)) for s, p, o in triples(text))


def _term(local: str) -> Term:
    return literal(local, XSD + "integer") if local.isdigit() else name(local)


def trig(events: Iterable[Placed], named: Sequence[URIRef]) -> str:
    """Return events as a JSON object of a text for each stream; those that are named are there."""
    texts = {str(iri): "" for iri in named}
    for number, (time, iri, text) in enumerate(events):
        texts[str(iri)] = texts.get(str(iri), "") + (
            f":g{number} {_time_text(time)} . :g{number} {{ {_graph_text(text)} }}\n"
        )
    return json.dumps(texts)


def _time_text(time: int | tuple[int, int]) -> str:
    if isinstance(time, int) or time[0] == time[1]:
        return f"prov:generatedAtTime {time if isinstance(time, int) else time[1]}"
    return f"prov:startedAtTime {time[0]} ; prov:endedAtTime {time[1]}"


@cache
def _graph_text(text: str) -> str:
    return " ".join(
        each if each == "." or each.isdigit() else f":{each}" for each in text.split()
    )


def items(events: Iterable[Placed], named: Sequence[URIRef]) -> dict[URIRef, tuple[Any, ...]]:
    """Return the items of each stream that a reader makes of the texts."""
    found: dict[URIRef, list[TimestampedGraph | IntervalGraph]] = {iri: [] for iri in named}
    for number, (time, iri, text) in enumerate(events):
        found.setdefault(iri, []).append(_item(number, time, text))
    return {iri: tuple(those) for iri, those in found.items()}


@cache
def _item(
    number: int, time: int | tuple[int, int], text: str
) -> TimestampedGraph | IntervalGraph:
    if isinstance(time, tuple) and time[0] < time[1]:
        return IntervalGraph(*time, graph(text), name=name(f"g{number}"))
    end = time if isinstance(time, int) else time[1]
    return TimestampedGraph(end, graph(text), name=name(f"g{number}"))


def words(
    times: Iterable[tuple[int, ...]], events: int, contents: Sequence[tuple[int, ...]],
    turned: Sequence[int],
) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Return events in every way: of two that an exchange of nodes makes of one another, one;
    those of one instant by their streams.

    A content is (number of the stream, number of the graph, …); `turned` has the number that each
    graph has after the exchange.
    """
    for at in times:
        for word in product(contents, repeat=events):
            if word <= tuple((on, turned[each], *more) for on, each, *more in word) and all(
                a < b or one[0] <= other[0]
                for (a, b), (one, other) in zip(pairwise(at), pairwise(word), strict=True)
            ):
                yield tuple((time, *event) for time, event in zip(at, word, strict=True))
