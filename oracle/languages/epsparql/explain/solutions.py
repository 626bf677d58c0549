"""Why an EP-SPARQL query has a solution or has it not."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from .....semantics.epsparql.syntax.tree import EpsparqlQuery, Form
from .....semantics.model.interval_solutions import IntervalSolution
from .....semantics.model.mappings import EMPTY_MAPPING, SolutionMapping
from .....semantics.rdf.syntax.variables import possible_variables
from ....explanations.asked import AskedRow, comparable
from ....explanations.derivations import Goal, Premise, Way, checked
from ....explanations.intervals import IntervalExplainer
from .closed_stream import ClosedStream


class EpsparqlExplainer(IntervalExplainer):
    """What can be said of one case's solutions."""

    @cached_property
    def patterns(self) -> ClosedStream:
        return ClosedStream(self.words, self.case)

    def presence(self, number: int) -> Goal:
        result = self.results[number - 1]
        if isinstance(result, bool):
            return self.patterns.where(EMPTY_MAPPING, None)
        assert isinstance(result, IntervalSolution)
        return self.found(result.mapping, result.interval, exact=True)

    def absence(self, asked: AskedRow) -> Goal:
        mu, interval = comparable(asked.mu), asked.when.get("interval")
        policy = self.case.readings.policy
        why = "what the query says besides WHERE makes it another solution"
        if policy != "unrestricted":
            why = f"it matches, but policy={policy} detects only some of what matches"

        def premises() -> Iterator[Premise]:
            if "boolean" in asked.when:
                yield self.patterns.where(EMPTY_MAPPING, None)
            else:
                yield self.found(mu, interval, exact=False)
            yield checked(False, false=f"WHERE has what agrees: {why}")

        return Goal(lambda: [Way("", premises())])

    def found(
        self, mu: SolutionMapping, interval: tuple[int, int] | None, *, exact: bool
    ) -> Goal:
        """That WHERE, or a rule, has what a solution is made of."""
        query: EpsparqlQuery = self.case.tree
        if query.form is Form.DESCRIBE:
            named = " and ".join(map(self.words.term, query.described))
            about = [Way(f"It is about {named}, which DESCRIBE names (SPARQL 16.4)")]
            return Goal(lambda: [
                Way("It is about what DESCRIBE finds (SPARQL 16.4)",
                    (self.patterns.where(EMPTY_MAPPING, None),)),
                *(about if named else ()),
            ])
        # A blank node that a rule makes is another one whenever the query is evaluated.
        known = comparable(mu)
        if query.select is None:
            return self.patterns.constructed(known, interval)
        scope = possible_variables(query.select.where)
        tried = [(mu, interval), (known, interval)]
        if exact:  # an aggregate spans all the solutions of its group
            tried.append((known, None))
        goals = [self.patterns.where(each.project(scope), when) for each, when in tried]
        return next((goal for goal in goals if goal.proof.holds), goals[0])
