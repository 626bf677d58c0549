"""`denota explain`: explain why a row is, or is not, a result."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ...semantics.streams.files.outputs import write_text
from . import UsageError
from .options import add_files_outside, add_inputs, add_query
from .options import arranged as arranged
from .progress import bar

if TYPE_CHECKING:
    from ..cases.case import Case
    from ..explanations.explain_case import Explanation

EPILOG = """\
QUERY is a file of a query with --stream options, as for `denota run`, or a case (*.case.yaml),
which has its own streams. The streams are read to their ends.

The matches of the oracle are counted from 1, in the order of their times. A ROW is written as in a
case's 'expect', and may leave out anything: '{time: 20, h: ":H1"}', '{h: ":H1"}',
'{time: 20, solution: {h: ":H1"}}', '{at: 8, x: ":a"}', '{interval: [10, 16], s: ":m"}',
'{at: 4, boolean: true}', or of a complex event '{end: 4}', '{start: 0, positions: [0, 4]}'. Without
--match and --missing, every match is explained, and each expected row of the case that is missing.
A missing row is explained by the nearest derivation and its first failing condition.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    add_query(parser)
    add_inputs(parser)
    add_files_outside(parser)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--match", metavar="N", type=int, help="explain the N-th match")
    which.add_argument("--missing", metavar="ROW", help="explain why ROW is not a match")
    parser.add_argument(
        "--html", metavar="F", type=Path,
        help="write the explanations, with timelines, as an HTML page",
    )
    parser.add_argument(
        "--svg", metavar="F", type=Path, help="draw the first explanation as a timeline"
    )


def run(arguments: argparse.Namespace) -> int:
    from ..explanations.explain_case import Explanations, explain_results, explainer_of

    case = _case(arguments)
    with case.query_errors():
        told = explainer_of(case)
        with bar("evaluating the definitions", counted=False):
            many = len(told.results)
        each = explain_results(told, arguments.match, arguments.missing, source="--missing")
        found: list[Explanation] = []
        while True:
            done = f"explaining: {len(found):,} done, results: {many:,}"
            with bar(done, counted=False):  # erased before lines are printed
                explanation = next(each, None)
            if explanation is None:
                break
            for line in explanation.text():
                print(line)
            found.append(explanation)
        explanations = Explanations(told, found)
        if arguments.svg is not None:
            write_text(arguments.svg, explanations.svg() + "\n")
        if arguments.html is not None:
            from ..reports.html.result_page import write_explanations

            write_explanations(told, explanations, arguments.html)
    return 0


def _case(arguments: argparse.Namespace) -> Case:
    from ..cases.case_reader import read_case
    from .run.input_streams import case_of, inputs_of
    from .run.option_values import query_text

    inputs = ("stream", "kb", "reading", "start", "at", "setting", "policy", "period")
    given = [name for name in inputs if getattr(arguments, name)]
    if arguments.query.endswith((".yaml", ".yml")):
        if given:
            option = "from" if given[0] == "start" else given[0]
            raise UsageError(f"--{option} is not allowed with a case, which has inputs of its own")
        return read_case(arguments.query, files_outside=arguments.allow_files_outside)
    return case_of(arguments, inputs_of(arguments, *query_text(arguments.query)))
