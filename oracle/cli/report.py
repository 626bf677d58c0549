"""`denota report`: one page on what engines support, pass and fail."""

from __future__ import annotations

import argparse
from pathlib import Path

EPILOG = """\
A DIR holds what 'denota check' and 'denota fuzz' have written with --results DIR, or it is the
folder of a sweep (--out DIR); it is searched at any depth. Of a case that an engine
was judged on more than once the last verdict counts. Without --html and --markdown the page is
printed as Markdown.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = EPILOG
    parser.add_argument(
        "places", metavar="DIR", nargs="+", type=Path, help="results, or files of them"
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
