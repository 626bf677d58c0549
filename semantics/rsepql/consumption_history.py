"""Event patterns at one evaluation time after the other (RSEP-QL 4.4, Defs. 8 to 10).

The units that a policy consumes at t_{i−1} are lost for t_i: (12) matches E against
I_i = 𝒫(E, t_i, I_{i−1}, Δ_i), which lacks the units of I_{i−1} that matched E at t_{i−1}. So I_i is
defined by recursion on i, for each event pattern.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from rdflib.term import URIRef

from ..model.trees import find, outermost
from .consumption import InputStructure, units, used
from .context import EvaluationContext
from .dataset import Stream, StreamingDataset
from .event_mappings import Events
from .event_patterns import event_pattern, match_pattern
from .graph_patterns import Matching
from .syntax.readings import Readings
from .syntax.tree import ConsumptionPolicy, Event, EventPattern, MatchPattern, RsepqlQuery
from .window_functions import Identity

_REMEMBERED = 4
"""Values of the recursion that are kept: those of t_i and t_{i−1}, with room."""


class History:
    """⟦MATCH E⟧ of a query at t_0, t_1, …, the evaluation times `times` in increasing order."""

    def __init__(
        self, query: RsepqlQuery, sds: StreamingDataset, times: Sequence[int], readings: Readings
    ) -> None:
        self.at_times = {t: i for i, t in enumerate(times)}
        # The address identifies a pattern. A pattern that a tree holds twice is evaluated once.
        self.patterns = {
            id(each.event): EventHistory(each.event, query.consumption, sds, times, readings)
            for each in find(query.form, MatchPattern)
        }

    def at(self, t: int) -> Matching:
        """(8) at t = t_i. All patterns are evaluated, as the next I_i asks for it."""
        i = self.at_times[t]
        matches = {
            address: match_pattern(each.events(i)) for address, each in self.patterns.items()
        }
        return lambda e: matches[id(e)]


class EventHistory:
    """⟨⟨E⟩⟩_{W^id} of an event pattern at t_0, t_1, …

    Ask for i in increasing order: the values of the recursion at i and i−1 are remembered.
    """

    def __init__(
        self, e: EventPattern, policy: ConsumptionPolicy, sds: StreamingDataset,
        times: Sequence[int], readings: Readings,
    ) -> None:
        self.e, self.sds, self.times, self.readings = e, sds, times, readings
        self.consuming = policy is not ConsumptionPolicy.UNRESTRICTED
        self.windows = frozenset[URIRef](event.window for event in outermost(e, Event))
        for each in ("events", "context", "available", "content", "held"):
            setattr(self, each, lru_cache(_REMEMBERED)(getattr(self, each)))

    def events(self, i: int) -> Events:
        """⟨⟨E⟩⟩_{W^id}^{t_i}"""
        return event_pattern(self.e, Identity(), self.context(i))

    def context(self, i: int) -> EvaluationContext:
        """Return the inputs of E at t_i: W_j(S_ℓ, t_i), and I_i(w_j) under a policy."""
        t = self.times[i]
        left = self.available(i) if self.consuming else None
        return EvaluationContext(t, self.held(i), self.sds.graphs(t), self.readings, left)

    def held(self, i: int) -> Mapping[URIRef, Stream]:
        """W_j(S_ℓ, t_i) of the windows that E names."""
        return {w: self.sds.windows[w].at(self.times[i]) for w in self.windows}

    def available(self, i: int) -> InputStructure:
        """Def. 10: I_i = 𝒫(E, t_i, I_{i−1}, Δ_i), for 𝒫^c and 𝒫^r

        It contains Δ_i(w_j), and of I_{i−1}(w_j) what did not match E at t_{i−1} and is still in
        the window.
        """
        if i == 0:
            return self.content(i)
        before, matched = self.available(i - 1), self.used(i - 1)
        return {
            w: new | ((before[w] - matched[w]) & self.content(i)[w])
            for w, new in self.delta(i).items()
        }

    def delta(self, i: int) -> InputStructure:
        r"""Def. 9: Δ_i(w_j) = SDS_{w_j}(t_i) \ SDS_{w_j}(t_{i−1})"""
        return {w: held - self.content(i - 1)[w] for w, held in self.content(i).items()}

    def content(self, i: int) -> InputStructure:
        """SDS_{w_j}(t_i), in units."""
        return {
            w: units(held, self.readings.consumption)
            for w, held in self.held(i).items()
        }

    def used(self, i: int) -> InputStructure:
        """Return the units of I_i(w_j) that matched E at t_i."""
        return used(self.events(i), self.windows, self.readings.consumption)
