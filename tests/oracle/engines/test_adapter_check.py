"""The conformance kit: each way to break the protocol fails the check that is about it."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import denota
from denota.oracle.cli import main
from denota.oracle.engines.adapter_check.case_checks import ids, questions, written_cases
from denota.oracle.engines.adapter_check.program import Check, Program, Result
from denota.oracle.engines.adapter_check.session_checks import handshake_checks, session_checks
from denota.oracle.languages.registry import has, names

PAGE = Path(denota.__file__).with_name("docs") / "fifteen-minutes.md"
ENGINE = PAGE.parents[1] / "examples" / "toy.py"
LONG = 1000.0  # seconds that nobody waits for


def files_of_the_page() -> dict[str, str]:
    """The adapter on the page, and the example engine without its bug at the window's end."""
    text = PAGE.read_text(encoding="utf-8")
    found = dict(re.findall(r"<!-- file: (\S+\.py) -->\n```text\n(.*?)```", text, re.DOTALL))
    engine = ENGINE.read_text(encoding="utf-8")
    assert "< query.within" in engine
    return {**found, "toy.py": engine.replace("< query.within", "<= query.within")}


@pytest.fixture
def toy(tmp_path: Path) -> Iterator[Callable[..., Program]]:
    """The toy engine with other lines, in the adapter or in the engine."""
    made: list[Program] = []

    def make(
        old: str = "", new: str = "", *, file: str = "adapter.py", timeout: float = LONG
    ) -> Program:
        for name, text in files_of_the_page().items():
            assert name != file or old in text
            changed = text.replace(old, new) if old and name == file else text
            (tmp_path / name).write_text(changed, encoding="utf-8")
        made.append(Program([sys.executable, str(tmp_path / "adapter.py")], timeout))
        return made[-1]

    yield make
    for program in made:
        program.close()


def failures(checks: Iterator[Check] | list[Check]) -> list[str]:
    return [check.title for check in checks if check.result is Result.FAILED]


def asked(program: Program, *parts: Callable[[Program], Iterator[Check]]) -> list[str]:
    """The failures of some checks, once the handshake has been checked."""
    list(handshake_checks(program))
    return [title for part in parts for title in failures(part(program))]


def of_ceql(program: Program) -> Iterator[Check]:
    yield from questions(program, "ceql")
    yield ids(program, "ceql")


def test_all_of_a_good_adapter_is_ok(
    toy: Callable[..., Program], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["adapter", "check", shlex.join(toy().words), "--timeout", str(LONG)]) == 0
    told = capsys.readouterr().out
    assert re.search(r"^(\d+) checks: \1 ok \(toy 1\.0\)$", told, re.MULTILINE)


def test_a_bad_adapter_fails_and_says_why(
    toy: Callable[..., Program], capsys: pytest.CaptureFixture[str]
) -> None:
    command = shlex.join(toy('"languages": ["ceql"]', '"languages": ["cql"]').words)
    assert main(["adapter", "check", command, "--quiet"]) == 1
    assert capsys.readouterr().out.splitlines()[:3] == [
        "FAILED    its languages are known",
        "          expected  a list of some of spaseq, rsepql, cqels, epsparql, ceql",
        "          came      cql, did you mean 'ceql'?",
    ]


@pytest.mark.parametrize("command", ["", "no-such-program-anywhere", '"'])
def test_what_cannot_be_started_is_bad_input(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["adapter", "check", command]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("old", "new", "title"),
    [
        ('return HELLO', 'return "hello"', "responds to hello"),
        ('return HELLO', 'sys.exit(3)', "responds to hello"),
        ('"level": "positions"', '"level": 7', "follows corpus/protocol"),
        ('"level": "positions"', '"level": "exact"', "has a known comparison level"),
        ('"operators": [";"', '"operators": ["SEQ"', "capabilities have known names"),
        ('"capabilities": {"ceql"', '"capabilities": {"spaseq"', "capabilities have known names"),
    ],
)
def test_a_bad_greeting(toy: Callable[..., Program], old: str, new: str, title: str) -> None:
    assert any(title in failure for failure in failures(handshake_checks(toy(old, new))))


def test_an_adapter_that_does_not_flush_is_told_so(
    toy: Callable[..., Program], clock: str
) -> None:
    # When it is asked for the first time an hour goes by, and nothing comes.
    first = "open(__file__ + '.seen', 'x'); sys.stdin.buffer.peek()"
    program = toy(
        "import toy\n",
        f"import contextlib, sys, toy\nwith contextlib.suppress(OSError):\n    {first}; {clock}\n",
    )
    text = Path(program.words[1])
    text.write_text(text.read_text("utf-8").replace(", flush=True", ""), "utf-8")
    (check,) = handshake_checks(program)
    assert check.result is Result.FAILED
    assert "flush stdout" in check.came


@pytest.mark.parametrize(
    ("file", "old", "new", "title"),
    [
        ("adapter.py", 'id = message["id"]', 'id = "1"', "the id of its request"),
        ("adapter.py", 'id = message["id"]', 'id = message["id"].encode("ascii").decode()',
         "the id of its request"),
        ("adapter.py", 'if cell}', '}', "an empty cell is a missing attribute"),
        ("adapter.py", '[^,\\n]*)(,|\\n)', '[a-z0-9A-Z]*)(,|\\n)', "Unicode"),
        ("adapter.py", 'except toy.Unsupported', 'except KeyError', "cannot be parsed is refused"),
        ("adapter.py", ' or message["readings"]', '', "a reading that it does not know"),
        ("adapter.py", '{"type": "unsupported", "id": id, "reason": str(reason)}',
         '{"type": "result", "id": id, "results": []}', "cannot be parsed is refused"),
        ("adapter.py", '"results": found}', '"results": found + found}', "generated cases"),
        ("adapter.py", '"results": found}', '"results": [1]}', "one event matches"),
        ("adapter.py", 'names = rows[0]', 'names = rows[1]', "streams may be empty"),
        ("adapter.py", "for line in sys.stdin:",
         "for line in iter(lambda: sys.stdin.readline(65536), ''):", "one megabyte"),
        ("toy.py", 'if self.sees("FROM"):', "if True:", "without FROM"),
    ],
)  # fmt: skip
def test_bad_answers(
    toy: Callable[..., Program], file: str, old: str, new: str, title: str
) -> None:
    assert any(title in failure for failure in asked(toy(old, new, file=file), of_ceql))


@pytest.mark.parametrize(
    ("old", "new", "title"),
    [
        ('id = message["id"]', 'id = message["id"]; asked.append(id)', "the order of cases"),
        ('"type": "error", "message": "unknown type"', '"type": str(1 / 0)',
         "an unknown message"),
        ('message["language"] != "ceql"', "False", "that it does not declare"),
        ('id = message["id"]', 'id = message.pop("id"); list(map(KNOWN.__getitem__, message))',
         "an unknown field"),
    ],
)
def test_bad_habits(toy: Callable[..., Program], old: str, new: str, title: str) -> None:
    program = toy(old, new)
    text = Path(program.words[1])
    text.write_text(
        text.read_text(encoding="utf-8")
        .replace("import toy\n", "import toy\nasked = []\nKNOWN = dict.fromkeys("
                 "('type', 'language', 'query', 'streams', 'kb', 'readings', 'evaluate'))\n")
        .replace('"results": found}', '"results": found[len(asked) // 3:]}'),
        encoding="utf-8",
    )
    assert any(title in failure for failure in asked(program, session_checks))


def test_chatter_on_stderr_does_no_harm(toy: Callable[..., Program]) -> None:
    program = toy("import toy\n", "import toy\nprint('x' * 200_000, file=sys.stderr)\n")
    assert asked(program, session_checks) == []


def test_an_adapter_that_stays_when_stdin_is_closed(
    toy: Callable[..., Program], clock: str
) -> None:
    program = toy("), flush=True)\n", f"), flush=True)\n{clock}\nimport time; time.sleep({LONG})")
    assert "exits when stdin is closed" in asked(program, session_checks)


def test_every_language_has_cases_for_adapters() -> None:
    for name in names():
        if has(name, "generate"):
            assert [case.id for case in written_cases(name)][:1] == ["first"], name
