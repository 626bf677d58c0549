"""Streams and graphs as TriG and Turtle that a person would have written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import groupby

from rdflib.term import BNode, URIRef

from ...semantics.model.items import IntervalGraph, Item, TimestampedGraph
from ...semantics.model.temporal_graphs import TemporalGraph
from ...semantics.model.terms import Graph, Term
from ...semantics.model.time import time_literal
from .sources import STANDARD_PREFIXES, turtle_header
from .turtle_terms import shortened

_RDF_TYPE = URIRef("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
_GENERATED = "prov:generatedAtTime"
_STARTED, _ENDED = "prov:startedAtTime", "prov:endedAtTime"

# Where a colon is none of a prefix; a prefix that is used; one that is declared.
_OPAQUE = re.compile(
    r"""<[^<>"{}|^`\\\s]*>|\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}"""
    r"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\#[^\n]*""",
    re.DOTALL,
)
_PREFIXED = re.compile(r"(?<![\w.:-])((?:[^\W\d_](?:[\w.-]*[\w-])?)?):")
_DECLARED = re.compile(r"(?i:@?prefix)\s+((?:[^\W\d_](?:[\w.-]*[\w-])?)?):")


class BlankLabels:
    """Short labels for blank nodes, in the order in which they are met."""

    def __init__(self) -> None:
        self.labels: dict[BNode, BNode] = {}

    def relabelled(self, term: Term) -> Term:
        if not isinstance(term, BNode):
            return term
        return self.labels.setdefault(term, BNode(f"b{len(self.labels)}"))


def stream_text(items: Iterable[Item], prefixes: Mapping[str, str]) -> str:
    """TriG of a stream, one item a line; `prefixes`, prov: and xsd: are taken as declared.

    Without prefixes the text is complete in itself.
    """
    nodes = BlankLabels()
    items = list(items)
    declared = {**STANDARD_PREFIXES, **prefixes}
    taken = {str(item.name) for item in items if isinstance(item.name, URIRef)}
    base = prefixes.get("", "urn:graph:")
    fresh = (f"{base}g{n}" for n in range(1, 1 << 62) if f"{base}g{n}" not in taken)
    lines = []
    seen: set[str] = set()
    for item in items:
        name = item.name if isinstance(item.name, URIRef) else None
        if name is None or str(name) in seen:
            name = URIRef(next(fresh))
        seen.add(str(name))
        shown = shortened(name, declared)
        time = _times(item, declared)
        body = _statements(item.graph, declared, nodes)
        braces = f"{{ {body} }}" if body else "{ }"
        lines.append(f"{shown} {time} .  {shown} {braces}\n")
    header = "" if prefixes else f"@prefix prov: <{STANDARD_PREFIXES['prov']}> .\n" + (
        f"@prefix xsd: <{STANDARD_PREFIXES['xsd']}> .\n"
    )
    return header + "".join(lines)


def changes_text(graph: TemporalGraph, prefixes: Mapping[str, str]) -> str:
    """TriG of a background graph that changes, one change a line; as `stream_text`."""
    return stream_text(
        [TimestampedGraph(time, said, graph.kind) for time, said in graph.changes], prefixes
    )


def _times(item: Item, declared: Mapping[str, str]) -> str:
    def shown(time: int) -> str:
        return shortened(time_literal(time, item.kind), declared)

    if isinstance(item, IntervalGraph):
        return f"{_STARTED} {shown(item.start)} ; {_ENDED} {shown(item.end)}"
    return f"{_GENERATED} {shown(item.time)}"


def graph_text(graph: Graph, prefixes: Mapping[str, str]) -> str:
    """Turtle of a graph, one subject a line; as `stream_text` with prefixes."""
    declared = {**STANDARD_PREFIXES, **prefixes}
    nodes = BlankLabels()
    header = "" if prefixes else f"@prefix xsd: <{STANDARD_PREFIXES['xsd']}> .\n"
    return header + _statements(graph, declared, nodes, between="\n") + "\n"


def _statements(
    graph: Graph, prefixes: Mapping[str, str], nodes: BlankLabels, between: str = " "
) -> str:
    # Blank nodes are relabelled in the order of the sorted triples: the text is reproducible.
    triples = sorted(graph, key=lambda triple: [term.n3() for term in triple])
    relabelled = [tuple(nodes.relabelled(term) for term in triple) for triple in triples]
    sentences = []
    for subject, of_subject in groupby(relabelled, key=lambda triple: triple[0]):
        parts = []
        for predicate, of_both in groupby(of_subject, key=lambda triple: triple[1]):
            verb = "a" if predicate == _RDF_TYPE else shortened(predicate, prefixes)
            objects = ", ".join(shortened(triple[2], prefixes) for triple in of_both)
            parts.append(f"{verb} {objects}")
        sentences.append(f"{shortened(subject, prefixes)} {' ; '.join(parts)} .")
    return between.join(sentences)


def with_declarations(text: str, prefixes: Mapping[str, str]) -> str:
    """A text in TriG or Turtle with declarations for those of the prefixes that it only uses.

    >>> print(with_declarations(":a :b _:c .", {"": "http://example.org/"}))
    @prefix : <http://example.org/> .
    :a :b _:c .
    """
    said = _OPAQUE.sub(" ", text)
    undeclared = set(_PREFIXED.findall(said)) - set(_DECLARED.findall(said))
    return turtle_header((n, i) for n, i in prefixes.items() if n in undeclared) + text
