"""The power of the tester of recorded answers: how many altered recordings it would accept.

A recording that is right is altered in every place, one alteration at a time, and checked again.
What is still accepted shows how much a verdict *right* says; see docs/answers.md.

    python -m denota.studies.answers_power --answers DIR --query DIR --stream PLACE
        [--page FILE]
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rdflib.term import Literal, URIRef

from ..oracle.recorded_output.check_recorded import RecordedQuestion
from ..oracle.recorded_output.recordings import Recording, Relation, query_of, read_recording
from ..oracle.recorded_output.schedules import setting_of_file
from ..oracle.reports.generated_sections import with_part
from ..semantics.model.errors import DenotaError
from ..semantics.model.mappings import SolutionMapping

Alteration = Callable[[Recording, int], Iterator[Recording]]
"""Every recording that one alteration makes of another; the number is the slide of the windows."""


def dropped_rows(recording: Recording, slide: int) -> Iterator[Recording]:
    """Remove one of the rows."""
    yield from _rows(recording, lambda _: ())


def doubled_rows(recording: Recording, slide: int) -> Iterator[Recording]:
    """Duplicate one of the rows."""
    yield from _rows(recording, lambda row: (row, row))


def changed_values(recording: Recording, slide: int) -> Iterator[Recording]:
    """Change one value of one row: a number to the next, anything else to a new term."""
    for name in sorted({name for relation in recording.relations for row in relation.rows
                        for name in row}):
        def other(row: SolutionMapping, name: object = name) -> tuple[SolutionMapping, ...]:
            return (SolutionMapping({
                each: _another(value) if each == name else value for each, value in row.items()
            }),)

        yield from _rows(recording, other)


def dropped_answers(recording: Recording, slide: int) -> Iterator[Recording]:
    """Remove one of the answers (which may be empty) with all its rows."""
    for place in range(len(recording.relations)):
        yield _with(recording, place)


def later_answers(recording: Recording, slide: int) -> Iterator[Recording]:
    """Move one of the answers a slide later."""
    yield from _moved(recording, slide)


def earlier_answers(recording: Recording, slide: int) -> Iterator[Recording]:
    """Move one of the answers a slide earlier."""
    yield from _moved(recording, -slide)


def postponed_rows(recording: Recording, slide: int) -> Iterator[Recording]:
    """Move one of the rows to the next answer."""
    for place, relation in enumerate(recording.relations[:-1]):
        following = recording.relations[place + 1]
        for number, row in enumerate(relation.rows):
            rest = relation.rows[:number] + relation.rows[number + 1:]
            relations = list(recording.relations)
            relations[place:place + 2] = [
                replace(relation, rows=rest), replace(following, rows=(*following.rows, row)),
            ]
            yield replace(recording, relations=tuple(relations))


def all_later(recording: Recording, slide: int) -> Iterator[Recording]:
    """Yield the whole recording a slide later."""
    yield replace(recording, relations=tuple(
        replace(relation, time=relation.time + slide) for relation in recording.relations
    ))


ALTERATIONS: dict[str, Alteration] = {
    "a row is missing": dropped_rows,
    "a row is there twice": doubled_rows,
    "a value is another": changed_values,
    "a row is in the next answer": postponed_rows,
    "an answer is missing": dropped_answers,
    "an answer is a slide late": later_answers,
    "an answer is a slide early": earlier_answers,
    "everything is a slide late": all_later,
}


@dataclass(frozen=True, slots=True)
class Accepted:
    """The number of altered recordings, and the numbers of those that are right.

    The latter count those right under any setting, under one of the engine's own, and under an own
    one under which the recording itself was right.
    """

    made: int = 0
    anyhow: int = 0
    own: int = 0
    same: int = 0

    def __add__(self, other: Accepted) -> Accepted:
        return Accepted(
            self.made + other.made, self.anyhow + other.anyhow, self.own + other.own,
            self.same + other.same,
        )


def measured(question: RecordedQuestion, recording: Recording) -> dict[str, Accepted]:
    """Return the number of accepted alterations of a recording, by the kind of alteration.

    Raises DenotaError if the recording itself is not right under a setting of its engine.
    """
    engine = setting_of_file(recording.name)
    before = frozenset(
        setting for setting in question.right(recording)
        if engine is not None and setting.is_of(engine)
    )
    if engine is None or not before:
        raise DenotaError(f"{recording.name}: not right under a setting of its engine")
    found: dict[str, Accepted] = {}
    for name, alter in ALTERATIONS.items():
        made: Counter[str] = Counter()
        for altered in alter(recording, question.slide):
            right = question.right(altered)
            made["made"] += 1
            made["anyhow"] += bool(right)
            made["own"] += any(setting.is_of(engine) for setting in right)
            made["same"] += not right.isdisjoint(before)
        found[name] = Accepted(**made)
    return found


def lines(found: dict[str, dict[str, Accepted]]) -> list[str]:
    """Return a table of the accepted answers by alteration and recording, in Markdown."""
    written = [
        "| altered | recordings made | accepted under any setting | under the engine's own | under"
        " one that was right before |",
        "|---|---|---|---|---|",
    ]
    totals = {
        name: sum((each[name] for each in found.values()), Accepted()) for name in ALTERATIONS
    }
    written += [_line(name, total) for name, total in totals.items()]
    written += [_line("**all**", sum(totals.values(), Accepted())), ""]
    written += [written[0].replace("altered", "recording", 1), written[1]]
    written += [recording_line(recording, each) for recording, each in found.items()]
    return written


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the recordings of a folder, and print the table or write it into the page."""
    parser = argparse.ArgumentParser(prog="python -m denota.studies.answers_power")
    parser.add_argument("--answers", metavar="DIR", type=Path, required=True)
    parser.add_argument("--query", metavar="DIR", type=Path, required=True)
    parser.add_argument("--stream", metavar="PLACE", required=True)
    parser.add_argument("--page", metavar="FILE", type=Path, help="write the table into this page")
    chosen = parser.parse_args(arguments)
    found = folder(chosen.answers, chosen.query, chosen.stream)
    table = "".join(f"{line}\n" for line in lines(found))
    if chosen.page is None:
        print(table, end="")
        return 0
    page = with_part(chosen.page.read_text(encoding="utf-8"), "power", table)
    if page is None:
        raise DenotaError("the page has no part between <!-- power --> and <!-- end -->")
    chosen.page.write_text(page, encoding="utf-8")
    return 0


def folder(answers: Path, queries: Path, stream: str) -> dict[str, dict[str, Accepted]]:
    """Return the accepted alterations of each right recording in a folder, by file name."""
    found = {}
    for path in sorted(answers.glob("*.json")):
        accepted = measured_file(path, queries, stream)
        if accepted is not None:
            found[path.stem] = accepted
    return found


def measured_file(path: Path, queries: Path, stream: str) -> dict[str, Accepted] | None:
    """Return the accepted alterations of a recording in a file; None if it is not right itself."""
    query = query_of(path, sorted(queries.glob("*.rq")))
    question = RecordedQuestion.of(query.read_text(encoding="utf-8"), stream)
    recording = read_recording(path, unit=question.unit(None))
    return measured(question, recording) if question.right(recording) else None


def recording_line(name: str, accepted: dict[str, Accepted]) -> str:
    """Return the line of the table about one recording."""
    return _line(name, sum(accepted.values(), Accepted()))


def _line(name: str, accepted: Accepted) -> str:
    shares = (
        f"{each} ({each / accepted.made:.0%})"
        for each in (accepted.anyhow, accepted.own, accepted.same)
    )
    return f"| {name} | {accepted.made} | {' | '.join(shares)} |"


def _rows(
    recording: Recording, instead: Callable[[SolutionMapping], tuple[SolutionMapping, ...]]
) -> Iterator[Recording]:
    for place, relation in enumerate(recording.relations):
        for number, row in enumerate(relation.rows):
            rows = (*relation.rows[:number], *instead(row), *relation.rows[number + 1:])
            yield _with(recording, place, replace(relation, rows=rows))


def _moved(recording: Recording, by: int) -> Iterator[Recording]:
    for place, relation in enumerate(recording.relations):
        yield _with(recording, place, replace(relation, time=relation.time + by))


def _with(recording: Recording, place: int, *instead: Relation) -> Recording:
    relations = (*recording.relations[:place], *instead, *recording.relations[place + 1:])
    return replace(
        recording, relations=tuple(sorted(relations, key=lambda relation: relation.time))
    )


def _another(value: object) -> Literal | URIRef:
    if isinstance(value, Literal):
        number = value.toPython()
        if isinstance(number, (int, float)) and not isinstance(number, bool):
            return Literal(number + 1)
    return URIRef("urn:denota:another")


if __name__ == "__main__":
    sys.exit(main())
