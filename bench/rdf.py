"""How fast the engines over RDF are, from columns and item by item.

    python bench/rdf.py [abcdefms ...] [--items 50000] [--runs 3] [--page docs/rdf-speed.md]

Sections: a, the keyed sequence; b, stock graphs; c, the keyed sequence in a window, in the other
languages; d, windows and background graphs; e, one item at a time; f, files of N-Quads; m, graph
patterns alone; s, memory over a long stream (say, --items 10000000). Streams are generated. Figures
are medians of processor time (e: of the clock; s: of memory), each beside a baseline of the same
run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from measuring.pages import write_section
from rdf_bench import files, intervals, matching, rsepql, soak, spaseq
from rdf_bench.figures import Figure, page


def section_c(items: int, runs: int) -> list[Figure]:
    """The languages other than SPAseq."""
    return [*intervals.section_c(items, runs), *rsepql.section_c(items, runs)]


SECTIONS: dict[str, Callable[[int, int], list[Figure]]] = {
    "a": spaseq.section_a, "b": spaseq.section_b, "c": section_c,
    "d": spaseq.section_d, "e": spaseq.section_e, "f": files.section_f, "m": matching.section_m,
    "s": soak.section_s,
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "sections", nargs="*", choices=[*SECTIONS, []], help="letters; all if none is named"
    )
    parser.add_argument("--items", type=int, default=50_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--page", type=Path, help="the page whose section is written")
    arguments = parser.parse_args()
    figures: list[Figure] = []
    for letter in arguments.sections or SECTIONS:
        for figure in SECTIONS[letter](arguments.items, arguments.runs):
            figures.append(figure)
            print("  ".join(cell for cell in figure.cells if cell), flush=True)
    if arguments.page:
        if not arguments.page.exists():
            arguments.page.write_text("# Speed of the engines over RDF\n", encoding="utf-8")
        write_section(arguments.page, "Speed over columns", page(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
