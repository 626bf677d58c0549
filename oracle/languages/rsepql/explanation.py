"""Why an RSEP-QL query has an answer or has it not: the events of its MATCHes, by the equations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from rdflib.term import URIRef

from ....semantics.model.errors import Impossible
from ....semantics.model.items import TimestampedGraph
from ....semantics.model.mappings import EMPTY_MAPPING, SolutionMapping
from ....semantics.model.terms import Dataset
from ....semantics.rdf.syntax.shortening import Shortener
from ....semantics.rsepql.analysis import embedded
from ....semantics.rsepql.dataset import StreamingDataset, streaming_dataset
from ....semantics.rsepql.denotation import History
from ....semantics.rsepql.evaluation_times import evaluation_times
from ....semantics.rsepql.event_mappings import EventMapping, Events, distinct
from ....semantics.rsepql.event_patterns import event_pattern, preceding
from ....semantics.rsepql.scene import Scene
from ....semantics.rsepql.syntax import tree as s
from ....semantics.rsepql.syntax.evaluation import Evaluation
from ....semantics.rsepql.syntax.printing import event_to_text
from ....semantics.rsepql.syntax.readings import Readings
from ....semantics.rsepql.syntax.tree import RsepqlQuery
from ....semantics.rsepql.window_functions import Identity, Window
from ...cases.tasks import Task
from ...cases.turtle_terms import shortened
from ...explanations.asked import comparable
from ...results.json_objects import sort_key
from .language import varying

_MOST = 3

_CHOICES = {
    s.SequenceOperator.CHRONOLOGICAL: ("first", "(10)"),
    s.SequenceOperator.RECENT: ("last", "(11)"),
}


@dataclass(frozen=True)
class Evaluated:
    """What every MATCH of a query found at an evaluation time."""

    dataset: Dataset
    scenes: dict[s.EventPattern, Scene] = field(default_factory=dict)
    found: dict[s.EventPattern, Events] = field(default_factory=dict)


class Explanation:
    """One query on its streams, replayed from evaluation to evaluation."""

    def __init__(self, task: Task) -> None:
        self.task = task
        evaluation = Evaluation.of(task.evaluation)
        self.query: RsepqlQuery = evaluation.applied_to(task.tree)
        self.readings: Readings = task.readings
        self.prefixes = {**task.prefixes, **task.language.prefixes(self.query)}
        self._shorten = Shortener(self.query.prologue)
        self.query, streams, kb = varying(self.query, task.streams, task.kb)
        finite = {iri: tuple(stream) for iri, stream in streams.items()}
        self.sds: StreamingDataset = streaming_dataset(self.query, finite, kb)
        self.patterns = [
            each.event for each in embedded(self.query.form) if isinstance(each, s.MatchPattern)
        ]
        history = History(self.query, self.sds, self.readings)
        self.evaluated: dict[int, Evaluated] = {}
        for t in evaluation_times(self.sds, evaluation):
            at = self.evaluated[t] = Evaluated(self.sds.at(t))
            for e in dict.fromkeys(self.patterns):
                scene = at.scenes[e] = history.scene(e, t, at.dataset)
                found = event_pattern(e, Identity(), scene)
                history.remember(e, scene, found)
                at.found[e] = distinct(found)

    # --- why ---

    def answer(self, t: int, mu: SolutionMapping, copy: int = 0) -> Iterator[str]:
        """What of the query's patterns makes μ an answer at t; `copy` counts equal answers."""
        at = self.evaluated[t]
        for e in self.patterns:
            events = self._compatible(at.found[e], mu)
            if len(self.patterns) == 1 and copy < len(events):
                events = events[copy : copy + 1]  # a mapping is there once an interval (8)
            for event in events[:_MOST]:
                yield f"MATCH finds it over {self._span(event)} (8):"
                for line in self._derived(e, event, Identity(), at.scenes[e], EMPTY_MAPPING):
                    yield f"  {line}"
            if len(events) > _MOST:
                yield f"… and over {len(events) - _MOST} more intervals."
        yield from self._windows(t)

    def _derived(
        self, e: s.EventPattern, event: EventMapping, active: Window, scene: Scene,
        mu: SolutionMapping,
    ) -> Iterator[str]:
        """One derivation of an event mapping."""
        match e:
            case s.Event():
                yield (
                    f"{self._text(e)} matches a graph at {self._at(event.start)}, with"
                    f" {self._mapping(event.mu)} (4)"
                )
            case s.First(operand) | s.Last(operand):
                yield from self._derived(operand, event, active, scene, mu)
                word, number = ("first", "(5)") if isinstance(e, s.First) else ("last", "(6)")
                count = len(distinct(event_pattern(operand, active, scene, mu)))
                yield (
                    f"It is the {word} of {self._counted(count)}"
                    f" (order={self.readings.order}) {number}"
                )
            case s.Sequence(operator, e1, e2):
                one, two, inner = self._parts(e, event, active, scene, mu)
                yield from self._derived(e1, one, inner, scene, mu.merge(two.mu))
                yield from self._derived(e2, two, active, scene, mu)
                yield from self._linked(operator, e1, e2, one, two, active, scene, mu)

    def _parts(
        self, e: s.Sequence, event: EventMapping, active: Window, scene: Scene,
        mu: SolutionMapping,
    ) -> tuple[EventMapping, EventMapping, Window]:
        """(μ1, t1, t2) and (μ2, t3, t4) of an event mapping of a sequence."""
        from ....semantics.rsepql.event_patterns import up_to

        for two in event_pattern(e.right, active, scene, mu):
            for one in self._before(e, two, active, scene, mu):
                joined = one.mu.merge(two.mu)
                if (one.start, two.end) == event.span and joined == event.mu:
                    return one, two, up_to(two.start, active)
        raise Impossible("a sequence without its parts")

    def _before(
        self, e: s.Sequence, two: EventMapping, active: Window, scene: Scene, mu: SolutionMapping
    ) -> Sequence[EventMapping]:
        if e.operator is s.SequenceOperator.NAIVE:
            return [
                one for one in event_pattern(s.Last(e.left), active, scene, mu)
                if one.mu.compatible(two.mu) and one.end < two.start
            ]
        chosen = e.left
        if e.operator is s.SequenceOperator.CHRONOLOGICAL:
            chosen = s.First(e.left)
        elif e.operator is s.SequenceOperator.RECENT:
            chosen = s.Last(e.left)
        return list(preceding(chosen, two, active, scene, mu))

    def _linked(
        self, operator: s.SequenceOperator, e1: s.EventPattern, e2: s.EventPattern,
        one: EventMapping, two: EventMapping, active: Window, scene: Scene, mu: SolutionMapping,
    ) -> Iterator[str]:
        yield f"The one ends at {self._at(one.end)}, before the other begins: {operator} " + {
            s.SequenceOperator.UNRESTRICTED: "(7)", s.SequenceOperator.NAIVE: "(9), both are last"
        }.get(operator, _CHOICES.get(operator, ("", ""))[1])
        if operator in _CHOICES:
            word, _ = _CHOICES[operator]
            earlier = len(distinct(preceding(e1, two, active, scene, mu)))
            rivals = self._rivals(e1, e2, two, active, scene, mu)
            yield (
                f"Of what precedes the other ({self._counted(earlier)}) it is the {word}; of its"
                f" rivals ({self._counted(len(rivals))}, rivals={self.readings.rivals}) the other"
                f" is the {word}"
            )

    def _rivals(
        self, e1: s.EventPattern, e2: s.EventPattern, two: EventMapping, active: Window,
        scene: Scene, mu: SolutionMapping,
    ) -> list[EventMapping]:
        same = self.readings.rivals == "same"
        return [
            each for each in distinct(event_pattern(e2, active, scene, mu))
            if (not same or each.mu == two.mu) and preceding(e1, each, active, scene, mu)
        ]

    # --- why not ---

    def absence(self, t: int | None, mu: SolutionMapping) -> Iterator[str]:
        """What keeps μ from being an answer at t, or, t not being given, at the last time."""
        if t is None:
            t = max(self.evaluated, default=None)
            if t is None:
                yield "The query is never evaluated (Def. 5)."
                return
            yield f"At {self._at(t)}, when it is evaluated last:"
        mu = comparable(mu)
        at = self.evaluated.get(t)
        if at is None:
            times = ", ".join(map(self._at, list(self.evaluated)[:10])) or "never"
            yield f"The query is not evaluated at {self._at(t)} (Def. 5): it is at {times}."
            return
        yield from self._windows(t)
        for e in self.patterns:
            events = self._compatible(at.found[e], mu)
            if events:
                yield (
                    f"MATCH has it, over {self._span(events[0])} (8); what else the query says"
                    " (its other patterns, filters, modifiers, stream operator) drops it."
                )
            else:
                yield from self._lacking(e, mu, Identity(), at.scenes[e])

    def _lacking(
        self, e: s.EventPattern, mu: SolutionMapping, active: Window, scene: Scene
    ) -> Iterator[str]:
        """Why E has no event that agrees with μ."""
        match e:
            case s.Event():
                yield from self._no_graph(e, mu, active, scene)
            case s.First(operand) | s.Last(operand):
                events = self._compatible(event_pattern(operand, active, scene), mu)
                if not events:
                    yield from self._lacking(operand, mu, active, scene)
                    return
                word = "FIRST" if isinstance(e, s.First) else "LAST"
                yield f"There is one over {self._span(events[0])}, but {word} chooses another."
            case s.Sequence(operator, e1, e2):
                later = self._compatible(event_pattern(e2, active, scene), mu)
                if not later:
                    yield from self._lacking(e2, mu, active, scene)
                    return
                yield from self._no_pair(operator, e1, later, mu, active, scene)

    def _no_pair(
        self, operator: s.SequenceOperator, e1: s.EventPattern, later: list[EventMapping],
        mu: SolutionMapping, active: Window, scene: Scene,
    ) -> Iterator[str]:
        for two in later[:_MOST]:
            earlier = self._compatible(preceding(e1, two, active, scene, EMPTY_MAPPING), mu)
            where = f"the later event over {self._span(two)}, with {self._mapping(two.mu)}"
            free = replace(scene, input=None, known={})
            if not earlier and self._compatible(
                preceding(e1, two, active, free, EMPTY_MAPPING), mu
            ):
                yield f"What precedes {where} has been consumed (12): {self._text(e1)}"
            elif not earlier:
                yield f"Nothing compatible precedes {where} (7): {self._text(e1)}"
            else:
                word = _CHOICES.get(operator, ("last of all", "(9)"))
                yield (
                    f"{self._span(earlier[0])} precedes {where}, but {operator} asks for the"
                    f" {word[0]} {word[1]}."
                )

    def _no_graph(
        self, e: s.Event, mu: SolutionMapping, active: Window, scene: Scene
    ) -> Iterator[str]:
        items = active(scene.contents[e.window], scene.t)
        unrestricted = replace(scene, input=None, known={})
        consumed = [
            item for item in items
            if any(nu.compatible(mu) for nu, _ in self._matches(e, item, unrestricted))
        ]
        if consumed:
            times = ", ".join(self._at(item.time) for item in consumed[:_MOST])
            yield f"{self._text(e)} matched at {times}, but that was consumed (12)."
            return
        yield f"{self._text(e)} matches no graph of its window that way (4)."

    @staticmethod
    def _matches(
        e: s.Event, item: TimestampedGraph, scene: Scene
    ) -> list[tuple[SolutionMapping, object]]:
        return list(scene.solutions(e, item, EMPTY_MAPPING))

    # --- words ---

    def _windows(self, t: int) -> Iterator[str]:
        for name, windowed in self.sds.windows.items():
            times = [self._at(item.time) for item in windowed.at(t)]
            shown = ", ".join(times[:10]) + (", …" if len(times) > 10 else "")
            held = f"the graphs at {shown}" if times else "no graph"
            yield f"The window {self._iri(name)} holds {held} (Def. 3)."

    def _compatible(self, events: Events, mu: SolutionMapping) -> list[EventMapping]:
        fitting = [each for each in distinct(events) if each.mu.compatible(mu)]
        return sorted(fitting, key=lambda each: (each.end, each.start, sort_key(each.mu)))

    def _iri(self, iri: URIRef) -> str:
        return shortened(iri, self.prefixes)

    def _text(self, e: s.EventPattern) -> str:
        return self._shorten(event_to_text(e))

    def _mapping(self, mu: SolutionMapping) -> str:
        pairs = ", ".join(
            f"?{v} = {shortened(value, self.prefixes)}"
            for v, value in sorted(mu.items()) if not isinstance(value, tuple)
        )
        return pairs or "nothing bound"

    def _at(self, time: int) -> str:
        return self.task.shown_instant(time)

    def _span(self, event: EventMapping) -> str:
        return f"[{self._at(event.start)}, {self._at(event.end)}]"

    @staticmethod
    def _counted(count: int) -> str:
        return "1 event" if count == 1 else f"{count} events"


__all__ = ["Explanation"]
