"""`denota explain`: which definition and which events make a match of a case, or keep it away."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import UsageError, allow_files_outside

if TYPE_CHECKING:
    from ...semantics.ceql.results import ComplexEvent
    from ..cases import Case
    from ..explanations.absences import Asked
    from ..explanations.ceql_absences import AskedEvent

EPILOG = """\
The matches of the oracle are counted from 1, in the order of their times. A ROW is written as in a
case's 'expect', and may leave out variables: '{time: 20, h: ":H1"}' or
'{time: 20, solution: {h: ":H1"}}'. Without --match and --missing every match is explained, and so
is each row that the case expects and that is not there. In RSEP-QL a ROW has the evaluation time,
'{at: 8, x: ":a"}', and answers of SELECT are explained; in CQELS-CEP it has the interval,
'{interval: [10, 16], s: ":m"}'. In CEQL a ROW says what is known of a complex event:
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
    from ..cases import read_case

    case = read_case(arguments.case, files_outside=arguments.allow_files_outside)
    with case.task().query_errors():
        return _explain(case, arguments)


def _explain(case: Case, arguments: argparse.Namespace) -> int:
    from ...semantics.errors import UnsupportedError

    if case.language == "ceql":
        return _explain_ceql(case, arguments)
    if case.language == "rsepql":
        return _explain_rsepql(case, arguments)
    if case.language == "cqels":
        return _explain_cqels(case, arguments)
    if case.language != "spaseq":
        raise UnsupportedError(
            f"{case.language} is not explained yet (what is: spaseq, ceql, rsepql, cqels)"
        )
    task = case.task()
    pairs = sorted(
        task.language.evaluate(
            task.tree, streams=task.streams, kb=task.kb, readings=task.readings,
            evaluation=task.evaluation,
        ),
        key=task.language.order,
    )
    if arguments.missing is not None:
        _explain_missing(case, pairs, _asked(case, arguments.missing))
        return 0
    chosen = range(1, len(pairs) + 1)
    if arguments.match is not None:
        if arguments.match not in chosen:
            count = f"the matches are 1 to {len(pairs)}" if pairs else "there is no match"
            raise UsageError(f"--match {arguments.match}: {count}")
        chosen = range(arguments.match, arguments.match + 1)
    for number in chosen:
        _explain_match(case, pairs, number)
    if arguments.match is None:
        if not pairs:
            print("There is no match.\n")
        for asked in _expected_rows(case, pairs):
            _explain_missing(case, pairs, asked)
    return 0


def _explain_match(case: Case, pairs: list[Any], number: int) -> None:
    from ..explanations.matches import explain_match
    from ..explanations.wording import Words

    task = case.task()
    pair = pairs[number - 1]
    words = Words(task)
    print(f"match {number} of {len(pairs)}: at {words.instant((pair.time, pair.rank))}, "
          f"{words.bindings(pair.solutions)}")
    for line in explain_match(task, pair):
        print(f"  {line}")
    print()


def _explain_missing(case: Case, pairs: list[Any], asked: Asked) -> None:
    from ..explanations.absences import explain_absence
    from ..explanations.wording import Words

    words = Words(case.task())
    row = words.mapping(asked.mu) if asked.mu else "anything"
    at = words.task.shown_instant(asked.time)
    for number, pair in enumerate(pairs, start=1):
        if asked.is_in(pair):
            print(f"{row} at {at} is there: it is in match {number}.\n")
            return
    print(f"not a match: at {at}, {row}")
    for line in explain_absence(case.task(), asked):
        print(f"  {line}")
    print()


def _asked(case: Case, row: str) -> Asked:
    """A row as somebody types it."""
    from ..cases import parse_result
    from ..explanations.absences import Asked

    result = parse_result(row, case, source="--missing")
    solutions = list(result.get("solutions", ())) or [result["solution"]]
    return Asked(
        result["time"], solutions[0],
        tuple(result["window"]) if "window" in result else None, result.get("rank"),
    )


def _expected_rows(case: Case, pairs: list[Any]) -> list[Asked]:
    from ..explanations.absences import Asked
    from ..judging import ExpectedResults

    if not isinstance(case.expect, ExpectedResults):
        return []
    rows = []
    for result in case.expect.results:
        for mu in result.get("solutions", ()) or [result["solution"]]:
            window = tuple(result["window"]) if "window" in result else None
            asked = Asked(result["time"], mu, window, result.get("rank"))
            if not any(asked.is_in(pair) for pair in pairs):
                rows.append(asked)
    return rows


# --- RSEP-QL --------------------------------------------------------------------------------------


def _explain_cqels(case: Case, arguments: argparse.Namespace) -> int:
    from ...semantics.errors import UnsupportedError
    from ..cases import parse_result
    from ..explanations.cqels import Explanation
    from ..judging import ExpectedResults

    task = case.task()
    if task.tree.template is not None or task.tree.operator is not None:
        raise UnsupportedError(
            "of CQELS-CEP, solutions of SELECT without a stream operator are explained"
        )
    solutions = sorted(
        task.language.evaluate(
            task.tree, streams=task.streams, kb=task.kb, readings=task.readings,
            evaluation=task.evaluation,
        ),
        key=task.language.order,
    )
    explanation = Explanation(task)

    def absent(asked: Any) -> None:
        print(f"not a solution: {explanation.solution(asked)}")
        for line in explanation.absence(asked.interval, asked.mapping):
            print(f"  {line}")
        print()

    if arguments.missing is not None:
        asked = task.language.from_json(
            parse_result(arguments.missing, case, source="--missing")
        )
        if asked in solutions:
            print("It is there.")
        else:
            absent(asked)
        return 0
    chosen = range(1, len(solutions) + 1)
    if arguments.match is not None:
        if arguments.match not in chosen:
            count = f"the solutions are 1 to {len(solutions)}" if solutions else "there is none"
            raise UsageError(f"--match {arguments.match}: {count}")
        chosen = range(arguments.match, arguments.match + 1)
    for number in chosen:
        found = solutions[number - 1]
        print(f"solution {number} of {len(solutions)}: {explanation.solution(found)}")
        for line in explanation.presence(found):
            print(f"  {line}")
        print()
    if arguments.match is None:
        if not solutions:
            print("There is no solution.\n")
        if isinstance(case.expect, ExpectedResults):
            for result in case.expect.results:
                asked = task.language.from_json(result)
                if asked not in solutions:
                    absent(asked)
    return 0


def _explain_rsepql(case: Case, arguments: argparse.Namespace) -> int:
    from ...semantics.errors import UnsupportedError
    from ...semantics.rdf.syntax import SelectQuery
    from ..explanations.rsepql import Explanation
    from ..explanations.wording import Words

    task = case.task()
    if not isinstance(task.tree.form, SelectQuery):
        raise UnsupportedError("of RSEP-QL, answers to SELECT are explained, not to other forms")
    results = task.language.evaluate(
        task.tree, streams=task.streams, kb=task.kb, readings=task.readings,
        evaluation=task.evaluation,
    )
    rows = [
        (result.time, mu)
        for result in results
        for _, mu in task.language.flat_rows(result, task.tree, task.readings)
    ]
    explanation, words = Explanation(task), Words(task)

    def absent(time: int, mu: Any) -> None:
        print(f"not an answer: at {task.shown_instant(time)}, {words.mapping(mu)}")
        for line in explanation.absence(time, mu):
            print(f"  {line}")
        print()

    if arguments.missing is not None:
        from ..cases import parse_result

        result = parse_result(arguments.missing, case, source="--missing")
        mu = (list(result.get("solutions", ())) or [result["solution"]])[0]
        time = result["at"] if "at" in result else result["time"]
        if any(at == time and row.compatible(mu) for at, row in rows):
            print("It is there.")
        else:
            absent(time, mu)
        return 0
    chosen = range(1, len(rows) + 1)
    if arguments.match is not None:
        if arguments.match not in chosen:
            count = f"the answers are 1 to {len(rows)}" if rows else "there is no answer"
            raise UsageError(f"--match {arguments.match}: {count}")
        chosen = range(arguments.match, arguments.match + 1)
    for number in chosen:
        time, mu = rows[number - 1]
        print(f"answer {number} of {len(rows)}: at {task.shown_instant(time)}, {words.mapping(mu)}")
        copy = rows[: number - 1].count((time, mu))
        for line in explanation.answer(time, mu, copy):
            print(f"  {line}")
        print()
    if arguments.match is None:
        if not rows:
            print("There is no answer.\n")
        for time, mu in _expected_answers(case):
            if not any(at == time and row == mu for at, row in rows):
                absent(time, mu)
    return 0


def _expected_answers(case: Case) -> list[tuple[int, Any]]:
    from ..judging import ExpectedResults

    if not isinstance(case.expect, ExpectedResults):
        return []
    return [
        (result["at"] if "at" in result else result["time"], mu)
        for result in case.expect.results if isinstance(result, Mapping)
        for mu in result.get("solutions", ()) or [result["solution"]]
    ]


# --- CEQL -----------------------------------------------------------------------------------------


def _explain_ceql(case: Case, arguments: argparse.Namespace) -> int:
    from ...semantics.streams.tuples import merged
    from ..explanations.ceql_absences import explain_ceql_absence
    from ..explanations.ceql_matches import explain_ceql_match
    from ..explanations.ceql_wording import shown

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


def _chosen(asked: int | None, many: int) -> range:
    """The numbers of the matches to explain."""
    if asked is None:
        return range(1, many + 1)
    if not 1 <= asked <= many:
        count = f"the matches are 1 to {many}" if many else "there is no match"
        raise UsageError(f"--match {asked}: {count}")
    return range(asked, asked + 1)


def _missed(case: Case, row: str | None, found: list[ComplexEvent]) -> list[AskedEvent]:
    """What is asked for, or what the case expects and is not there."""
    from ..judging import ExpectedResults

    if row is not None:
        return [_asked_event(row)]
    if not isinstance(case.expect, ExpectedResults):
        return []
    expected = [_event_of(dict(result)) for result in case.expect.results]
    return [asked for asked in expected if not any(map(asked.is_met_by, found))]


def _asked_event(row: str) -> AskedEvent:
    import yaml

    try:
        written = yaml.safe_load(row)
    except yaml.YAMLError:
        written = None
    if not isinstance(written, dict):
        raise UsageError(f"--missing: write {{start: 0, end: 4, positions: [0, 4]}}, not '{row}'")
    return _event_of(written)


def _event_of(written: dict[str, Any]) -> AskedEvent:
    from ..explanations.ceql_absences import AskedEvent

    places: dict[str, int | None] = {}
    for name in ("start", "end"):
        place = written.pop(name, None)
        if place is not None and (not isinstance(place, int) or isinstance(place, bool)):
            raise UsageError(f"--missing: '{name}' is a position, not '{place}'")
        places[name] = place
    positions = written.pop("positions", None)
    bindings = written.pop("bindings", None)
    if written:
        raise UsageError(f"--missing: a complex event has no '{next(iter(written))}'")
    if bindings is not None and not isinstance(bindings, dict):
        raise UsageError("--missing: 'bindings' maps variables to lists of positions")
    return AskedEvent(
        places["start"], places["end"], None if positions is None else _places(positions),
        None if bindings is None else {str(x): _places(d) for x, d in bindings.items()},
    )


def _places(written: Any) -> frozenset[int]:
    if not isinstance(written, list) or not all(
        isinstance(place, int) and not isinstance(place, bool) for place in written
    ):
        raise UsageError("--missing: write positions as a list, [0, 4]")
    return frozenset(written)
