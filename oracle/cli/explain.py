"""`denota explain`: which definition and which events make a match of a case, or keep it away."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from . import UsageError, allow_files_outside

if TYPE_CHECKING:
    from ...semantics.ceql.syntax.readings import Readings
    from ...semantics.ceql.syntax.results import ComplexEvent
    from ...semantics.ceql.syntax.tree import CeqlQuery
    from ...semantics.model.tuples import EventTuple
    from ..cases.reading import Case
    from ..explanations.asked import AskedRow
    from ..explanations.tellers import Teller
    from ..languages.ceql.explain.absences import AskedEvent

EPILOG = """\
The matches of the oracle are counted from 1, in the order of their times. A ROW is written as in a
case's 'expect', and may leave out anything: '{time: 20, h: ":H1"}', '{h: ":H1"}',
'{time: 20, solution: {h: ":H1"}}'. Without --match and --missing every match is explained, and so
is each row that the case expects and that is not there. In RSEP-QL a ROW has the evaluation time,
'{at: 8, x: ":a"}', and answers of SELECT are explained; in CQELS-CEP and EP-SPARQL it has the
interval, '{interval: [10, 16], s: ":m"}'. In CEQL a ROW says what is known of a complex event:
'{start: 0, end: 4, positions: [0, 4]}', '{end: 4}', '{positions: [0, 4]}'.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("case", metavar="CASE", help="a case (*.case.yaml)")
    allow_files_outside(parser)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--match", metavar="N", type=int, help="explain the N-th match")
    which.add_argument("--missing", metavar="ROW", help="explain why ROW is not a match")


def run(arguments: argparse.Namespace) -> int:
    from ..cases.reading import read_case

    case = read_case(arguments.case, files_outside=arguments.allow_files_outside)
    with case.task().query_errors():
        return _explain(case, arguments)


def _explain(case: Case, arguments: argparse.Namespace) -> int:
    from ..explanations.asked import asked_rows
    from ..explanations.tellers import teller

    if case.language == "ceql":
        return _explain_ceql(case, arguments)
    from ..cases.reading import parse_result

    told = teller(case.task())
    if arguments.missing is not None:
        for asked in asked_rows(parse_result(arguments.missing, case, source="--missing")):
            _explain_missing(told, asked)
        return 0
    for number in _chosen(arguments.match, len(told.results), told.noun):
        print(f"{told.noun} {number} of {len(told.results)}: {told.result(number)}")
        _print_lines(told.presence(number))
    if arguments.match is None:
        if not told.results:
            print(f"There is no {told.noun}.\n")
        for asked in _expected_rows(case):
            if not any(map(asked.is_in, told.rows)):
                _explain_missing(told, asked)
    return 0


def _explain_missing(told: Teller, asked: AskedRow) -> None:
    shown = told.row(asked.mu, asked.when)
    there = next((row for row in told.rows if asked.is_in(row)), None)
    if there is not None:
        print(f"{shown} is there: it is in {told.noun} {there.number},"
              f" {told.result(there.number)}.\n")
        return
    article = "an" if told.noun == "answer" else "a"
    print(f"not {article} {told.noun}: {shown}")
    _print_lines(told.why_not(asked))


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        print(f"  {line}")
    print()


def _expected_rows(case: Case) -> list[AskedRow]:
    from ..explanations.asked import asked_rows
    from ..judging.judge import ExpectedResults

    if not isinstance(case.expect, ExpectedResults):
        return []
    return [
        asked for result in case.expect.results if isinstance(result, Mapping)
        for asked in asked_rows(result)
    ]


# --- CEQL -----------------------------------------------------------------------------------------


def _explain_ceql(case: Case, arguments: argparse.Namespace) -> int:
    from ...semantics.model.tuples import merged
    from ..languages.ceql.explain.absences import explain_ceql_absence
    from ..languages.ceql.explain.matches import explain_ceql_match
    from ..languages.ceql.explain.wording import shown

    task = case.task()
    query, readings = task.tree, task.readings
    stream = list(merged({str(n): s for n, s in task.streams.items()}, query.streams))
    found: list[ComplexEvent] = sorted(
        task.language.evaluate(
            query, streams=task.streams, kb=task.kb, readings=readings, evaluation=task.evaluation
        ),
        key=task.language.order,
    )
    missed = [] if arguments.match is not None else _missed(case, arguments.missing, found)
    for asked in missed if arguments.missing is not None else ():
        for number, event in enumerate(found, start=1):
            if asked.is_met_by(event):
                print(f"{asked} is there: it is match {number}, {shown(event)}.\n")
                return 0
        for event in _possible(query, stream, readings):
            if asked.is_met_by(event):
                print(
                    f"{asked} may be one: {shown(event)} is right, and where the query leaves a"
                    " choice (SELECT ANY, LIMIT) the oracle has taken another.\n"
                )
                return 0
    for number in [] if arguments.missing is not None else _chosen(arguments.match, len(found)):
        print(f"match {number} of {len(found)}: {shown(found[number - 1])}")
        for line in explain_ceql_match(query, stream, readings, found[number - 1]):
            print(f"  {line}")
        print()
    if not found and arguments.missing is None:
        print("There is no match.\n")
    for asked in missed:
        print(f"not a match: {asked}")
        for line in explain_ceql_absence(query, stream, readings, asked):
            print(f"  {line}")
        print()
    return 0


def _possible(
    query: CeqlQuery, stream: list[EventTuple], readings: Readings
) -> list[ComplexEvent]:
    """All complex events that may be answered, also where only some are to be."""
    from ...semantics.ceql.later_language import choices

    return [
        event for choice in choices(query, stream, readings) if choice.count
        for event in sorted(choice.candidates)
    ]


def _chosen(asked: int | None, many: int, noun: str = "match") -> range:
    """The numbers of the results to explain."""
    if asked is None:
        return range(1, many + 1)
    if not 1 <= asked <= many:
        several = "matches" if noun == "match" else f"{noun}s"
        count = f"the {several} are 1 to {many}" if many else f"there is no {noun}"
        raise UsageError(f"--match {asked}: {count}")
    return range(asked, asked + 1)


def _missed(case: Case, row: str | None, found: list[ComplexEvent]) -> list[AskedEvent]:
    """What is asked for, or what the case expects and is not there."""
    from ..cases.reading import parse_result
    from ..judging.judge import ExpectedResults

    if row is not None:
        return [_event_of(dict(parse_result(row, case, source="--missing")))]
    if not isinstance(case.expect, ExpectedResults):
        return []
    expected = [_event_of(dict(result)) for result in case.expect.results]
    return [asked for asked in expected if not any(map(asked.is_met_by, found))]


def _event_of(written: dict[str, Any]) -> AskedEvent:
    from ..languages.ceql.explain.absences import AskedEvent

    for other in written.get("solution", ()):
        raise UsageError(f"--missing: a complex event has no '{other}'")
    positions, bindings = written.get("positions"), written.get("bindings")
    return AskedEvent(
        written.get("start"), written.get("end"),
        None if positions is None else frozenset(positions),
        None if bindings is None else {str(x): frozenset(d) for x, d in bindings.items()},
    )
