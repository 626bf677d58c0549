"""The words of explanations: terms, mappings, instants, and the items of streams."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rdflib.namespace import RDF
from rdflib.term import URIRef, Variable

from ...semantics.model.items import Item
from ...semantics.model.mappings import SolutionMapping, Solutions, Value
from ...semantics.model.terms import Graph
from ...semantics.rdf.syntax import printing
from ...semantics.rdf.syntax.shortening import Shortener
from ...semantics.rdf.syntax.tree import Element, Expression, GroupGraphPattern, Prologue
from ..cases.case import Case
from ..cases.turtle_terms import shortened
from ..results.json_objects import sort_key

MOST = 3


class Words:
    """How the terms, times and items of one case on RDF streams are called."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.prefixes: Mapping[str, str] = {
            **case.prefixes, **case.language.prefixes(case.tree)
        }
        self.columns = case.language.columns(case.tree)
        self.streams = {iri: name for name, iri in case.language.stream_names(case.tree).items()}
        self.shorten = Shortener(Prologue(prefixes=tuple(self.prefixes.items())))

    def term(self, value: object) -> str:
        """A term, or a list of them."""
        if isinstance(value, tuple):
            return f"({' '.join(map(self.term, value))})"
        return shortened(value, self.prefixes)  # type: ignore[arg-type]

    def instant(self, time: object) -> str:
        """An instant, as people read it."""
        return self.case.shown_instant(time)

    def interval(self, interval: Iterable[object]) -> str:
        """[t1, t2]"""
        return f"[{', '.join(map(self.instant, interval))}]"

    def stream(self, iri: URIRef) -> str:
        """A stream by the name that the query gives it."""
        return self.streams.get(iri) or self.term(iri)

    def item(self, stream: URIRef, graph: Graph, start: int, end: int) -> str:
        """The name that a stream's item has in its file; of what a window has clipped, too."""
        items: Sequence[Item] = self.case.streams.get(stream, ())
        for item in items:
            around = item.start <= start and end <= item.end
            if around and isinstance(item.name, URIRef) and graph == item.graph:
                return self.term(item.name)
        return "a graph"

    def triple(self, triple: Iterable[object]) -> str:
        """s p o"""
        return " ".join(map(self.term, triple))

    def triples(self, graph: Iterable[Iterable[object]]) -> str:
        """A graph's triples in a line."""
        return " . ".join(sorted(map(self.triple, graph)))

    def text(self, tree: Element | GroupGraphPattern | Expression) -> str:
        """A part of the query in a line."""
        text = " ".join(printing.to_text(tree).split())
        return self.shorten(text.replace(f" <{RDF.type}> ", " a "))

    def solutions(self, omega: Solutions) -> str:
        """Ω in short: ?h = :H1, ?l = :L1; or …"""
        shown = [self.mapping(mu) for mu in sorted(omega, key=sort_key)]
        more = f"; or {len(shown) - MOST} more" if len(shown) > MOST else ""
        return "; or ".join(shown[:MOST]) + more

    def mapping(self, mu: Mapping[Variable, Value]) -> str:
        """μ in short, the variables of the SELECT clause first."""
        order = [v for v in self.columns if v in mu]
        order += sorted(v for v in mu if v not in order)
        return ", ".join(f"?{v} = {self.term(mu[v])}" for v in order) or "nothing bound"

    def values(self, mu: Mapping[Variable, Value], variables: Iterable[Variable]) -> str:
        """What a condition sees of μ."""
        return ", ".join(
            f"?{v} = {self.term(mu[v])}" if v in mu else f"?{v} unbound" for v in sorted(variables)
        )

    def differing(self, mu: SolutionMapping, nu: SolutionMapping) -> str:
        """Where two mappings do not agree, "" if they do."""
        return " and ".join(
            f"?{v} is {self.term(nu[v])} there, {self.term(mu[v])} before"
            for v in sorted(mu) if v in nu and mu[v] != nu[v]
        )

    def unlike(self, mu: SolutionMapping, asked: SolutionMapping) -> str:
        """Where a mapping is not what is asked for."""
        return " and ".join(
            f"?{v} is {self.term(mu[v])}, not {self.term(asked[v])}"
            for v in sorted(asked) if v in mu and mu[v] != asked[v]
        )


def conjoined(parts: Sequence[object]) -> str:
    """`a, b and c`"""
    shown = [str(part) for part in parts]
    if len(shown) < 2:
        return "".join(shown)
    return ", ".join(shown[:-1]) + " and " + shown[-1]


def counted(count: int, noun: str) -> str:
    """`1 event`, `2 events`"""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def few(parts: Iterator[str] | Sequence[str], most: int = MOST) -> str:
    """The first of what differs, in their order."""
    return "; ".join(list(dict.fromkeys(parts))[:most])
