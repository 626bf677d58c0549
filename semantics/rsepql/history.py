"""Event patterns at one evaluation time after the other (RSEP-QL 4.4).

What a policy consumes at t_{i−1} is lost for t_i: (12) looks at I_i = 𝒫(E, t_i, I_{i−1}, Δ_i).
"""

from __future__ import annotations

from rdflib.term import URIRef

from ..model.mappings import SolutionMapping
from ..model.terms import Dataset
from ..model.trees import outermost, remembering
from .consumption import Evaluated, available, units, used
from .dataset import StreamingDataset
from .event_mappings import Events
from .event_patterns import event_pattern, match_pattern
from .scene import Scene
from .syntax.readings import Readings
from .syntax.tree import ConsumptionPolicy, Event, EventPattern, RsepqlQuery
from .window_functions import Identity


class History:
    """MATCH at one evaluation time after the other: what a policy consumes is lost for the next.

    Each event pattern has its own input structure (Def. 8). A pattern is told by its address, and
    kept so that the address stays its own.
    """

    def __init__(self, query: RsepqlQuery, sds: StreamingDataset, readings: Readings) -> None:
        self.sds = sds
        self.readings = readings
        self.consuming = query.consumption is not ConsumptionPolicy.UNRESTRICTED
        self._evaluated: dict[int, tuple[EventPattern, Evaluated]] = {}

    def at(self, t: int, dataset: Dataset) -> _Matching:
        """MATCH at t, for the t_i in their order."""
        return _Matching(self, t, dataset)

    def scene(self, e: EventPattern, t: int, dataset: Dataset) -> Scene:
        """What E is evaluated over at t: 𝒫(E, t, I_{i−1}, Δ_i) of its windows."""
        contents = {w: self.sds.windows[w].at(t) for w in _windows_of(e)}
        if not self.consuming:
            return Scene(t, contents, dataset, self.readings)
        held = {w: units(each, self.readings.consumption) for w, each in contents.items()}
        _, before = self._evaluated.get(id(e), (e, Evaluated()))
        return Scene(t, contents, dataset, self.readings, available(held, before))

    def remember(self, e: EventPattern, scene: Scene, found: Events) -> None:
        """I_i of E, and what took part in a match at t_i."""
        if scene.input is not None:
            held = {
                w: units(each, self.readings.consumption) for w, each in scene.contents.items()
            }
            taken = used(found, scene.contents, self.readings.consumption)
            self._evaluated[id(e)] = e, Evaluated(held, scene.input, taken)


@remembering
def _windows_of(e: EventPattern) -> frozenset[URIRef]:
    """The names of the windows that E looks at."""
    return frozenset(event.window for event in outermost(e, Event))


class _Matching:
    """⟦MATCH E⟧^t, evaluated once a t for each E."""

    def __init__(self, history: History, t: int, dataset: Dataset) -> None:
        self._history = history
        self._t = t
        self._dataset = dataset
        self._known: dict[int, tuple[EventPattern, list[SolutionMapping]]] = {}

    def __call__(self, e: EventPattern) -> list[SolutionMapping]:
        """(8)"""
        known = self._known.get(id(e))
        if known is None:
            scene = self._history.scene(e, self._t, self._dataset)
            found = event_pattern(e, Identity(), scene)
            self._history.remember(e, scene, found)
            known = self._known[id(e)] = e, match_pattern(found)
        return known[1]
