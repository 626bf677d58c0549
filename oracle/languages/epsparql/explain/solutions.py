"""Explanations of EP-SPARQL solutions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from .....semantics.epsparql.syntax.tree import EpsparqlQuery, Form
from .....semantics.model.interval_solutions import IntervalSolution
from .....semantics.model.mappings import EMPTY_MAPPING, SolutionMapping
from .....semantics.rdf.syntax.variables import possible_variables
from ....explanations.derivations import Goal, Premise, Way, check
from ....explanations.intervals import IntervalExplainer
from ....explanations.requested_rows import RequestedRow, comparable
from .closed_stream import ClosedStream


class EpsparqlExplainer(IntervalExplainer):
    """The explainer of one case's solutions."""

    @cached_property
    def patterns(self) -> ClosedStream:
        return ClosedStream(self.words, self.case)

    def presence(self, number: int) -> Goal:
        result = self.results[number - 1]
        if isinstance(result, bool):
            return self.patterns.where(EMPTY_MAPPING, None)
        assert isinstance(result, IntervalSolution)
        return self.solution(result.mapping, result.interval, exact=True)

    def absence(self, request: RequestedRow) -> Goal:
        mu, interval = comparable(request.mu), request.when.get("interval")
        policy = self.case.readings.policy
        why = "the query form or a solution modifier changes it"
        if policy != "unrestricted":
            why = f"policy={policy} detects only some of the matches"

        def premises() -> Iterator[Premise]:
            if "boolean" in request.when:
                yield self.patterns.where(EMPTY_MAPPING, None)
            else:
                yield self.solution(mu, interval, exact=False)
            yield check(False, false=f"WHERE returns a compatible solution: {why}")

        return Goal(lambda: [Way("", premises())])

    def solution(
        self, mu: SolutionMapping, interval: tuple[int, int] | None, *, exact: bool
    ) -> Goal:
        """Return the goal of a solution of WHERE or of a rule."""
        query: EpsparqlQuery = self.case.tree
        if query.form is Form.DESCRIBE:
            named = " and ".join(map(self.words.term, query.described))
            about = [Way(f"DESCRIBE names {named} (SPARQL 16.4)")]
            return Goal(lambda: [
                Way("DESCRIBE describes the solutions of WHERE (SPARQL 16.4)",
                    (self.patterns.where(EMPTY_MAPPING, None),)),
                *(about if named else ()),
            ])
        # Each evaluation constructs other blank nodes.
        known = comparable(mu)
        if query.select is None:
            return self.patterns.construction(known, interval)
        scope = possible_variables(query.select.where)
        candidates = [(mu, interval), (known, interval)]
        if exact:  # an aggregate spans all the solutions of its group
            candidates.append((known, None))
        goals = [self.patterns.where(each.project(scope), when) for each, when in candidates]
        return next((goal for goal in goals if goal.proof.holds), goals[0])
