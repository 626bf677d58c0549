"""The commands and programs in README.md, docs/ and examples/ print what the pages show.

A comment in front of a fenced block says what the block is; the blocks of a page run in order, in
one scratch folder:

    <!-- file: NAME -->       the block is the text of the file NAME
    <!-- copy: PATH -->       the file is a copy of PATH, from the page's folder; no block follows
    <!-- run -->              `console`: every line after `$ ` is a command, the lines that follow
                              are what it prints (stdout and stderr), `…` stands for anything;
                              `python`: a program; `pycon`: a session
    <!-- run: exit N -->      the same, and the (last) command ends with exit code N
    <!-- run: needs NAME -->  the same, where there is a program NAME (also `exit N, needs NAME`)
    <!-- not run: REASON -->  the block is not executed

    <!-- run: in a process -->  the same, in a process of its own (also `exit N, in a process`)

`denota …` and programs run in the process of the tests, which saves the start of an interpreter;
commands that need a shell, and the blocks of a page about processes, do not.

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
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from types import ModuleType

import pytest

import denota
from denota.oracle.cli import main as denota_main

markdown_it = pytest.importorskip("markdown_it")

ROOT = Path(denota.__file__).resolve().parent
PAGES = [
    path
    for folder in (ROOT, ROOT / "docs", ROOT / "examples")
    for path in sorted(folder.glob("*.md"))
]
MARK = re.compile(r"<!--\s*(file|copy|run|not run)(?::\s*(.*?))?\s*-->", re.DOTALL)
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
    def in_a_process(self) -> bool:
        return "in a process" in self.argument

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
            if mark == "copy":
                yield Block("", "", token.map[0] + 1, mark, argument)
                mark, argument = "", ""
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


def own_arguments(command: str) -> list[str] | None:
    """Return the arguments of a command that is `denota …` alone; None if it needs a shell."""
    command = command.replace("\\\n", " ")
    unquoted = re.sub(r'''\'[^\']*\'|"[^"$`\\]*"''', "", command)
    if re.search(r"[^\w\s./:=,+@%-]", unquoted):
        return None
    words = shlex.split(command)
    return words[1:] if words[:1] == ["denota"] else None


@dataclass
class Runner:
    """Runs the blocks of one page, in one scratch folder."""

    folder: Path

    def run(self, block: Block) -> None:
        """Run a block; raise an error if it does not print what the page shows."""
        if block.language == "console":
            commands = list(commands_of(block))
            for index, (command, shown) in enumerate(commands):
                words = None if block.in_a_process else own_arguments(command)
                if words is None:
                    code, printed = in_a_process(["bash", "-c", command], self.folder)
                else:
                    code, printed = self.in_this_process(partial(denota_main, words))
                last = index == len(commands) - 1
                assert code == (block.exit_code if last else 0), f"{command}\n{printed}"
                if not agrees(printed, shown):
                    pytest.fail(f"$ {command}\n{printed}\n--- but shown is\n{shown}", pytrace=False)
        elif block.language == "python":
            if block.in_a_process:
                code, printed = in_a_process([sys.executable, "-c", block.text], self.folder)
            else:
                code, printed = self.in_this_process(partial(run_program, block.text))
            assert code == block.exit_code, printed
        else:
            assert block.language == "pycon", f"a block in '{block.language}' cannot be run"
            session = doctest.DocTestParser().get_doctest(block.text, {}, "page", None, block.line)
            report: list[str] = []
            with self.here():
                doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(session, out=report.append)
            assert not report, "".join(report)

    @contextmanager
    def here(self) -> Iterator[None]:
        """Work in the folder, whose modules are importable, and forget them in the end."""
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            patch.syspath_prepend(str(self.folder))
            known = set(sys.modules)
            try:
                yield
            finally:
                for name in set(sys.modules) - known:
                    file = getattr(sys.modules[name], "__file__", None)
                    if file and Path(file).is_relative_to(self.folder):
                        del sys.modules[name]

    def in_this_process(self, program: Callable[[], int]) -> tuple[int, str]:
        """Return a program's exit code and its output, also that of its child processes."""
        # A pipe would be held open by a child that outlives the program.
        with self.here(), TemporaryFile() as output, redirected(output.fileno()):
            try:
                code = program()
            except SystemExit as stop:
                code = stop.code if isinstance(stop.code, int) else bool(stop.code)
            except Exception:
                traceback.print_exc()
                code = 1
            sys.stdout.flush()
            sys.stderr.flush()
            output.seek(0)
            return code, output.read().decode()


def run_program(text: str) -> int:
    """Run a program as `python -c` does: as the module `__main__`."""
    main = ModuleType("__main__")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "__main__", main)
        patch.setattr(sys, "argv", ["-c"])
        exec(compile(text, "<string>", "exec"), main.__dict__)
    return 0


@contextmanager
def redirected(target: int) -> Iterator[None]:
    """Lead the standard streams to a file; standard input is empty."""
    with ExitStack() as stack:
        nothing = stack.enter_context(open(os.devnull, "rb"))
        for number, file in ((0, nothing.fileno()), (1, target), (2, target)):
            kept = os.dup(number)
            stack.callback(os.close, kept)
            stack.callback(os.dup2, kept, number)
            os.dup2(file, number)
        for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
            stack.callback(setattr, sys, name, getattr(sys, name))
            buffering = 1 if name == "stderr" else -1
            stream = stack.enter_context(
                open(number, mode, buffering, encoding="utf-8", closefd=False)
            )
            setattr(sys, name, stream)
        yield


def in_a_process(command: list[str], folder: Path) -> tuple[int, str]:
    done = subprocess.run(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, check=False,
    )
    return done.returncode, done.stdout


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    """`denota` and `python` are this interpreter's; nothing depends on the width of a terminal."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, command in {"python": "", "python3": "", "denota": "-m denota"}.items():
        shim = programs / name
        shim.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {command} "$@"\n')
        shim.chmod(0o755)
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    monkeypatch.setattr("denota.oracle.cli.options.TIMEOUT", 600.0)  # on a busy machine
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    for name, value in {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}.items():
        monkeypatch.setenv(name, value)
    folder = tmp_path / "page"
    folder.mkdir()
    return Runner(folder)


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_page_shows_what_happens(page: Path, runner: Runner) -> None:
    text = page.read_text(encoding="utf-8")
    if "$ denota sweep" in text:
        pytest.importorskip("pyspark", reason="the extra 'spark' is not installed")
    folder = runner.folder
    lacking: set[str] = set()
    for block in blocks_of(text):
        if block.mark == "file":
            target = folder / block.argument
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        elif block.mark == "copy":
            shutil.copy(page.parent / block.argument, folder)
        elif block.mark == "run" and block.lacks:
            lacking.add(block.lacks)
        elif block.mark == "run":
            runner.run(block)
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


def test_a_wrong_output_is_found(runner: Runner) -> None:
    (block,) = blocks_of("<!-- run -->\n```console\n$ echo one; echo two\none\n```\n")
    with pytest.raises(pytest.fail.Exception, match="but shown is"):
        runner.run(block)
    (block,) = blocks_of("<!-- run: exit 3 -->\n```console\n$ echo one; exit 3\n…ne\n```\n")
    runner.run(block)
    with pytest.raises(AssertionError):
        runner.run(replace(block, argument=""))


@pytest.mark.parametrize("where", ["", ", in a process"])
def test_a_command_and_a_program_give_their_output_and_exit_code(
    runner: Runner, where: str
) -> None:
    page = f"<!-- run: exit 2{where} -->\n```console\n$ denota chek\n…unknown command…\n```\n"
    (block,) = blocks_of(page)
    runner.run(block)
    with pytest.raises(pytest.fail.Exception, match="but shown is"):
        runner.run(replace(block, text="$ denota chek\nno such line\n"))
    (block,) = blocks_of(f"<!-- run: exit 3{where} -->\n```python\nraise SystemExit(3)\n```\n")
    runner.run(block)
    with pytest.raises(AssertionError, match="division by zero"):
        runner.run(replace(block, text="1 / 0"))


@pytest.mark.parametrize(("command", "arguments"), [
    ("denota run q --at 'a b' \\\n  -o x", ["run", "q", "--at", "a b", "-o", "x"]),
    ('denota explain "?a"', ["explain", "?a"]),
    ("denota run q | head", None),
    ("denota run *.rq", None),
    ('denota run "$x"', None),
    ("denota run a; ls", None),
    ("cat q", None),
])
def test_a_command_that_needs_a_shell_is_recognised(
    command: str, arguments: list[str] | None
) -> None:
    assert own_arguments(command) == arguments


def test_a_block_may_need_a_program() -> None:
    page = "<!-- run: exit 1, needs no-such-program -->\n```console\n$ no-such-program\n```\n"
    (block,) = blocks_of(page)
    assert (block.exit_code, block.lacks) == (1, "no-such-program")
    (block,) = blocks_of(page.replace("no-such-program", Path(sys.executable).as_posix()))
    assert (block.exit_code, block.lacks) == (1, "")


def test_a_wrong_session_is_found(runner: Runner) -> None:
    (block,) = blocks_of("<!-- run -->\n```pycon\n>>> 1 + 1\n3\n```\n")
    with pytest.raises(AssertionError, match="Expected"):
        runner.run(block)
