"""`denota draw`: the automaton or operators of a query, as SVG."""

from __future__ import annotations

import argparse
from pathlib import Path

from ...semantics.streams.files.outputs import write_text
from . import UsageError
from .options import add_query, reading_options
from .run.option_values import query_text
from .terminal import machine_output

_OTHER_FORMATS = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf", ".eps", ".ps", ".dot")


def configure(parser: argparse.ArgumentParser) -> None:
    add_query(parser)
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=Path,
        help="write the picture to FILE (default: stdout)",
    )


def run(arguments: argparse.Namespace) -> int:
    suffix = "" if arguments.output is None else arguments.output.suffix.lower()
    if suffix in _OTHER_FORMATS:
        raise UsageError(f"-o: draw writes SVG, not {suffix}: name the file with .svg")
    from ..languages.registry import parse_query, part_of

    text, source = query_text(arguments.query)
    language, query = parse_query(text, arguments.language, source=source)
    readings = language.readings(reading_options(arguments.reading), query)
    picture = part_of(language.name, "draw").picture(query, readings)
    if arguments.output is None:
        print(picture, file=machine_output())
    else:
        write_text(arguments.output, picture)
    return 0
