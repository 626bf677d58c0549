"""The words of explanations: events, bindings, and why two sets of mappings do not join."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rdflib.term import URIRef, Variable

from ...semantics.model.mappings import SolutionMapping, Solutions, Value
from ...semantics.rdf.syntax.printing import to_text
from ...semantics.spaseq.context import Context
from ...semantics.spaseq.deferral import Conditions
from ...semantics.spaseq.streamset import Event, Instant
from ...semantics.spaseq.syntax.tree import (
    Atom,
    Conjunction,
    Disjunction,
    KleenePlus,
    Negation,
    OptionalEvent,
    Reference,
)
from ..cases.tasks import Task
from ..cases.turtle_terms import shortened
from ..results.json_objects import sort_key

_MOST = 3


class Words:
    """How one task's events, terms and times are called."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.prefixes: Mapping[str, str] = {
            **task.prefixes, **task.language.prefixes(task.tree)
        }
        self.columns = task.language.columns(task.tree)
        self.names: dict[tuple[URIRef, Instant], str] = {}
        self.streams = {iri: name for name, iri in task.language.stream_names(task.tree).items()}
        ranked = getattr(task.readings, "ties", None) == "sequence"
        for iri, items in task.streams.items():
            rank, last = 0, None
            for item in items:
                rank = rank + 1 if ranked and item.time == last else 0
                last = item.time
                if isinstance(item.name, URIRef):
                    self.names.setdefault((iri, (item.time, rank)), self.term(item.name))

    def term(self, value: Value) -> str:
        """A term, or a list of them."""
        if isinstance(value, tuple):
            return f"({' '.join(map(self.term, value))})"
        return shortened(value, self.prefixes)

    def instant(self, instant: Instant) -> str:
        """τ, or (τ, k) for a later event of the same time."""
        time, rank = instant
        shown = self.task.shown_instant(time)
        return f"({shown}, {rank})" if rank else shown

    def stream(self, iri: URIRef) -> str:
        """A stream by the name that the query gives it."""
        return self.streams.get(iri) or self.term(iri)

    def event(self, event: Event) -> str:
        """An event by its graph's name, its stream and its time."""
        name = self.names.get((event.stream, event.time))
        where = f"{self.stream(event.stream)} at {self.instant(event.time)}"
        return f"{name} of {where}" if name else f"the event of {where}"

    def bindings(self, omega: Solutions, only: Iterable[Variable] | None = None) -> str:
        """Ω in short: ?h = :H1, ?l = :L1; or …"""
        kept = omega if only is None else frozenset(mu.project(only) for mu in omega)
        shown = [self.mapping(mu) for mu in sorted(kept, key=sort_key)]
        more = f"; or {len(shown) - _MOST} more" if len(shown) > _MOST else ""
        return "; or ".join(shown[:_MOST]) + more

    def mapping(self, mu: SolutionMapping) -> str:
        """μ in short."""
        if not mu:
            return "nothing bound"
        order = [v for v in self.columns if v in mu]
        order += sorted(v for v in mu if v not in order)
        return ", ".join(f"?{v} = {self.term(mu[v])}" for v in order)

    # --- why two sets of mappings do not join ---

    def clash(
        self, x: Solutions, y: Solutions, conditions: Conditions, dropped: frozenset[Variable]
    ) -> str:
        """Why X ⋈_R Y is empty; `dropped` variables of X are bound anew."""
        reasons = dict.fromkeys(self._clashes(x, y, conditions, dropped))
        return "; ".join(list(reasons)[:_MOST])

    def _clashes(
        self, x: Solutions, y: Solutions, conditions: Conditions, dropped: frozenset[Variable]
    ) -> Iterator[str]:
        for mu in sorted(x, key=sort_key):
            for nu in sorted(y, key=sort_key):
                kept = mu.without(dropped)
                differing = self.differing(kept, nu)
                if differing:
                    yield differing
                    continue
                for condition in conditions:
                    if not condition.holds(kept.merge(nu)):
                        text = " ".join(to_text(condition.expression).split())
                        seen = self.needed(kept, nu, condition.variables)
                        yield f"FILTER ({text}) is not true with {seen}"

    def differing(self, mu: SolutionMapping, nu: SolutionMapping) -> str:
        """Where two mappings do not agree, '' if they do."""
        return " and ".join(
            f"?{v} is {self.term(nu[v])} there, {self.term(mu[v])} before"
            for v in sorted(mu) if v in nu and mu[v] != nu[v]
        )

    def needed(
        self, mu: SolutionMapping, nu: SolutionMapping, needed: frozenset[Variable]
    ) -> str:
        """The values that a condition sees."""
        both = mu.merge(nu)
        return ", ".join(
            f"?{v} = {self.term(both[v])}" if v in both else f"?{v} unbound" for v in sorted(needed)
        )


def events_of_match(atom: Atom, instant: Instant, context: Context) -> list[tuple[str, Event]]:
    """The events at which the GPMs of Ψ stand, each with the GPM's name (N! for a negation)."""
    found: list[tuple[str, Event]] = []
    match atom:
        case Reference(name):
            found += [(name, e) for e in _events(name, instant, context)
                      if context.graph_pattern(context.gpms[name], e.graph)]
        case Negation(operand):
            found += [(f"{operand.name}!", e) for e in _events(operand.name, instant, context)]
        case OptionalEvent(operand):
            found += events_of_match(operand, instant, context) or events_of_match(
                Negation(operand), instant, context
            )
        case Conjunction(operands) | Disjunction(operands):
            for each in operands:
                found += events_of_match(each, instant, context)
        case KleenePlus(repeated):
            found += events_of_match(repeated, instant, context)
    return found


def _events(name: str, instant: Instant, context: Context) -> list[Event]:
    return [e for e in context.streamset(context.gpms[name].stream) if e.time == instant]

