"""`denota explain`: which definition and which events make a match of a case, or keep it away."""

from __future__ import annotations

import argparse

from . import allow_files_outside

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
    from ..languages.registry import part_of

    case = read_case(arguments.case, files_outside=arguments.allow_files_outside)
    with case.task().query_errors():
        explain = part_of(case.language, "explain")
        for line in explain.explained(case, arguments.match, arguments.missing):
            print(line)
    return 0
