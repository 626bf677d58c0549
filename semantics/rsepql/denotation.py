"""What an RSEP-QL query means: the definitions of the paper's sections 3 and 4.

| definition | function |
|---|---|
| Def. 3, window functions | `streams.windows`, `windows.window` |
| Defs. 2 and 4, time-varying graphs and datasets | `dataset.StreamingDataset`, `snapshot` |
| Def. 5, queries | `evaluate` |
| Def. 5, ET | `evaluation_times.evaluation_times`, `streams.reports` |
| Def. 6, (1) to (3), graph patterns | `graph_patterns`, `rdf.evaluation` |
| Def. 7, (4) to (8), event patterns | `event_patterns.basic`, `first`, `last`, `sequence`, \
`match_pattern` |
| (9) to (11), selection policies | `event_patterns.naive_sequence`, \
`chronological_sequence`, `recent_sequence` |
| Defs. 8 to 10, (12), consumption policies | `consumption`, `scene.Scene.solutions` |

Where the paper is silent or contradicts itself, docs/semantics/rsepql.md says what we rule and
which case proves it. Slow on purpose: every evaluation time starts afresh.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rdflib.term import BNode, URIRef, Variable

from ..model.items import TimestampedGraph
from ..model.mappings import SolutionMapping
from ..model.terms import Dataset, Graph, Term
from ..rdf import translation
from ..rdf.evaluation import Evaluation as Active
from ..rdf.evaluation import evaluate_algebra
from ..rdf.expressions.context import Execution
from ..rdf.queries import construct, description
from ..rdf.syntax.tree import AskQuery, ConstructQuery, DescribeQuery, SelectQuery, SparqlQuery
from ..rdf.syntax.variables import in_scope
from .consumption import Evaluated, available, units, used
from .dataset import Elements, StreamingDataset, streaming_dataset
from .evaluation_times import evaluation_times
from .event_mappings import Events
from .event_patterns import event_pattern, match_pattern
from .graph_patterns import at_instant
from .scene import Scene
from .stream_operators import dstream, istream, rstream
from .syntax.evaluation import Evaluation
from .syntax.readings import Readings
from .syntax.results import Solutions, TimedAnswer
from .syntax.tree import ConsumptionPolicy, EventPattern, RsepqlQuery, StreamOperator, events
from .window_functions import Identity

_OPERATORS = {
    StreamOperator.RSTREAM: rstream,
    StreamOperator.ISTREAM: istream,
    StreamOperator.DSTREAM: dstream,
}


def evaluate(
    query: RsepqlQuery,
    streams: Mapping[URIRef, Sequence[TimestampedGraph]],
    kb: Mapping[URIRef, Graph] | None = None,
    readings: Readings | None = None,
    evaluation: Evaluation | None = None,
) -> Iterator[TimedAnswer]:
    """Def. 5: the answers of Q = (SE, SDS, ET, QF), one for each t_i ∈ ET with something to say
    (for each at all, if `evaluation` asks for empty ones).

    `kb` are the background graphs by name, `evaluation` is ET. The stream operator is applied to
    bags of solutions, the query form to what it lets through. Raises StreamError if a stream is
    none by Def. 1, QueryError if the query does not suit the streams and graphs.
    """
    evaluation = evaluation or Evaluation()
    query = evaluation.applied_to(query)
    before: Solutions = ()
    for t, dataset, omega in answers(query, streams, kb, readings, evaluation):
        reported = _OPERATORS[query.operator](omega, before)
        before = omega
        content = formed(query.form, reported, dataset)
        if content or isinstance(content, bool) or evaluation.empty:
            yield TimedAnswer(t, content)


def answers(
    query: RsepqlQuery,
    streams: Mapping[URIRef, Sequence[TimestampedGraph]],
    kb: Mapping[URIRef, Graph] | None = None,
    readings: Readings | None = None,
    evaluation: Evaluation | None = None,
) -> Iterator[tuple[int, Dataset, Solutions]]:
    """For each t_i ∈ ET the snapshots, and the bag of solutions before the stream operator."""
    readings = readings or Readings()
    evaluation = evaluation or Evaluation()
    query = evaluation.applied_to(query)
    sds = streaming_dataset(query, streams, kb or {})
    history = History(query, sds, readings)
    for t in evaluation_times(sds, evaluation):
        dataset = sds.at(t)
        matching = history.at(t, dataset)
        form = at_instant(query.form, list(sds.windows), matching)
        yield t, dataset, solutions(form, dataset, readings)


class History:
    """MATCH at one evaluation time after the other: what a policy consumes is lost for the next.

    Each event pattern has its own input structure (Def. 8).
    """

    def __init__(self, query: RsepqlQuery, sds: StreamingDataset, readings: Readings) -> None:
        self.sds = sds
        self.readings = readings
        self.consuming = query.consumption is not ConsumptionPolicy.UNRESTRICTED
        self._evaluated: dict[EventPattern, Evaluated] = {}

    def at(self, t: int, dataset: Dataset) -> _Matching:
        """MATCH at t, for the t_i in their order."""
        return _Matching(self, t, dataset)

    def scene(self, e: EventPattern, t: int, dataset: Dataset) -> Scene:
        """What E is evaluated over at t: 𝒫(E, t, I_{i−1}, Δ_i) of its windows."""
        names = {event.window for event in events(e)}
        contents = {w: self.sds.windows[w].at(t) for w in names}
        if not self.consuming:
            return Scene(t, contents, dataset, self.readings)
        held = {w: units(each, self.readings.consumption) for w, each in contents.items()}
        before = self._evaluated.get(e, Evaluated())
        return Scene(t, contents, dataset, self.readings, available(held, before))

    def remember(self, e: EventPattern, scene: Scene, found: Events) -> None:
        """I_i of E, and what took part in a match at t_i."""
        if scene.input is not None:
            held = {
                w: units(each, self.readings.consumption) for w, each in scene.contents.items()
            }
            taken = used(found, scene.contents, self.readings.consumption)
            self._evaluated[e] = Evaluated(held, scene.input, taken)


class _Matching:
    """⟦MATCH E⟧^t, evaluated once a t for each E."""

    def __init__(self, history: History, t: int, dataset: Dataset) -> None:
        self._history = history
        self._t = t
        self._dataset = dataset
        self._known: dict[EventPattern, list[SolutionMapping]] = {}

    def __call__(self, e: EventPattern) -> list[SolutionMapping]:
        """(8)"""
        if e not in self._known:
            scene = self._history.scene(e, self._t, self._dataset)
            found = event_pattern(e, Identity(), scene)
            self._history.remember(e, scene, found)
            self._known[e] = match_pattern(found)
        return self._known[e]


def solutions(form: SparqlQuery, dataset: Dataset, readings: Readings) -> Solutions:
    """The bag of solutions of a query form at t; in order, if it has ORDER BY."""
    execution = Execution(form.prologue.base, readings.exists == "substituted")
    active = Active(dataset, dataset.default, execution)
    if isinstance(form, SelectQuery):
        return tuple(evaluate_algebra(translation.translate_select(form), active))
    pattern = translation.translate_modified(form, (), None)
    return tuple(evaluate_algebra(translation.sliced(pattern, form.modifier), active))


def formed(form: SparqlQuery, omega: Solutions, dataset: Dataset) -> Solutions | bool | Graph:
    """QF: what a query form makes of a bag of solutions (SPARQL 1.1 Query, 16).

    DESCRIBE describes by all that the dataset holds at t.
    """
    match form:
        case SelectQuery():
            return omega
        case AskQuery():
            return bool(omega)
        case ConstructQuery(template):
            return construct(template, omega)
        case DescribeQuery(targets, where):
            if targets is None:
                targets = in_scope(where) if where is not None else ()
            resources: set[Term] = set()
            for target in targets:
                if isinstance(target, Variable):
                    values = (mu.get(target) for mu in omega)
                    resources.update(v for v in values if isinstance(v, URIRef | BNode))
                elif omega:
                    resources.add(target)
            return description(resources, _everything(dataset))


def _everything(dataset: Dataset) -> Graph:
    windows = dataset.named.windows if isinstance(dataset.named, Elements) else {}
    return dataset.default.union(*dataset.named.values(), *windows.values())
