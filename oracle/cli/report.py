"""`denota report`: a conformance report for one or more engines."""

from __future__ import annotations

import argparse
from pathlib import Path

EPILOG = """\
A DIR has the verdicts of 'denota check' and 'denota fuzz' with --save-verdicts DIR, or it is the
output of a sweep; it is searched at any depth. If an engine has several verdicts on a case, the
last one counts. Without --html and --markdown the report is printed as Markdown.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = EPILOG
    parser.add_argument(
        "places", metavar="DIR", nargs="+", type=Path, help="directories or files of verdicts"
    )
    parser.add_argument("--html", metavar="F", type=Path, help="write an HTML page")
    parser.add_argument("--markdown", metavar="F", type=Path, help="write a Markdown page")


def run(arguments: argparse.Namespace) -> int:
    from ..reports.conformance import markdown, read_engines, write_html, write_markdown_page

    engines = read_engines(arguments.places)
    if arguments.html is not None:
        write_html(engines, arguments.html)
    if arguments.markdown is not None:
        write_markdown_page(engines, arguments.markdown)
    if arguments.html is None and arguments.markdown is None:
        print(markdown(engines, Path()), end="")
    return 0
