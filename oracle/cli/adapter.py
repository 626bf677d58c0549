"""`denota adapter`: check an adapter against the protocol."""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING

from ...semantics.model.printable import printable
from ..explanations.plurals import counted
from . import UsageError
from .options import add_timeout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..engines.adapter_check.program import Check, Program

CHECK = """\
Check that a program follows the adapter protocol: handshake, a first case of each language, ids,
Unicode, empty streams, long lines, error handling, independence of requests, and shutdown. The
output has a line per check; that of a failed check has the expected and the actual message.
"""

EPILOG = """\
COMMAND is the program with its arguments, in quotes: denota adapter check "java -jar engine.jar".
Exit code 0 if no check failed, 1 if one did, 2 if the program cannot be started. Use denota check
and denota fuzz to test the results of the engine.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = actions.add_parser(
        "check", help="check that a program follows the adapter protocol",
        description=CHECK, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    check.add_argument("command", metavar="COMMAND", help="program with its arguments")
    add_timeout(check)
    check.add_argument(
        "-q", "--quiet", action="store_true", help="print only the checks that fail"
    )


def run(arguments: argparse.Namespace) -> int:
    """Return 0 if no check failed, 1 if one did."""
    from ..engines.adapter_check.program import Program, Result, lines

    try:
        words = shlex.split(arguments.command.removeprefix("command:"))
    except ValueError as error:
        raise UsageError(f"COMMAND: {error}") from error
    if not words:
        raise UsageError("COMMAND: name a program")
    program = Program(words, arguments.timeout)
    counts = dict.fromkeys(Result, 0)
    try:
        for check in _checks(program):
            counts[check.result] += 1
            if check.result is Result.FAILED or not arguments.quiet:
                print("\n".join(map(printable, lines(check))), flush=True)
    finally:
        program.close()
    said = ", ".join(
        f"{count} {_WORDS[result]}" for result, count in counts.items() if count
    )
    number = sum(counts.values())
    print(f"{counted(number, 'check')}: {said} ({program.called})")
    return 1 if counts[Result.FAILED] else 0


_WORDS = {"ok": "ok", "FAILED": "failed", "left out": "left out"}


def _checks(program: Program) -> Iterator[Check]:
    """Yield all checks; only the first ones of a program without a greeting or a language."""
    from ..engines.adapter_check.case_checks import ids, questions
    from ..engines.adapter_check.session_checks import handshake_checks, schema_kept, session_checks

    yield from handshake_checks(program)
    if not program.languages:
        return
    for name in program.languages:
        yield from questions(program, name)
    yield ids(program, program.languages[0])
    yield from session_checks(program)
    yield schema_kept(program)
