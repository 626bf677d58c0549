"""Texts of explanations: terms, mappings, instants and items of streams."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rdflib.namespace import RDF
from rdflib.term import URIRef, Variable

from ...semantics.model.items import Item
from ...semantics.model.mappings import SolutionMapping, Solutions, Value
from ...semantics.model.terms import Graph
from ...semantics.rdf.syntax import printing
from ...semantics.rdf.syntax.printing import Shortener
from ...semantics.rdf.syntax.tree import Element, Expression, GroupGraphPattern, Prologue
from ..cases.case import Case
from ..cases.rdf_text import shortened
from ..results.json_objects import sort_key

MAX_SHOWN = 3


class Words:
    """Texts for the terms, times and items of one case on RDF streams."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.prefixes: Mapping[str, str] = {
            **case.prefixes, **case.language.prefixes(case.tree)
        }
        self.columns = case.language.columns(case.tree)
        self.streams = {iri: name for name, iri in case.language.stream_names(case.tree).items()}
        self.shorten = Shortener(Prologue(prefixes=tuple(self.prefixes.items())))

    def term(self, value: object) -> str:
        """Return a term, or a list of terms."""
        if isinstance(value, tuple):
            return f"({' '.join(map(self.term, value))})"
        return shortened(value, self.prefixes)  # type: ignore[arg-type]

    def instant(self, time: object) -> str:
        """Return an instant in readable form."""
        return self.case.shown_instant(time)

    def interval(self, interval: Iterable[object]) -> str:
        """Return `[t1, t2]`."""
        return f"[{', '.join(map(self.instant, interval))}]"

    def stream(self, iri: URIRef) -> str:
        """Return the name of a stream in the query."""
        return self.streams.get(iri) or self.term(iri)

    def item(self, stream: URIRef, graph: Graph, start: int, end: int) -> str:
        """Return the name of an item in its file, also of an item that a window has clipped."""
        items: Sequence[Item] = self.case.streams.get(stream, ())
        for item in items:
            around = item.start <= start and end <= item.end
            if around and isinstance(item.name, URIRef) and graph == item.graph:
                return self.term(item.name)
        return "a graph"

    def triple(self, triple: Iterable[object]) -> str:
        """Return `s p o`."""
        return " ".join(map(self.term, triple))

    def triples(self, graph: Iterable[Iterable[object]]) -> str:
        """Return the triples of a graph in one line."""
        return " . ".join(sorted(map(self.triple, graph)))

    def text(self, tree: Element | GroupGraphPattern | Expression) -> str:
        """Return a part of the query in one line."""
        text = " ".join(printing.to_text(tree).split())
        return self.shorten(text.replace(f" <{RDF.type}> ", " a "))

    def solutions(self, omega: Solutions) -> str:
        """Return Ω in one line: `?h = :H1, ?l = :L1; or …`."""
        shown = [self.mapping(mu) for mu in sorted(omega, key=sort_key)]
        more = f"; or {len(shown) - MAX_SHOWN} more" if len(shown) > MAX_SHOWN else ""
        return "; or ".join(shown[:MAX_SHOWN]) + more

    def mapping(self, mu: Mapping[Variable, Value]) -> str:
        """Return μ in one line, the variables of the SELECT clause first."""
        order = [v for v in self.columns if v in mu]
        order += sorted(v for v in mu if v not in order)
        return ", ".join(f"?{v} = {self.term(mu[v])}" for v in order) or "no bindings"

    def values(self, mu: Mapping[Variable, Value], variables: Iterable[Variable]) -> str:
        """Return the values of variables in μ."""
        return ", ".join(
            f"?{v} = {self.term(mu[v])}" if v in mu else f"?{v} unbound" for v in sorted(variables)
        )

    def differing(self, mu: SolutionMapping, nu: SolutionMapping) -> str:
        """Return the conflicts between two mappings; "" if they are compatible."""
        return " and ".join(
            f"?{v} = {self.term(nu[v])} conflicts with ?{v} = {self.term(mu[v])}"
            for v in sorted(mu) if v in nu and mu[v] != nu[v]
        )

    def unlike(self, mu: SolutionMapping, requested: SolutionMapping) -> str:
        """Return the bindings of a mapping that differ from the requested ones."""
        return " and ".join(
            f"?{v} is {self.term(mu[v])}, not {self.term(requested[v])}"
            for v in sorted(requested) if v in mu and mu[v] != requested[v]
        )


def conjoined(parts: Sequence[object]) -> str:
    """Return `a, b and c`."""
    shown = [str(part) for part in parts]
    if len(shown) < 2:
        return "".join(shown)
    return ", ".join(shown[:-1]) + " and " + shown[-1]


def few(parts: Iterator[str] | Sequence[str], most: int = MAX_SHOWN) -> str:
    """Return the first distinct texts, in order."""
    return "; ".join(list(dict.fromkeys(parts))[:most])
