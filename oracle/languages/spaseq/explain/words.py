"""Texts of explanations in SPAseq: events with their ranks, and conflicts of solutions."""

from __future__ import annotations

from collections.abc import Iterator

from rdflib.term import URIRef, Variable

from .....semantics.model.mappings import Solutions
from .....semantics.rdf.syntax.tree import Filter
from .....semantics.spaseq.deferral import Owing
from .....semantics.spaseq.streamset import Event as StreamEvent
from .....semantics.spaseq.streamset import Instant
from ....cases.case import Case
from ....explanations.wording import Words, few
from ....results.json_objects import sort_key


class SpaseqWords(Words):
    """Texts for one case, with the ranks of events with equal timestamps."""

    def __init__(self, case: Case) -> None:
        super().__init__(case)
        self.names: dict[tuple[URIRef, Instant], str] = {}
        ranked = getattr(case.readings, "ties", None) == "sequence"
        for iri, items in case.streams.items():
            rank, last = 0, None
            for item in items:
                rank = rank + 1 if ranked and item.time == last else 0
                last = item.time
                if isinstance(item.name, URIRef):
                    self.names.setdefault((iri, (item.time, rank)), self.term(item.name))

    def event_time(self, instant: Instant) -> str:
        """Return τ, or (τ, k) for a later event with the same timestamp."""
        time, rank = instant
        shown = self.instant(time)
        return f"({shown}, {rank})" if rank else shown

    def event(self, event: StreamEvent) -> str:
        """Return the name of an event's graph, its stream and its time."""
        name = self.names.get((event.stream, event.time), "the event")
        return f"{name} of {self.stream(event.stream)} at {self.event_time(event.time)}"

    def clash(
        self, x: Solutions, y: Owing, dropped: frozenset[Variable]
    ) -> str:
        """Return why X ⋈_R Y is empty; Y binds `dropped` variables of X anew."""
        return few(self._clashes(x, y, dropped))

    def _clashes(
        self, x: Solutions, y: Owing, dropped: frozenset[Variable]
    ) -> Iterator[str]:
        for mu in sorted((mu.without(dropped) for mu in x), key=sort_key):
            for nu in sorted(y.mappings, key=sort_key):
                differing = self.differing(mu, nu)
                if differing:
                    yield differing
                    continue
                for condition in y.conditions:
                    both = mu.merge(nu)
                    if not condition.holds(both):
                        values = self.values(both, condition.variables)
                        yield f"{self.text(Filter(condition.expression))} is not true with {values}"
