"""`denota explain`: which definition and which events make a match of a case, or keep it away."""

from __future__ import annotations

import argparse
from pathlib import Path

from ...semantics.model.errors import DenotaError
from ...semantics.streams.files.outputs import write_text
from .options import add_files_outside

EPILOG = """\
The matches of the oracle are counted from 1, in the order of their times. A ROW is written as in a
case's 'expect', and may leave out anything: '{time: 20, h: ":H1"}', '{h: ":H1"}',
'{time: 20, solution: {h: ":H1"}}', '{at: 8, x: ":a"}', '{interval: [10, 16], s: ":m"}',
'{at: 4, boolean: true}', or of a complex event '{end: 4}', '{start: 0, positions: [0, 4]}'. Without
--match and --missing every match is explained, and so is each row that the case expects and that
is not there. What is missing is explained by the derivation that comes nearest to it, up to the
first condition that does not hold.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("case", metavar="CASE", help="a case (*.case.yaml)")
    add_files_outside(parser)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--match", metavar="N", type=int, help="explain the N-th match")
    which.add_argument("--missing", metavar="ROW", help="explain why ROW is not a match")
    parser.add_argument(
        "--html", metavar="F", type=Path, help="write it, drawn as timelines too, as an HTML page"
    )
    parser.add_argument(
        "--svg", metavar="F", type=Path, help="draw the first explanation as a timeline"
    )


def run(arguments: argparse.Namespace) -> int:
    from ..cases.reading import read_case
    from ..explanations.explained import drawing, explained, explainer_of

    case = read_case(arguments.case, files_outside=arguments.allow_files_outside)
    with case.query_errors():
        told = explainer_of(case)
        explanations = []
        for explanation in explained(told, arguments.match, arguments.missing):
            for line in explanation.text():
                print(line)
            explanations.append(explanation)
        if arguments.svg is not None:
            picture = drawing(told, explanations[0], alone=True)
            if not picture:
                raise DenotaError("there is nothing to draw: no event, or too many")
            write_text(arguments.svg, picture + "\n")
        if arguments.html is not None:
            from ..reports.html.explained_page import write_explanations

            write_explanations(told, explanations, arguments.html)
    return 0
