"""Event patterns at one evaluation time after the other (RSEP-QL 4.4).

What a policy consumes at t_{i−1} is lost for t_i: (12) looks at I_i = 𝒫(E, t_i, I_{i−1}, Δ_i).
"""

from __future__ import annotations

from rdflib.term import URIRef

from ..model.terms import Dataset
from ..model.trees import find, outermost, remembering
from .consumption import Evaluated, available, units, used
from .dataset import StreamingDataset
from .event_mappings import Events
from .event_patterns import event_pattern, match_pattern
from .graph_patterns import Matching
from .scene import Scene
from .syntax.readings import Readings
from .syntax.tree import ConsumptionPolicy, Event, EventPattern, MatchPattern, RsepqlQuery
from .window_functions import Identity


class History:
    """MATCH at one evaluation time after the other: what a policy consumes is lost for the next.

    Each event pattern has its own input structure (Def. 8). A pattern is told by its address, and
    kept so that the address stays its own.
    """

    def __init__(self, query: RsepqlQuery, sds: StreamingDataset, readings: Readings) -> None:
        self.sds = sds
        self.readings = readings
        # One that a tree holds twice is evaluated once at each time.
        self._patterns = {id(e.event): e.event for e in find(query.form, MatchPattern)}.values()
        self.consuming = query.consumption is not ConsumptionPolicy.UNRESTRICTED
        self._evaluated: dict[int, tuple[EventPattern, Evaluated]] = {}

    def at(self, t: int, dataset: Dataset) -> Matching:
        """(8) at t, for the t_i in their order: what is consumed does not turn on what is asked."""
        matches = {id(e): match_pattern(self.events(e, t, dataset)) for e in self._patterns}
        return lambda e: matches[id(e)]

    def events(self, e: EventPattern, t: int, dataset: Dataset) -> Events:
        """⟨⟨E⟩⟩_{W^id}^t, for the t_i in their order."""
        scene = self.scene(e, t, dataset)
        found = event_pattern(e, Identity(), scene)
        self.remember(e, scene, found)
        return found

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
