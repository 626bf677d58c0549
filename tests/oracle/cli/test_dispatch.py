import io
import os
import subprocess
import sys
from contextlib import redirect_stdout

import pytest

from denota.oracle.cli import VERBS, main


def test_help_lists_every_verb(capsys):
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(f"  {verb} " in out for verb in VERBS)
    assert main([]) == 2


@pytest.mark.parametrize("verb", sorted(VERBS))
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
        [sys.executable, "-m", "denota", "--help"], capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0, done.stderr
    assert b"\\u2026" in done.stdout


def test_output_may_go_to_any_file_object():
    out = io.StringIO()
    with redirect_stdout(out):
        assert main(["--version"]) == 0
    assert out.getvalue().startswith("denota ")
