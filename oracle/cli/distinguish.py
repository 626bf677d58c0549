"""`denota distinguish`: the smallest stream on which two queries or readings differ."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import UsageError

if TYPE_CHECKING:
    from ..cases import Case
    from ..distinguishing import Side, Witness
    from ..distinguishing.ceql import CeqlSide, CeqlWitness
    from ..distinguishing.search import Search

EPILOG = """\
A and B are queries' files, each with readings after an @ if others than the defaults are meant, or
readings alone, which stand for the other side's query under them:

  denota distinguish strict.rq next.rq
  denota distinguish q.rq kleene=join
  denota distinguish q.rq@window=match q.rq@window=sliding

The streams are listed by their number of events, so the one that is found is a smallest, within the
alphabet of events that the queries' own patterns suggest. Windows are not compared, times and
solutions are. Exit code 0 if a stream was found, 1 if there is none within the bounds.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("a", metavar="A", help="a query, or readings")
    parser.add_argument("b", metavar="B", help="another query, or readings")
    parser.add_argument(
        "--max-events", metavar="N", type=_count, default=4, help="try streams up to N events (4)"
    )
    parser.add_argument(
        "--seconds", metavar="S", type=float, default=60.0, help="stop after S seconds (60)"
    )
    parser.add_argument(
        "--save", metavar="FILE", type=Path,
        help="write the stream as a case that expects what A answers",
    )


def run(arguments: argparse.Namespace) -> int:
    from ..distinguishing import Side, distinguish
    from .progress import counting

    a, b = _sides(arguments.a, arguments.b)
    if not isinstance(a, Side) or not isinstance(b, Side):
        if isinstance(a, Side) or isinstance(b, Side):
            raise UsageError("A and B are in different languages")
        return _ceql(a, b, arguments)
    with counting("streams tried") as progress:
        search = distinguish(
            a, b, max_events=arguments.max_events, seconds=arguments.seconds, progress=progress
        )
    if search.witness is None:
        print(_none(search))
        return 1
    _show(search, a, b)
    if arguments.save is not None:
        from ..case_writing import write_case

        write_case(_case(search.witness, a, f"{arguments.a} and {arguments.b} differ here"),
                   arguments.save)
    return 0


def _sides(a: str, b: str) -> tuple[Side | CeqlSide, Side | CeqlSide]:
    if _is_reading(a) and _is_reading(b):
        raise UsageError("A or B must be a query's file")
    if _is_reading(a):
        other = _side(b)
        return _under(other, a), other
    first = _side(a)
    return first, (_under(first, b) if _is_reading(b) else _side(b))


def _is_reading(written: str) -> bool:
    return "=" in written and "@" not in written and not Path(written).exists()


def _side(written: str) -> Side | CeqlSide:
    from ..distinguishing import Side
    from ..distinguishing.ceql import CeqlSide
    from ..languages import of_query
    from .run import query_text

    name, _, readings = written.rpartition("@") if not Path(written).exists() else ("", "", "")
    text, source = query_text(name or written)
    language = of_query(text)
    if language.name not in ("spaseq", "ceql"):
        raise UsageError(f"{language.title} cannot be distinguished yet")
    query = language.parse(text, source=source)
    side = Side if language.name == "spaseq" else CeqlSide
    return side(query, _readings(readings, query))


def _under(side: Side | CeqlSide, written: str) -> Side | CeqlSide:
    return replace(side, readings=_readings(written, side.query))


def _readings(written: str, query: Any) -> Any:
    from ..languages import of_query
    from .run import reading_options

    named = reading_options(part for part in written.split(",") if part)
    return of_query(query).readings(named, query)


def _none(search: Search[Any]) -> str:
    tried = f"{search.tried} stream{'s' * (search.tried != 1)} tried"
    if search.out_of_time:
        return (
            f"No difference found in time: none up to {max(search.complete, 0)} events, {tried}."
        )
    events = f"{search.complete} event{'s' * (search.complete != 1)}"
    return f"No difference up to {events} ({tried})."


def _show(search: Search[Witness], a: Side, b: Side) -> None:
    from ..case_writing import graph_text, stream_text
    from ..spaseq import SPASEQ

    witness = search.witness
    assert witness is not None
    case = _case(witness, a, "")
    prefixes = {**SPASEQ.prefixes(b.query), **SPASEQ.prefixes(a.query)}
    _print_heading(witness, search.tried)
    for iri, items in witness.streams.items():
        print(f"\n  {iri}")
        for line in stream_text(items, prefixes or {"": "http://example.org/"}).splitlines():
            print(f"    {line}")
    for iri, graph in witness.kb.items():
        print(f"\n  background {iri}")
        for line in graph_text(graph, prefixes or {"": "http://example.org/"}).splitlines():
            print(f"    {line}")
    _print_answers(witness, case)


def _print_heading(witness: Witness | CeqlWitness, tried: int) -> None:
    print(f"They differ on {witness.events} event{'s' * (witness.events != 1)} "
          f"(the smallest of {tried} streams tried):")


def _print_answers(witness: Witness | CeqlWitness, case: Case, note: str = "") -> None:
    from ..languages import language
    from ..reports.differences import answers_table

    print()
    for side, error in (("A", witness.error_a), ("B", witness.error_b)):
        if error:
            print(f"{side}: error: {error}")
    if note:
        print(note)
    own = language(case.language)
    table = answers_table(
        case,
        [
            (label, answer)
            for label, only in (("only A", witness.only_a), ("only B", witness.only_b))
            for answer in own.answers(only, own.levels[0], partial=True)
        ],
    )
    if table is not None:
        print("\n".join(table.lines()))


def _case(witness: Witness, a: Side, title: str) -> Any:
    from ..cases import Case
    from ..judging import expectation_of
    from ..readings import departures
    from ..spaseq import SPASEQ

    case = Case(
        "spaseq", a.query, witness.streams, title=title, kb=witness.kb,
        prefixes=SPASEQ.prefixes(a.query) or {"": "http://example.org/"},
        readings=departures(a.readings),
    )
    return replace(case, expect=expectation_of(case.task()))


# --- CEQL -----------------------------------------------------------------------------------------


def _ceql(a: CeqlSide, b: CeqlSide, arguments: argparse.Namespace) -> int:
    from ..ceql_case import CeqlCase
    from ..distinguishing.ceql import distinguish_ceql
    from ..judging import expectation_of
    from ..tuple_sources import table_of
    from .progress import counting

    with counting("streams tried") as progress:
        search = distinguish_ceql(
            a, b, max_events=arguments.max_events, seconds=arguments.seconds, progress=progress
        )
    witness = search.witness
    if witness is None:
        print(_none(search))
        return 1
    _print_heading(witness, search.tried)
    for name, stream in witness.streams.items():
        print(f"\n  {name}")
        for line in str(table_of(stream, name).csv).splitlines():
            print(f"    {line}")
    case = CeqlCase(a.query, witness.streams, a.readings).case()
    _print_answers(witness, case, witness.note)
    if arguments.save is not None:
        from ..case_writing import write_case

        told = replace(
            case, title=f"{arguments.a} and {arguments.b} differ here",
            expect=expectation_of(case.task()),
        )
        write_case(told, arguments.save)
    return 0


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a number of events, not '{text}'")
    return int(text)
