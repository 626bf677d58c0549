import argparse
import io
import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from importlib import import_module

import pytest

from denota.oracle.cli import COMMANDS, OneLineParser, main


def test_help_lists_every_verb(capsys):
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(f"  {verb} " in out for verb in COMMANDS)
    assert main([]) == 2


@pytest.mark.parametrize("verb", sorted(COMMANDS))
def test_every_verb_has_help(verb, capsys):
    assert main([verb, "--help"]) == 0
    assert capsys.readouterr().out.startswith(f"usage: denota {verb}")


def test_help_verb_is_verb_help(capsys):
    assert main(["help", "run"]) == 0
    assert "--stream" in capsys.readouterr().out


def test_the_version(capsys):
    import denota

    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"denota {denota.__version__}\n"


@pytest.mark.parametrize(
    "words, message",
    [(["rnu"], "did you mean 'run'"), (["run"], "QUERY"), (["run", "--bogus", "q"], "--bogus"),
     (["check"], "CASE_OR_DIR"), (["run", "q", "--format", "xml"], "'xml'")],
)
def test_wrong_usage_is_one_line_and_exit_code_2(words, message, capsys):
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message in captured.err


def test_help_imports_nothing_heavy():
    program = (
        "import sys; from denota.oracle.cli import main; main(['--help'])\n"
        "heavy = {'rdflib', 'lark', 'numpy', 'numba', 'pyarrow', 'rich', 'yaml', 'networkx',"
        " 'hypothesis', 'pyspark', 'pyoxigraph'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_python_m_denota_is_denota():
    done = subprocess.run(
        [sys.executable, "-m", "denota", "--version"], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert done.stdout.startswith("denota ")


def test_what_a_terminal_cannot_show_is_escaped():
    done = subprocess.run(
        [sys.executable, "-m", "denota", "sweep", "--help"], capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0, done.stderr
    assert b"\\u2026" in done.stdout


def test_output_may_go_to_any_file_object():
    out = io.StringIO()
    with redirect_stdout(out):
        assert main(["--version"]) == 0
    assert out.getvalue().startswith("denota ")


@pytest.mark.parametrize(("command", "former", "now"), [
    ("run", "--idle 5", "--idle-timeout 5"),
    ("run", "--reorder 5", "--max-out-of-orderness 5"),
    ("run", "--reorder-items 5", "--reorder-buffer-size 5"),
    ("run", "--every 5", "--checkpoint-interval 5"),
    ("run", "--declaration f", "--schema f"),
    ("run", "--setting cqels", "--emulate cqels"),
    ("run", "--policy periodic --period 5", "--report-policy periodic --report-period 5"),
    ("check", "--answers f --delay 5s", "--recorded f --max-delay 5s"),
    ("check", "--answers-unit s --stream-unit s", "--recorded-time-unit s --stream-time-unit s"),
    ("check", "--by-definition --setting cqels", "--use-oracle --emulate cqels"),
    ("check", "--export d --results d", "--export-manifest d --save-verdicts d"),
    ("check", "--allow-files-outside", "--allow-external-files"),
    ("check", "--known f --known g", "--known-differences f --known-differences g"),
    ("check", "--jobs 2", "-j 2"),
    ("fuzz", "--examples 5 --seconds 5", "--cases 5 --time-limit 5"),
    ("fuzz", "--save d --results d --known f", "--save-failures d --save-verdicts d "
     "--known-differences f"),
    ("distinguish", "--seconds 5 --save f", "--time-limit 5 --save-case f"),
    ("distinguish", "--size 1 --length 2", "--max-operators 1 --max-events 2"),
    ("corpus enumerate", "--size 1 --length 2", "--max-operators 1 --max-events 2"),
    ("corpus generate", "--examples 5 --expected", "--cases 5 --with-expected"),
    ("corpus show", "--answer", "--with-expected"),
    ("corpus export", "--to d", "--output d"),
    ("sweep", "--out d --chunk 5", "-o d --chunk-size 5"),
    ("sweep", "--verdicts against", "--verdict-rows failures"),
])
def test_former_names_of_options(command: str, former: str, now: str) -> None:
    """They mean the same, and no help lists them."""
    name, *action = command.split()
    parser = OneLineParser()
    import_module(f"denota.oracle.cli.{COMMANDS[name][0]}").configure(parser)
    positional = {
        "run": ["q"], "distinguish": ["a", "b"], "sweep": ["-o", "out"],
        "corpus generate": ["-o", "f"], "corpus show": ["f"], "corpus export": ["f", "-o", "out"],
    }.get(command, [])
    parsed = [
        vars(parser.parse_args([*action, *positional, *words.split()])) for words in (former, now)
    ]
    assert parsed[0] == parsed[1] != vars(parser.parse_args([*action, *positional]))
    help_text = parser.format_help() + "".join(
        inner.format_help() for each in parser._actions
        if isinstance(each, argparse._SubParsersAction) for inner in each.choices.values()
    )
    for word in former.split():
        if word.startswith("--") and word not in now.split():
            assert not re.search(rf"{word}(?![\w-])", help_text) or word == "--jobs"
