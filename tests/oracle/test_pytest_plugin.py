"""The plugin, in a pytest of its own: a fork of this process, except where its imports matter."""

import subprocess
import sys
from importlib.metadata import entry_points

import pytest

from .cli.children import fork

MODULE = "denota.oracle.pytest_plugin"


def words_of_pytest(*words):
    installed = any(point.value == MODULE for point in entry_points(group="pytest11"))
    plugin = [] if installed else ["-p", MODULE]
    return ["-q", "-p", "no:cacheprovider", *plugin, *words]


def run_pytest(folder, *words):
    def run():
        sys.path.insert(0, str(folder))  # as `python -m pytest` does
        return pytest.main(words_of_pytest(*words))

    running = fork(run, folder)
    out, err = running.communicate()
    return subprocess.CompletedProcess(words, running.returncode, out, err)


def test_cases_are_tests(case_file, tmp_path):
    done = run_pytest(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


def test_failures_are_readable(wrong_case_file, tmp_path):
    done = run_pytest(tmp_path)
    assert done.returncode == 1
    assert "missing" in done.stdout
    assert ":H3" in done.stdout
    assert "Def. 11" in done.stdout
    assert "Traceback" not in done.stdout
    assert "pytest_plugin.py" not in done.stdout


def test_the_engine_is_an_option(case_file, tmp_path):
    assert run_pytest(tmp_path, "--denota-engine", "oracle").returncode == 0
    done = run_pytest(tmp_path, "--denota-engine", "esper")
    assert done.returncode == 1
    assert "there is no engine 'esper'" in done.stdout
    done = run_pytest(tmp_path, "--denota-engine", f"command:{sys.executable} -c 'exit(4)'")
    assert "the engine process exited with exit code 4" in done.stdout


def test_bad_cases_are_one_line(tmp_path):
    (tmp_path / "bad.case.yaml").write_text("language: spaseq\n", encoding="utf-8")
    done = run_pytest(tmp_path)
    assert done.returncode == 1
    assert "bad.case.yaml:1:1: the case has no 'query'" in done.stdout
    assert "Traceback" not in done.stdout


def test_what_is_unsupported_is_skipped(tmp_path, case_text):
    text = case_text(results="    []\n")
    text = text.replace("GPM A ON S1 {", "GPM A ON S1 { SERVICE <urn:elsewhere> { }")
    assert "SERVICE" in text
    (tmp_path / "c.case.yaml").write_text(text, encoding="utf-8")
    done = run_pytest(tmp_path, "-rs")
    assert "1 skipped" in done.stdout
    assert "unsupported" in done.stdout


def test_other_runs_pay_nothing(tmp_path):
    (tmp_path / "test_x.py").write_text(
        "import sys\ndef test_x():\n"
        "    heavy = {'rdflib', 'lark', 'yaml', 'numba', 'pyoxigraph'} & set(sys.modules)\n"
        "    assert not heavy\n", encoding="utf-8",
    )
    # Other plugins may import what they like.
    words = words_of_pytest("-p", "no:hypothesispytest", "-p", "no:xdist")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["a.yaml", "case.yaml", "x.case.yml"])
def test_other_files_are_left_alone(tmp_path, name):
    (tmp_path / name).write_text("x", encoding="utf-8")
    assert run_pytest(tmp_path).returncode == 5


@pytest.mark.parametrize("end", ["os._exit(0)", "raise SystemExit(0)", "raise KeyboardInterrupt"])
def test_an_engine_cannot_end_the_run(case_file, tmp_path, end):
    (tmp_path / "second.case.yaml").write_text(case_file.read_text(encoding="utf-8"))
    engine = f"import os\n\ndef run(query, streams, kb, readings, start):\n    {end}\n"
    (tmp_path / "ending.py").write_text(engine, encoding="utf-8")
    done = run_pytest(tmp_path, "--denota-engine", "python:ending:run")
    assert done.returncode == 1
    assert "2 failed" in done.stdout
