"""What README.md, the pages of docs/ and those of examples/ show is what happens.

A comment in front of a fenced block says what the block is; the blocks of a page run in order, in
one scratch folder:

    <!-- file: NAME -->       the block is the text of the file NAME
    <!-- run -->              `console`: every line after `$ ` is a command, the lines that follow
                              are what it prints (stdout and stderr), `…` stands for anything;
                              `python`: a program; `pycon`: a session
    <!-- run: exit N -->      the same, and the (last) command ends with exit code N
    <!-- run: needs NAME -->  the same, where there is a program NAME (also `exit N, needs NAME`)
    <!-- not run: REASON -->  the block is not executed

A picture that a command of its page draws, under the same name, is compared. A `console`,
`python` or `pycon` block without a comment is an error: nothing is unchecked by oversight.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import denota

markdown_it = pytest.importorskip("markdown_it")

ROOT = Path(denota.__file__).resolve().parent
PAGES = [
    path
    for folder in (ROOT, ROOT / "docs", ROOT / "examples")
    for path in sorted(folder.glob("*.md"))
]
MARK = re.compile(r"<!--\s*(file|run|not run)(?::\s*(.*?))?\s*-->", re.DOTALL)
RUNNABLE = {"console", "python", "pycon"}


@dataclass(frozen=True)
class Block:
    """A fenced block: `mark` and `argument` are what the comment in front of it says."""

    language: str
    text: str
    line: int
    mark: str
    argument: str

    @property
    def exit_code(self) -> int:
        found = re.search(r"exit (\d+)", self.argument)
        return int(found[1]) if found else 0

    @property
    def lacks(self) -> str:
        """The program that it needs, if there is no such program here."""
        needed = re.search(r"needs (\S+)", self.argument)
        return needed[1] if needed and not shutil.which(needed[1]) else ""


def blocks_of(page: str) -> Iterator[Block]:
    mark, argument = "", ""
    for token in markdown_it.MarkdownIt("commonmark").parse(page):
        if token.type == "html_block" and (found := MARK.search(token.content)):
            mark, argument = found.group(1), found.group(2) or ""
        elif token.type == "fence":
            yield Block(token.info.strip(), token.content, token.map[0] + 1, mark, argument)
            mark, argument = "", ""


def commands_of(block: Block) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with what it should print."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        lines = part.splitlines()
        command = [lines.pop(0)]
        while command[-1].endswith("\\") and lines:
            command.append(lines.pop(0).removeprefix("> "))
        yield "\n".join(command), "\n".join(lines).strip()


def agrees(printed: str, shown: str) -> bool:
    """Line by line, without trailing blanks; `…` stands for anything, also for several lines."""
    wanted = "\n".join(line.rstrip() for line in shown.strip().splitlines())
    got = "\n".join(line.rstrip() for line in printed.strip().splitlines())
    return re.fullmatch(".*?".join(map(re.escape, wanted.split("…"))), got, re.DOTALL) is not None


def environment(home: Path) -> dict[str, str]:
    """`denota` and `python` are this interpreter's; nothing depends on the width of a terminal."""
    programs = home / "bin"
    programs.mkdir()
    for name, command in {"python": "", "python3": "", "denota": "-m denota"}.items():
        shim = programs / name
        shim.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {command} "$@"\n')
        shim.chmod(0o755)
    clean = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    return {**clean, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100",
            "NO_COLOR": "1", "TERM": "dumb"}


def execute(command: list[str], folder: Path, variables: dict[str, str]) -> tuple[int, str]:
    done = subprocess.run(
        command, cwd=folder, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, check=False,
    )
    return done.returncode, done.stdout


def run_block(block: Block, folder: Path, variables: dict[str, str]) -> None:
    expected = block.exit_code
    if block.language == "console":
        commands = list(commands_of(block))
        for index, (command, shown) in enumerate(commands):
            code, printed = execute(["bash", "-c", command], folder, variables)
            assert code == (expected if index == len(commands) - 1 else 0), f"{command}\n{printed}"
            if not agrees(printed, shown):
                pytest.fail(f"$ {command}\n{printed}\n--- but shown is\n{shown}", pytrace=False)
    elif block.language == "python":
        code, printed = execute([sys.executable, "-c", block.text], folder, variables)
        assert code == expected, printed
    else:
        assert block.language == "pycon", f"a block in '{block.language}' cannot be run"
        session = doctest.DocTestParser().get_doctest(block.text, {}, "page", None, block.line)
        report: list[str] = []
        here = Path.cwd()
        os.chdir(folder)
        try:
            doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(session, out=report.append)
        finally:
            os.chdir(here)
        assert not report, "".join(report)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_page_shows_what_happens(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    if "$ denota sweep" in text:
        pytest.importorskip("pyspark", reason="the extra 'spark' is not installed")
    variables = environment(tmp_path)
    folder = tmp_path / "page"
    folder.mkdir()
    lacking: set[str] = set()
    for block in blocks_of(text):
        if block.mark == "file":
            target = folder / block.argument
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        elif block.mark == "run" and block.lacks:
            lacking.add(block.lacks)
        elif block.mark == "run":
            run_block(block, folder, variables)
    for picture in re.findall(r"!\[[^]]*\]\(([^)]+\.svg)\)", text):
        drawn = folder / Path(picture).name
        if drawn.exists() and drawn.read_bytes() != (page.parent / picture).read_bytes():
            pytest.fail(f"{picture} is out of date; the new one is {drawn}", pytrace=False)
    if lacking:
        pytest.skip(f"what needs {', '.join(sorted(lacking))} is not run: there is none here")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_block_is_unchecked_by_oversight(page: Path) -> None:
    unmarked = [
        f"{page.relative_to(ROOT)}:{block.line}"
        for block in blocks_of(page.read_text(encoding="utf-8"))
        if block.language in RUNNABLE
        and (not block.mark or (block.mark == "not run" and not block.argument))
    ]
    assert unmarked == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
    local = [target for target in targets if not re.match(r"[a-z]+:", target)]
    assert [target for target in local if not (page.parent / target).exists()] == []


def test_a_wrong_output_is_found(tmp_path: Path) -> None:
    (block,) = blocks_of("<!-- run -->\n```console\n$ echo one; echo two\none\n```\n")
    variables = environment(tmp_path)
    with pytest.raises(pytest.fail.Exception, match="but shown is"):
        run_block(block, tmp_path, variables)
    (block,) = blocks_of("<!-- run: exit 3 -->\n```console\n$ echo one; exit 3\n…ne\n```\n")
    run_block(block, tmp_path, variables)
    with pytest.raises(AssertionError):
        run_block(Block(block.language, block.text, 1, "run", ""), tmp_path, variables)


def test_a_block_may_need_a_program() -> None:
    page = "<!-- run: exit 1, needs no-such-program -->\n```console\n$ no-such-program\n```\n"
    (block,) = blocks_of(page)
    assert (block.exit_code, block.lacks) == (1, "no-such-program")
    (block,) = blocks_of(page.replace("no-such-program", Path(sys.executable).as_posix()))
    assert (block.exit_code, block.lacks) == (1, "")


def test_a_wrong_session_is_found(tmp_path: Path) -> None:
    (block,) = blocks_of("<!-- run -->\n```pycon\n>>> 1 + 1\n3\n```\n")
    with pytest.raises(AssertionError, match="Expected"):
        run_block(block, tmp_path, {})
