"""The semantics of an RSEP-QL query: the definitions of the paper's sections 3 and 4.

Def. 5 is here: Q = (SE, SDS, ET, QF). What it speaks of is found by semantics/README.md: datasets
and windows (Defs. 2 to 4), event patterns (4) to (11), consumption policies (Defs. 8 to 10).

Where the paper is silent or contradicts itself, docs/semantics/rsepql.md says what we rule and
which case proves it. Slow on purpose: every evaluation time starts afresh.

Stream operators (RSP-QL, R2S) return what of the answer at t_i is new, given that at t_{i−1}.
Answers are bags, here sequences; of what an operator leaves out, the later copies go first, so that
the order of an answer is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TypeVar

from rdflib.term import URIRef

from ..model.items import TimestampedGraph
from ..model.terms import Graph
from ..rdf.evaluation import evaluate_algebra
from ..rdf.expressions.context import Execution
from ..rdf.queries import algebra, construct, description, resources
from ..rdf.syntax.tree import AskQuery, ConstructQuery, DescribeQuery, SelectQuery, SparqlQuery
from .clauses import streaming_dataset
from .consumption_history import History
from .dataset import Snapshots
from .evaluation_times import evaluation_times
from .graph_patterns import over
from .syntax.evaluation import Evaluation
from .syntax.readings import Readings
from .syntax.results import Solutions, TimedAnswer
from .syntax.tree import RsepqlQuery, StreamOperator

A = TypeVar("A", bound=Hashable)


def rstream(now: Sequence[A], before: Sequence[A]) -> tuple[A, ...]:
    """RSTREAM: Ω_i."""
    return tuple(now)


def istream(now: Sequence[A], before: Sequence[A]) -> tuple[A, ...]:
    r"""ISTREAM: Ω_i \ Ω_{i−1}, with multiplicities

    >>> istream(["a", "b", "b"], ["b"])
    ('a', 'b')
    """
    return difference(now, before)


def dstream(now: Sequence[A], before: Sequence[A]) -> tuple[A, ...]:
    r"""DSTREAM: Ω_{i−1} \ Ω_i, with multiplicities"""
    return difference(before, now)


def difference(left: Sequence[A], right: Sequence[A]) -> tuple[A, ...]:
    """Return the difference of two bags: card(a) = max(0, card_left(a) − card_right(a))."""
    kept = Counter(left) - Counter(right)
    result = []
    for element in left:
        if kept[element] > 0:
            kept[element] -= 1
            result.append(element)
    return tuple(result)


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
) -> Iterator[tuple[int, Snapshots, Solutions]]:
    """For each t_i ∈ ET the snapshots, and the bag of solutions before the stream operator."""
    readings = readings or Readings()
    evaluation = evaluation or Evaluation()
    query = evaluation.applied_to(query)
    sds = streaming_dataset(query, streams, kb or {})
    times = evaluation_times(sds, evaluation)
    history = History(query, sds, times, readings)
    P = algebra(query.form)
    for t in times:
        snapshots = sds.at(t)
        execution = Execution(query.form.prologue.base, readings.exists == "substituted")
        active = over(snapshots, execution, history.at(t))
        yield t, snapshots, tuple(evaluate_algebra(P, active))


def formed(form: SparqlQuery, omega: Solutions, snapshots: Snapshots) -> Solutions | bool | Graph:
    """QF: what a query form makes of a bag of solutions (SPARQL 1.1 Query, 16).

    DESCRIBE describes by all that the dataset holds at t, if there is any solution.
    """
    match form:
        case SelectQuery():
            return omega
        case AskQuery():
            return bool(omega)
        case ConstructQuery(template):
            return construct(template, omega)
        case DescribeQuery():
            return description(resources(form, omega) if omega else (), everything(snapshots))


def everything(snapshots: Snapshots) -> Graph:
    """Return all graphs and snapshots of windows together."""
    return snapshots.default.union(*snapshots.named.values(), *snapshots.windows.values())
