"""The command line: `denota COMMAND …`, one module a command.

The module of a command has `configure(parser)`, which declares its options, and
`run(arguments) -> int`, which does the work and returns the exit code. It is imported only when its
command is called, and the top-level help is a static table, so that `denota --help` is fast.

Exit codes: 0 success, 1 failures (a case failed, a discrepancy was found) or a file that was
truncated while it was read, 2 usage or input error, 3 nothing supported (the engine supports none
of the cases), 130 interrupted, 141 the reader of the output closed it.
"""

from __future__ import annotations

import argparse
import atexit
import errno
import os
import re
import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn, Protocol, cast

COMMANDS: dict[str, tuple[str, str]] = {
    "run": ("run", "run a query over streams; emit each result as soon as it is final"),
    "check": ("check", "test an engine with conformance cases"),
    "fuzz": ("fuzz", "test an engine with generated cases"),
    "explain": ("explain", "explain why a row is, or is not, a result"),
    "distinguish": (
        "distinguish", "find a minimal stream on which two queries return different results"
    ),
    "corpus": ("corpus", "enumerate, generate, show and export corpora of cases"),
    "sweep": ("sweep", "test an engine with all cases of a corpus or bound, on Spark"),
    "certificate": ("certificate", "re-run cases that a sweep has certified"),
    "report": ("report", "write a conformance report for one or more engines"),
    "adapter": ("adapter", "check that an adapter of an engine follows the protocol"),
    "draw": ("draw", "draw a query's automaton or operators as SVG"),
    "play": ("play", "serve a page on 127.0.0.1 for trying out queries"),
}
"""Command -> (module of this package, summary)."""

NOTHING_JUDGED = 3
INTERRUPTED = 130
READER_GONE = 141

_OUTPUT_FAILED = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class Command(Protocol):
    """The functions of a command's module."""

    def configure(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, arguments: argparse.Namespace) -> int: ...


class UsageError(Exception):
    """Wrong options; printed as one line, exit code 2."""


class OneLineParser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, without the usage in front."""

    def error(self, message: str) -> NoReturn:
        from ...semantics.model.errors import nearest

        unknown = re.match(r"unrecognized arguments: (--[\w-]+)", message)
        wrong = re.search(r"invalid choice: '(.*?)' \(choose from (.*)\)$", message)
        if unknown:
            options = [name for action in self._actions for name in action.option_strings]
            message += nearest(unknown[1], options)
        elif wrong:
            choices = re.findall(r"[\w.-]+", wrong[2])
            message = f"{message[: wrong.end(1) + 1]}{nearest(wrong[1], choices)}"\
                f"{message[wrong.end(1) + 1:]}"
        raise UsageError(f"{self.prog}: {message} (see {self.prog} --help)")

    def _print_message(self, message: str, file: Any = None) -> None:
        (file or sys.stderr).write(message)  # argparse would not say that it cannot


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    ends: list[int] = []
    if argv is None:
        atexit.register(_end, ends)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show ⋈ gets an escape, not an error.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    try:
        from .terminal import printable_output

        with printable_output():
            code = _dispatch(words)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        with suppress(OSError):
            sys.stdout.flush()
        if words[:1] != ["run"]:  # a stream that is followed ends so
            _complain("denota: interrupted")
        ends.append(INTERRUPTED)
        return INTERRUPTED
    except BrokenPipeError:
        _abandon_stdout()
        return READER_GONE
    except OSError as error:  # what was printed could not be written
        _abandon_stdout()
        return _complain(f"<stdout>: cannot be written: {os_error(error)}")


def _end(ends: Sequence[int]) -> None:
    """End an interrupted program with its exit code.

    Python ends it by the signal where the interrupt came in the midst of an `exec` (of a dataclass,
    say), although it was caught.
    """
    if ends:
        os._exit(ends[-1])


def help_text() -> str:
    """Return the text of `denota --help`."""
    width = max(map(len, COMMANDS))
    lines = [
        "usage: denota COMMAND [OPTIONS]",
        "",
        "Run, test and explain complex event processing (CEP) queries over RDF and tuple streams.",
        "",
        *(f"  {name:{width}}  {summary}" for name, (_, summary) in COMMANDS.items()),
        "",
        "'denota COMMAND --help' lists the options of a command, 'denota --version' the version.",
    ]
    return "\n".join(lines)


def _dispatch(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        if words[:1] == ["help"] and len(words) > 1:
            return _dispatch([words[1], "--help"])
        print(help_text())
        return 0 if words else 2
    if words[0] in ("-V", "--version"):
        from ... import __version__

        print(f"denota {__version__}")
        return 0
    name = words[0]
    if name not in COMMANDS:
        from ...semantics.model.errors import nearest

        hint = nearest(name, COMMANDS)
        return _complain(f"denota: unknown command '{name}'{hint} (see denota --help)")
    return _run_command(name, words[1:])


def _run_command(name: str, words: list[str]) -> int:
    import logging
    from importlib import import_module

    from ...semantics.model.errors import DenotaError, TruncatedInputError
    from ...semantics.streams.files.outputs import protected_inputs
    from .named_files import check_files

    module, summary = COMMANDS[name]
    # rdflib logs what it takes for no IRI; denota raises errors where one is needed.
    logging.getLogger("rdflib.term").setLevel(logging.ERROR)
    try:
        command = cast(Command, import_module(f"{__name__}.{module}"))
    except ModuleNotFoundError as error:
        return _complain(f"denota {name}: {_missing_module(error)}")
    parser = OneLineParser(
        prog=f"denota {name}",
        description=summary[0].upper() + summary[1:] + ".",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.configure(parser)
    arranged = getattr(command, "arranged", list)
    try:
        parsed = parser.parse_args(arranged(words))
        parsed.command_line = shlex.join(["denota", name, *words])
        with protected_inputs():
            check_files(parser, parsed)
            if name == "run":  # its results are data
                return command.run(parsed)
            from .terminal import folded_output

            with folded_output():
                return command.run(parsed)
    except SystemExit as stop:  # --help
        return stop.code if isinstance(stop.code, int) else 0
    except BrokenPipeError:
        raise
    except DenotaError as error:
        code = 1 if isinstance(error, TruncatedInputError) else 2
        return _complain(str(error) if error.source else f"denota {name}: {error}", code)
    except UsageError as error:
        message = str(error)
        return _complain(message if message.startswith("denota ") else f"denota {name}: {message}")
    except UnicodeDecodeError as error:
        return _complain(f"the input is not UTF-8: {error.reason} at byte {error.start}")
    except RecursionError:
        return _complain(f"denota {name}: the input is nested too deeply")
    except OSError as error:
        if error.filename is None and error.errno in _OUTPUT_FAILED:
            raise  # files are named
        return _complain(os_error(error))
    except ModuleNotFoundError as error:
        return _complain(f"denota {name}: {_missing_module(error)}")


def _complain(message: str, code: int = 2) -> int:
    with suppress(OSError):  # nobody can be told
        print(" ".join(message.split()), file=sys.stderr)
    return code


def os_error(error: OSError) -> str:
    """Return the reason of an error, after the file's name if it has one."""
    reason = error.strerror or str(error)
    return f"{os.fspath(error.filename)}: {reason}" if error.filename is not None else reason


def _missing_module(error: ModuleNotFoundError) -> str:
    return f"the Python module '{error.name}' is not installed"


def _abandon_stdout() -> None:
    # The interpreter flushes stdout at exit and would complain about the closed pipe once more.
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
