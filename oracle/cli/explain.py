"""`denota explain`: which definition and which events make a match of a case, or keep it away."""

from __future__ import annotations

import argparse

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


def run(arguments: argparse.Namespace) -> int:
    from ..cases.reading import read_case
    from ..explanations.telling import explained
    from ..languages.registry import part_of

    case = read_case(arguments.case, files_outside=arguments.allow_files_outside)
    with case.query_errors():
        explainer = part_of(case.language_name, "explain").EXPLAINER
        for line in explained(explainer, case, arguments.match, arguments.missing):
            print(line)
    return 0
