"""Explanations of CQELS-CEP results: cases (1) and (2), and stream operators."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from .....semantics.cqels.denotation import Scene, projected, query_at, where
from .....semantics.cqels.event_clauses import translated
from .....semantics.cqels.queries import scenes
from .....semantics.cqels.syntax.tree import CqelsQuery
from .....semantics.model.interval_solutions import IntervalResult, IntervalSolution, Reported
from .....semantics.model.items import IntervalGraph
from .....semantics.model.mappings import EMPTY_MAPPING, SolutionMapping
from .....semantics.model.shown import text_of
from .....semantics.model.stream_operator import StreamOperator
from .....semantics.rdf.isomorphism import isomorphic
from .....semantics.rdf.queries import construct
from ....explanations.derivations import Goal, Premise, Step, Way, check
from ....explanations.intervals import IntervalExplainer
from ....explanations.requested_rows import RequestedRow, comparable
from ..language import evaluation_times
from .at import At


class CqelsExplainer(IntervalExplainer):
    """The explainer of one case's results."""

    @cached_property
    def scenes(self) -> list[Scene]:
        case = self.case
        return list(scenes(
            case.tree, case.streams, case.kb, case.readings, evaluation_times(case.evaluation)
        ))

    # --- results --------------------------------------------------------------------------------

    def presence(self, number: int) -> Goal:
        result: IntervalResult = self.results[number - 1]
        at = result.time if isinstance(result, Reported) else None
        element = result.element if isinstance(result, Reported) else result
        operator = self.case.tree.operator

        def ways() -> Iterator[Way]:
            for place, scene in enumerate(self.scenes):
                if at not in (None, scene.t):
                    continue
                # DSTREAM emits solutions of the previous evaluation.
                source = self.scenes[place - 1] if operator is StreamOperator.DSTREAM else scene
                for solution in self.answers(source):
                    if self.makes(solution, element):
                        yield Way(
                            f"It is a solution at {self.words.instant(source.t)} (case (1))",
                            (self.whole(solution, source), *self.emission(solution, place)),
                            frames=tuple(At(self.words, self.case.tree, source).frames()),
                        )

        return Goal(ways)

    def answers(self, scene: Scene) -> list[IntervalSolution]:
        return sorted(query_at(self.case.tree, scene), key=lambda each: (each.end, each.start))

    def makes(self, solution: IntervalSolution, element: object) -> bool:
        """Return whether SELECT or CONSTRUCT returns a result for a solution."""
        if not isinstance(element, IntervalGraph):
            return solution == element
        made = construct(self.case.tree.template, [solution.mapping])
        return solution.interval == (element.start, element.end) and (
            isomorphic(made, element.graph)
        )

    def whole(self, solution: IntervalSolution, scene: Scene) -> Goal:
        """Return the goal of the solution of WHERE whose projection is this solution."""
        query: CqelsQuery = self.case.tree
        patterns = At(self.words, query, scene)
        full = next(
            each for each in sorted(
                where(translated(query), scene), key=lambda each: (each.start, each.end)
            )
            if each.end == solution.end and solution.mapping in {
                made.mapping for made in projected(frozenset({each}), query.select, scene)
            }
        )
        return patterns.group(
            query.where, full.mapping, lambda found: found.interval == full.interval
        )

    def emission(self, solution: IntervalSolution, place: int) -> Iterator[Step]:
        """Yield the comparison by ISTREAM or DSTREAM with the previous evaluation."""
        operator = self.case.tree.operator
        if operator in (None, StreamOperator.RSTREAM):
            return
        now, before = self.scenes[place], self.scenes[place - 1] if place else None
        at = "" if before is None else f" at {self.words.instant(before.t)}"
        if operator is StreamOperator.ISTREAM:
            yield check(
                before is None or solution not in self.answers(before),
                true=f"ISTREAM emits it: it was not a solution{at or ' before'}",
                false=f"ISTREAM does not emit it: it was already a solution{at}",
            )
        else:
            yield check(
                solution not in self.answers(now),
                true=f"DSTREAM emits it at {self.words.instant(now.t)}: it is no longer a solution",
                false="DSTREAM does not emit it: it is still a solution",
            )

    def absence(self, request: RequestedRow) -> Goal:
        interval, at = request.when.get("interval"), request.when.get("at")
        query: CqelsQuery = self.case.tree
        mu = comparable(request.mu) if query.template is None else EMPTY_MAPPING

        def ways() -> Iterator[Way]:
            wanted = at if at is not None else interval and interval[1]
            if not self.scenes:
                return
            place = next(
                (i for i, scene in enumerate(self.scenes) if wanted is not None
                 and scene.t >= wanted), len(self.scenes) - 1
            )
            scene = self.scenes[place]
            patterns = At(self.words, query, scene)
            yield Way(
                premises=self.premises(patterns, mu, request, place),
                context=f"At {self.words.instant(scene.t)}",
                frames=tuple(patterns.frames()),
            )

        return Goal(ways, "The query is never evaluated: the streams have no items")

    def premises(
        self, patterns: At, mu: SolutionMapping, request: RequestedRow, place: int
    ) -> Iterator[Premise]:
        scene, query = self.scenes[place], patterns.query
        for clause in query.windows:
            content = ", ".join(patterns.content(clause.name)) or "no items"
            yield Step(
                f"The window {self.words.term(clause.name)} [{text_of(clause.function)}]"
                f" contains {content} (section 4.1)"
            )
        interval = request.when.get("interval")
        yield patterns.group(
            query.where, mu.project(frozenset(self.words.columns)),
            lambda found: interval in (None, found.interval),
            f"over {self.words.interval(interval)}" if interval is not None else "",
        )
        for solution in self.answers(scene):
            if solution.mapping.compatible(mu) and interval in (None, solution.interval):
                yield from self.emission(solution, place)
        if query.template is not None:
            yield check(False, false="CONSTRUCT makes no such triple from the solutions of WHERE")
        at = request.when.get("at")
        yield check(at in (None, scene.t), false="the query is not evaluated at"
                   f" {self.words.instant(at)}")
        yield check(False, false="the SELECT clause projects it to another solution")
