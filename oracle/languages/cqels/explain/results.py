"""Why a CQELS-CEP query has a result or has it not: cases (1) and (2), and what is reported."""

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
from ....explanations.asked import AskedRow, comparable
from ....explanations.derivations import Goal, Premise, Step, Way, checked
from ....explanations.intervals import IntervalExplainer
from ..language import evaluation_times
from .at import At


class CqelsExplainer(IntervalExplainer):
    """What can be said of one case's results."""

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
                # What DSTREAM reports was there at the time before.
                told = self.scenes[place - 1] if operator is StreamOperator.DSTREAM else scene
                for solution in self.answers(told):
                    if self.makes(solution, element):
                        yield Way(
                            f"It is found at {self.words.instant(told.t)} (case (1))",
                            (self.whole(solution, told), *self.reported(solution, place)),
                            frames=tuple(At(self.words, self.case.tree, told).frames()),
                        )

        return Goal(ways)

    def answers(self, scene: Scene) -> list[IntervalSolution]:
        return sorted(query_at(self.case.tree, scene), key=lambda each: (each.end, each.start))

    def makes(self, solution: IntervalSolution, element: object) -> bool:
        """Whether SELECT or CONSTRUCT makes a result of a solution."""
        if not isinstance(element, IntervalGraph):
            return solution == element
        made = construct(self.case.tree.template, [solution.mapping])
        return solution.interval == (element.start, element.end) and (
            isomorphic(made, element.graph)
        )

    def whole(self, solution: IntervalSolution, scene: Scene) -> Goal:
        """That the WHERE clause has a solution of which this one is the projection."""
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

    def reported(self, solution: IntervalSolution, place: int) -> Iterator[Step]:
        """What ISTREAM and DSTREAM compare with."""
        operator = self.case.tree.operator
        if operator in (None, StreamOperator.RSTREAM):
            return
        now, before = self.scenes[place], self.scenes[place - 1] if place else None
        at = "" if before is None else f" at {self.words.instant(before.t)}"
        if operator is StreamOperator.ISTREAM:
            yield checked(
                before is None or solution not in self.answers(before),
                true=f"ISTREAM reports it: it was not there{at or ' before'}",
                false=f"ISTREAM does not report it: it was there{at}, the time before",
            )
        else:
            yield checked(
                solution not in self.answers(now),
                true=f"DSTREAM reports it at {self.words.instant(now.t)}: it is there no more",
                false="DSTREAM does not report it: it is still there",
            )

    def absence(self, asked: AskedRow) -> Goal:
        interval, at = asked.when.get("interval"), asked.when.get("at")
        query: CqelsQuery = self.case.tree
        mu = comparable(asked.mu) if query.template is None else EMPTY_MAPPING

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
                premises=self.tried(patterns, mu, asked, place),
                supposing=f"At {self.words.instant(scene.t)}",
                frames=tuple(patterns.frames()),
            )

        return Goal(ways, "The query is never evaluated: no item arrives")

    def tried(
        self, patterns: At, mu: SolutionMapping, asked: AskedRow, place: int
    ) -> Iterator[Premise]:
        scene, query = self.scenes[place], patterns.query
        for clause in query.windows:
            held = ", ".join(patterns.held(clause.name)) or "nothing"
            yield Step(
                f"The window {self.words.term(clause.name)} [{text_of(clause.function)}]"
                f" holds {held} (section 4.1)"
            )
        interval = asked.when.get("interval")
        yield patterns.group(
            query.where, mu.project(frozenset(self.words.columns)),
            lambda found: interval in (None, found.interval),
            f"over {self.words.interval(interval)}" if interval is not None else "",
        )
        for solution in self.answers(scene):
            if solution.mapping.compatible(mu) and interval in (None, solution.interval):
                yield from self.reported(solution, place)
        if query.template is not None:
            yield checked(False, false="CONSTRUCT makes no such triple of what WHERE has")
        at = asked.when.get("at")
        yield checked(at in (None, scene.t), false="The query is not evaluated at"
                   f" {self.words.instant(at)}")
        yield checked(False, false="What the SELECT clause makes of it is another solution")
