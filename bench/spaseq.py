"""The questions of SPAseq's evaluation, asked of denota's engine.

    python bench/spaseq.py [--events 10000] [--few 1000] [--runs 2] [--only windows ...]
                           [--stocks stock_data.csv] [--page docs/spaseq-speed.md]

Streams are generated in the shape of the paper's data sets; `--stocks` adds a real one, mapped to
RDF. With `--page` the page is written, and its pictures beside it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from measuring.plots import plot
from spaseq_bench import data
from spaseq_bench.questions import QUESTIONS, Answer, Asking

_NAMES = {question.__name__: question for question in QUESTIONS}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--few", type=int, default=1_000, help="events for what takes long")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--only", nargs="*", choices=[*_NAMES], default=[*_NAMES])
    parser.add_argument("--stocks", type=Path, help="a file of trades")
    parser.add_argument("--page", type=Path)
    arguments = parser.parse_args()
    real = data.real_stocks(arguments.stocks, arguments.events) if arguments.stocks else []
    asked = Asking(arguments.events, arguments.runs, arguments.few, real)
    answers = []
    for name in arguments.only:
        answers.append(_NAMES[name](asked))
        print(_section(answers[-1], pictures=False), flush=True)
    if arguments.page:
        arguments.page.write_text(_page(answers, asked), encoding="utf-8")
        (arguments.page.parent / "pictures").mkdir(exist_ok=True)
        for answer in answers:
            if answer.series:
                drawn = plot(answer.title, answer.x, answer.y, answer.series)
                _picture(arguments.page, answer).write_text(drawn, encoding="utf-8")
    return 0


def _picture(page: Path, answer: Answer) -> Path:
    return page.parent / "pictures" / f"spaseq-{answer.picture}.svg"


def _page(answers: list[Answer], asked: Asking) -> str:
    sizes = ", ".join(f"{each.name} {len(each.items):,}" for each in asked.sets)
    head = [
        "# SPAseq performance",
        "",
        "The evaluation of SPAseq's paper (Section 8) asks four questions. Here they are asked of",
        "denota's engine, on streams that are generated in the shape of the paper's data: trades",
        "of 110 companies (SMD), payments by card (CCD), traffic at three places (TD), the streams",
        "of smart homes (SHD)" + (", and a day of real trades (stocks)." if asked.real else "."),
        f"Items: {sizes}.",
        "The paper's machine, sizes and engines are others: only the shapes of the curves compare.",
        "",
        "All is processor time of one core, medians of several runs, other programs beside them.",
        "",
        "`python bench/spaseq.py --stocks stock_data.csv --page docs/spaseq-speed.md` measures",
        "this and writes this page.",
        "",
    ]
    return "\n".join(head) + "\n" + "\n".join(_section(each, pictures=True) for each in answers)


def _section(answer: Answer, *, pictures: bool) -> str:
    lines = [f"## {answer.title}", "", answer.words, ""]
    if pictures and answer.series:
        words = f"{answer.y} by {answer.x}"
        lines += [f"![{words}](pictures/spaseq-{answer.picture}.svg)", ""]
    lines += ["| " + " | ".join(answer.head) + " |", "|" + "--:|" * len(answer.head)]
    lines += ["| " + " | ".join(row) + " |" for row in answer.rows]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    sys.exit(main())
