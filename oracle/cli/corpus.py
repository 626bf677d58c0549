"""`denota corpus`: enumerate, generate, show and export corpora of cases, in Parquet."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ..explanations.plurals import counted
from ..languages.registry import default, part_of
from . import UsageError
from .options import add_bounds, add_renamed, alphabets, bounds_of, positive, whole
from .progress import bar
from .terminal import machine_output

if TYPE_CHECKING:
    from ..cases.case import Case
    from ..ranks.space import Space
    from ..sweeps.corpus_file import CorpusRow


def generated_rows(count: int, seed: int, language: str) -> Iterator[CorpusRow]:
    """Yield `count` random cases in a language as rows of a corpus."""
    from ..fuzzing.rounds import random_cases
    from ..sweeps.corpus_file import row_of

    for number, case in enumerate(random_cases(language, str(seed), count)):
        yield row_of(case, f"random-{seed}-{number:07d}")


EPILOG = """\
examples:
  denota corpus enumerate --limit 100000 -o all.parquet
  denota corpus enumerate --alphabet single --within 2 --max-events 4 -o windows.parquet
  denota corpus generate --cases 20000 --seed 1 -o random.parquet
  denota corpus show all.parquet --id keys-1-2-0000007 --with-expected
  denota corpus export random.parquet -o cases --limit 20
"""

ENUMERATE = """\
List all queries of at most --max-operators operators on all streams of at most --max-events
events, one case per isomorphism class, ordered by the sum of operators and events. In SPAseq the
operators are , ; : + & | ! and ?; in CEQL they are ; : + :+ OR NOT, selection strategies and
CONSUME BY ANY, and those that the alphabet adds.

alphabets:
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = EPILOG
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _configure_enumerate(actions.add_parser(
        "enumerate", help="list all small cases, without isomorphic duplicates",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    ))
    _configure_generate(actions.add_parser("generate", help="make random cases"))
    _configure_show(actions.add_parser("show", help="print cases of a corpus as YAML"))
    _configure_export(actions.add_parser("export", help="write cases of a corpus as case files"))


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return 0."""
    match arguments.action:
        case "enumerate":
            return _enumerate(arguments)
        case "generate":
            return _generate(arguments)
        case "show":
            return _show(arguments)
        case _:
            return _export(arguments)


# --- enumerate -----------------------------------------------------------------------------------


def _configure_enumerate(parser: argparse.ArgumentParser) -> None:
    from textwrap import fill

    known = alphabets()
    width = 1 + max(len(name) for name, _ in known)
    indent = " " * (2 + width)
    parser.description = ENUMERATE + "\n".join(
        fill(alphabet.summary, 96, initial_indent=f"  {name:{width}}", subsequent_indent=indent)
        for name, alphabet in known
    )
    _add_language(parser)
    add_bounds(parser, size=2, length=3)
    parser.add_argument(
        "--limit", type=whole, metavar="N",
        help="write N cases: the smallest ones, and a sample of the last block",
    )
    parser.add_argument(
        "--count", action="store_true", help="print only the number of cases"
    )
    _add_output(parser, required=False)


def _enumerate(arguments: argparse.Namespace) -> int:
    from ..languages.enumeration import BoundsError
    from ..ranks.space import Space

    _check_language(arguments.language)
    bounds = bounds_of(arguments, arguments.language)
    try:
        space = Space.of(arguments.language, bounds)
    except BoundsError as error:
        raise UsageError(f"denota corpus enumerate: {error}") from None
    if arguments.count:
        _count(space)
        return 0
    if arguments.output is None:
        raise UsageError("denota corpus enumerate: name the corpus to write (-o FILE.parquet)")
    limit = arguments.limit
    rows = space.rows() if limit is None else map(space.row, space.sample(limit))
    written = _write(rows, arguments.output, limit)
    whole = limit is not None and written < limit
    print(f"{counted(written, 'case')} written to {arguments.output}"
          + (" (there are no more within these bounds)" if whole else ""))
    return 0


def _count(space: Space) -> None:
    print(f"{'operators':>9}  {'events':>6}  {'cases':>14}  {'so far':>14}")
    for block in space.growing():
        print(
            f"{block.operators:9}  {block.events:6}  {block.cases:14,}  {block.end:14,}",
            flush=True,
        )


# --- generate ------------------------------------------------------------------------------------


def _configure_generate(parser: argparse.ArgumentParser) -> None:
    parser.description = "Make random cases, those of denota.strategies."
    _add_language(parser)
    add_renamed(
        parser, "--examples", "--cases", "-n", dest="examples", type=positive, default=1000,
        metavar="N", help="number of cases (default: 1000)",
    )
    parser.add_argument(
        "--seed", type=whole, default=0, metavar="N",
        help="random seed; the same seed generates the same cases (default: 0)",
    )
    add_renamed(
        parser, "--expected", "--with-expected", dest="expected", action="store_true",
        help="add the results of the oracle to each case",
    )
    _add_output(parser)


def _generate(arguments: argparse.Namespace) -> int:

    _check_language(arguments.language)
    part_of(arguments.language, "generate")
    rows = generated_rows(arguments.examples, arguments.seed, arguments.language)
    if arguments.expected:
        rows = map(_answered, rows)
    written = _write(rows, arguments.output, arguments.examples)
    print(f"{counted(written, 'case')} written to {arguments.output}")
    return 0


def _answered(row: CorpusRow) -> CorpusRow:
    from ..checking.case_checker import expectation_of
    from ..sweeps.corpus_file import case_of, expected_text

    case = case_of(row)
    return replace(row, expected=expected_text(expectation_of(case), case))


# --- show ----------------------------------------------------------------------------------------


def _configure_show(parser: argparse.ArgumentParser) -> None:
    parser.description = "Print cases of a corpus as YAML, as in a case file."
    _add_selection(parser, "the first N cases (10)")
    add_renamed(
        parser, "--answer", "--with-expected", dest="answer", action="store_true",
        help="print the results of the oracle as 'expect' of each case",
    )


def _show(arguments: argparse.Namespace) -> int:
    from ..cases.case_writer import case_text

    limit = 10 if arguments.limit is None and not arguments.ids else arguments.limit
    between = ""
    for case in _selected(arguments, limit, answered=arguments.answer):
        print(between + case_text(case), end="", file=machine_output())
        between = "---\n"
    return 0


# --- export --------------------------------------------------------------------------------------


def _configure_export(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Write cases of a corpus as case files, ID.case.yaml, with the results of the oracle."
    )
    _add_selection(parser, "write the first N cases (default: all)")
    add_renamed(
        parser, "--to", "--output", "-o", dest="to", metavar="DIR", type=Path, required=True,
        help="directory of the case files",
    )


def _export(arguments: argparse.Namespace) -> int:
    from ..cases.case_reader import SUFFIX
    from ..cases.case_writer import write_case

    arguments.to.mkdir(parents=True, exist_ok=True)
    written = 0
    for case in _selected(arguments, arguments.limit, answered=True):
        name = re.sub(r"[^\w.-]+", "-", case.title)
        write_case(case, arguments.to / f"{name}{SUFFIX}")
        written += 1
    print(f"{counted(written, 'case')} written to {arguments.to}")
    return 0


# --- choosing cases ------------------------------------------------------------------------------


def _add_selection(parser: argparse.ArgumentParser, limit: str) -> None:
    parser.add_argument("corpus", metavar="FILE.parquet", type=Path)
    parser.add_argument(
        "--id", action="append", default=[], dest="ids", metavar="ID",
        help="select the case with this id (repeatable)",
    )
    parser.add_argument("--limit", type=whole, metavar="N", help=limit)


def _selected(
    arguments: argparse.Namespace, limit: int | None, *, answered: bool
) -> Iterator[Case]:
    """Yield the cases that the options choose; with the oracle's answer, if they have none."""
    from ...semantics.model.errors import CaseError
    from ..checking.case_checker import expectation_of
    from ..sweeps.corpus_file import case_of, read_corpus

    wanted = set(arguments.ids)
    rows = (row for row in read_corpus(arguments.corpus) if not arguments.ids or row.id in wanted)
    for row in islice(rows, limit):
        case = case_of(row)
        if answered and case.expect is None:
            case = case.but(expect=expectation_of(case))
        yield case
        wanted.discard(row.id)
        if arguments.ids and not wanted:
            return
    if wanted and limit is None:
        raise CaseError(f"there is no case '{min(wanted)}'", source=str(arguments.corpus))


# --- common --------------------------------------------------------------------------------------


def _add_language(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--language", "-l", default=default(), metavar="L",
        help=f"language of the queries (default: {default()})",
    )


def _check_language(name: str) -> None:
    from ..languages.registry import language

    language(name)  # says which there are if there is none of this name


def _add_output(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    parser.add_argument(
        "-o", "--output", metavar="FILE.parquet", type=Path, required=required,
        help="write the corpus to FILE.parquet",
    )


def _write(rows: Iterable[CorpusRow], path: Path, expected: int | None) -> int:
    from ..sweeps.corpus_file import CorpusWriter

    with CorpusWriter(path) as writer:
        writer.extend(_watched(rows, expected))
    return writer.rows


def _watched(rows: Iterable[CorpusRow], expected: int | None) -> Iterator[CorpusRow]:
    """Yield the rows, with a bar on a terminal."""
    with bar("writing", expected) as shown:
        for row in rows:
            yield row
            shown.advance()
