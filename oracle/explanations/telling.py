"""The lines of `denota explain`: which results there are, why, and why a row is not among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from ...semantics.model.errors import DenotaError
from ..cases.reading import Case, parse_result
from ..cases.tasks import Task
from ..judging.judge import ExpectedResults
from .asked import AskedRow, asked_rows
from .tellers import Teller


def told(
    teller: Callable[[Task], Teller], case: Case, match: int | None, missing: str | None
) -> Iterator[str]:
    """What is asked for; without a number and a row all results, and what the case expects."""
    telling = teller(case.task())
    if missing is not None:
        for asked in asked_rows(parse_result(missing, case, source="--missing")):
            yield from _missing(telling, asked)
        return
    for number in chosen(match, len(telling.results), telling.noun):
        yield f"{telling.noun} {number} of {len(telling.results)}: {telling.result(number)}"
        yield from _indented(telling.presence(number))
    if match is None:
        if not telling.results:
            yield f"There is no {telling.noun}.\n"
        for asked in _expected_rows(case):
            if not any(map(asked.is_in, telling.rows)):
                yield from _missing(telling, asked)


def _missing(telling: Teller, asked: AskedRow) -> Iterator[str]:
    shown = telling.row(asked.mu, asked.when)
    there = next((row for row in telling.rows if asked.is_in(row)), None)
    if there is not None:
        yield (f"{shown} is there: it is in {telling.noun} {there.number},"
               f" {telling.result(there.number)}.\n")
        return
    article = "an" if telling.noun == "answer" else "a"
    yield f"not {article} {telling.noun}: {shown}"
    yield from _indented(telling.why_not(asked))


def _indented(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield f"  {line}"
    yield ""


def _expected_rows(case: Case) -> list[AskedRow]:
    if not isinstance(case.expect, ExpectedResults):
        return []
    return [
        asked for result in case.expect.results if isinstance(result, Mapping)
        for asked in asked_rows(result)
    ]


def chosen(asked: int | None, many: int, noun: str = "match") -> range:
    """The numbers of the results to explain."""
    if asked is None:
        return range(1, many + 1)
    if not 1 <= asked <= many:
        several = "matches" if noun == "match" else f"{noun}s"
        count = f"the {several} are 1 to {many}" if many else f"there is no {noun}"
        raise DenotaError(f"--match {asked}: {count}")
    return range(asked, asked + 1)
