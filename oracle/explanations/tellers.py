"""What is said of the results of a task, and of rows that are missed, language by language."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from ...semantics.model.errors import UnsupportedError
from ...semantics.model.interval_solutions import IntervalSolution
from ...semantics.model.mappings import SolutionMapping
from ..cases.tasks import Task
from .asked import AskedRow, Row, covers, rows


class Teller(ABC):
    """Explains one task; `noun` is what its results are called, `results` are in their order."""

    noun: str

    def __init__(self, task: Task) -> None:
        self.task = task
        self.results = self.found()

    @cached_property
    def rows(self) -> list[Row]:
        """The rows of the results."""
        return list(rows(self.task, self.results))

    def found(self) -> list[Any]:
        """The results of the definitions, in the order in which they are printed."""
        task = self.task
        return sorted(
            task.language.evaluate(
                task.tree, streams=task.streams, kb=task.kb, readings=task.readings,
                evaluation=task.evaluation,
            ),
            key=task.language.order,
        )

    @abstractmethod
    def result(self, number: int) -> str:
        """A result in short."""

    @abstractmethod
    def presence(self, number: int) -> Iterable[str]:
        """What makes it a result."""

    @abstractmethod
    def row(self, mu: SolutionMapping, when: Mapping[str, Any]) -> str:
        """A row in short, as far as it is given."""

    @abstractmethod
    def absence(self, asked: AskedRow) -> Iterable[str]:
        """What keeps a row away, by the definitions."""

    def why_not(self, asked: AskedRow) -> Iterable[str]:
        """What keeps a row away that is not there."""
        columns = self.task.language.columns(self.task.tree)
        unknown = [f"?{v}" for v in asked.mu if v not in columns]
        if unknown:
            yield f"The query does not return {' and '.join(unknown)}."
            return
        others = [row for row in self.rows if covers(asked.mu, row.mu)]
        if others:
            held = dict.fromkeys(self.row(SolutionMapping(), self.when(row)) for row in others)
            yield f"It holds {', '.join(list(held)[:3])} instead."
        yield from self.absence(asked)

    def when(self, row: Row) -> Mapping[str, Any]:
        """What of a row's times there is to say."""
        return row.when


class SpaseqTeller(Teller):
    """Matches of SPAseq."""

    noun = "match"

    def __init__(self, task: Task) -> None:
        from .wording import Words

        super().__init__(task)
        self.words = Words(task)

    def result(self, number: int) -> str:
        pair = self.results[number - 1]
        at = self.words.instant((pair.time, pair.rank))
        return f"at {at}, {self.words.bindings(pair.solutions)}"

    def presence(self, number: int) -> Iterable[str]:
        from ..languages.spaseq.explain.matches import explain_match

        return explain_match(self.task, self.results[number - 1])

    def row(self, mu: SolutionMapping, when: Mapping[str, Any]) -> str:
        said = []
        if when.get("time") is not None:
            said.append(f"at {self.words.instant((when['time'], when.get('rank') or 0))}")
        if when.get("window") is not None:
            said.append(f"in [{', '.join(map(self.task.shown_instant, when['window']))}]")
        if mu:
            said.append(self.words.mapping(mu))
        return ", ".join(said) or "anything"

    def when(self, row: Row) -> Mapping[str, Any]:
        return {**row.when, "rank": row.when["rank"] or None}

    def absence(self, asked: AskedRow) -> Iterable[str]:
        from ..languages.spaseq.explain.absences import Asked, explain_absence

        when = asked.when
        return explain_absence(
            self.task, Asked(when.get("time"), asked.mu, when.get("window"), when.get("rank"))
        )


class RsepqlTeller(Teller):
    """Answers of RSEP-QL to SELECT: rows are the results."""

    noun = "answer"

    def __init__(self, task: Task) -> None:
        from ...semantics.rdf.syntax.tree import SelectQuery
        from ..languages.rsepql.explain import Explanation
        from .wording import Words

        if not isinstance(task.tree.form, SelectQuery):
            raise UnsupportedError(
                "of RSEP-QL, answers to SELECT are explained, not to other forms"
            )
        super().__init__(task)
        self.explanation, self.words = Explanation(task), Words(task)

    def found(self) -> list[Any]:
        task = self.task
        answers = task.language.evaluate(
            task.tree, streams=task.streams, kb=task.kb, readings=task.readings,
            evaluation=task.evaluation,
        )
        return [
            (answer.time, mu) for answer in answers
            for _, mu in task.language.flat_rows(answer, task.tree, task.readings)
        ]

    def result(self, number: int) -> str:
        at, mu = self.results[number - 1]
        return f"at {self.task.shown_instant(at)}, {self.words.mapping(mu)}"

    def presence(self, number: int) -> Iterable[str]:
        at, mu = self.results[number - 1]
        return self.explanation.answer(at, mu, self.results[: number - 1].count((at, mu)))

    def row(self, mu: SolutionMapping, when: Mapping[str, Any]) -> str:
        at = when.get("at", when.get("time"))
        said = [] if at is None else [f"at {self.task.shown_instant(at)}"]
        if mu:
            said.append(self.words.mapping(mu))
        return ", ".join(said) or "anything"

    def absence(self, asked: AskedRow) -> Iterable[str]:
        return self.explanation.absence(asked.when.get("at", asked.when.get("time")), asked.mu)


class IntervalTeller(Teller):
    """Solutions of EP-SPARQL and CQELS-CEP."""

    noun = "solution"

    def __init__(self, task: Task) -> None:
        if task.language == "cqels" and not (
            task.tree.template is None and task.tree.operator is None
        ):
            raise UnsupportedError(
                "of CQELS-CEP, solutions of SELECT without a stream operator are explained"
            )
        super().__init__(task)
        if not all(isinstance(result, IntervalSolution) for result in self.results):
            raise UnsupportedError(
                f"of {task.language.title}, solutions are explained, not answers to ASK"
            )
        self.explanation: Any
        if task.language == "cqels":
            from ..languages.cqels.explain import Explanation as CqelsExplanation

            self.explanation = CqelsExplanation(task)
        else:
            from ..languages.epsparql.explain import Explanation

            self.explanation = Explanation(task)

    def result(self, number: int) -> str:
        found = self.results[number - 1]
        return self.row(found.mapping, {"interval": found.interval})

    def presence(self, number: int) -> Iterable[str]:
        found = self.results[number - 1]
        lines: Iterable[str] = self.explanation.presence(
            found if self.task.language == "cqels" else found.mapping
        )
        return lines

    def row(self, mu: SolutionMapping, when: Mapping[str, Any]) -> str:
        said = [self.explanation.mapping(mu)] if mu else []
        if "interval" in when:
            said.append(f"over {self.explanation.interval(when['interval'])}")
        return " ".join(said) or "anything"

    def absence(self, asked: AskedRow) -> Iterable[str]:
        lines: Iterable[str] = self.explanation.absence(asked.when.get("interval"), asked.mu)
        return lines


def teller(task: Task) -> Teller:
    """What explains a task of a language over RDF streams."""
    match task.language.name:
        case "spaseq":
            return SpaseqTeller(task)
        case "rsepql":
            return RsepqlTeller(task)
    return IntervalTeller(task)


__all__ = ["Teller", "teller"]
