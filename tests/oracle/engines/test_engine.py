import re
import sys

import pytest

from denota.oracle.cases.case_reader import parse_case, read_case
from denota.oracle.checking.case_checker import check_case
from denota.oracle.checking.verdicts import Outcome
from denota.oracle.cli import main
from denota.oracle.engines.builtin import Production
from denota.oracle.engines.engine import EngineError, close
from denota.oracle.engines.engine_specs import engine


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Write a module and get the ENGINE string for one of its names."""
    monkeypatch.syspath_prepend(tmp_path)
    names = iter(range(1 << 16))

    def make(text, attribute="make"):
        name = f"engine_{abs(hash(str(tmp_path)))}_{next(names)}"
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        return f"python:{name}:{attribute}"

    return make


def verdict_of(name, case_text, **more):
    judged = engine(name)
    try:
        return check_case(parse_case(case_text()), judged, **more)
    finally:
        close(judged)


@pytest.mark.parametrize("name", ["production", "oracle"])
def test_denota_has_two_engines(name, case_text):
    assert engine(name).name == name
    assert verdict_of(name, case_text).ok


@pytest.mark.parametrize(
    "name, message",
    [
        ("prodution", "did you mean 'production'"),
        ("esper", "there is no engine 'esper'"),
        ("production:smal", "there is no capacity 'smal', did you mean 'small'?"),
        ("production:small,batch=x", "write batch=NUMBER"),
        ("production:batch=0", "write batch=NUMBER"),
        ("production:nodes=3", "nodes is a power of two"),
        ("python:json", "write python:MODULE:FACTORY"),
        ("python:no_such_module:x", "there is no module 'no_such_module'"),
        ("python:json:nothing", "has no attribute 'nothing'"),
        ("python:json:__name__", "not callable"),
        ("python:collections:OrderedDict", "returned no engine"),
        ("command:", "write command:PROGRAM ARGS"),
        ("command:no-such-program -x", "No such file"),
        ("command:'", "No closing quotation"),
    ],
)
def test_what_is_no_engine_is_a_clear_error(name, message):
    with pytest.raises(EngineError, match=re.escape(message)):
        engine(name)


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Install a distribution that declares engines in its entry points."""
    monkeypatch.syspath_prepend(tmp_path)

    def installed(distribution, **engines):
        about = tmp_path / f"{distribution}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\n")
        lines = [f"{name} = {place}\n" for name, place in engines.items()]
        (about / "entry_points.txt").write_text("[denota.engines]\n" + "".join(lines))

    return installed


def test_a_distribution_adds_an_engine(install, tmp_path, case_text, capsys):
    install("silence", silent="silent_engine:Silent", broken="no_such_module:Engine")
    (tmp_path / "silent_engine.py").write_text(
        "class Silent:\n    def run(self, case):\n        return []\n"
    )
    case = tmp_path / "one.case.yaml"
    case.write_text(case_text())
    assert main(["check", str(case), "--engine", "silent"]) == 1
    assert "missing" in capsys.readouterr().out
    assert main(["check", str(case), "--engine", "broken"]) == 2
    assert "there is no module 'no_such_module'" in capsys.readouterr().err
    assert main(["check", str(case), "--engine", "silen"]) == 2
    assert "did you mean 'silent'?" in capsys.readouterr().err


@pytest.mark.parametrize("name, other", [("silent", "noise"), ("core", "denota")])
def test_a_name_that_two_distributions_declare_is_refused(install, name, other):
    install("silence", **{name: "silent_engine:Silent"})
    install("noise", silent="noisy_engine:Noisy")
    message = f"engine '{name}': the distributions {' and '.join(sorted(['silence', other]))} both"
    with pytest.raises(EngineError, match=message):
        engine(name)


def test_the_engine_may_have_been_asked_before(case_text, monkeypatch):
    case = parse_case(case_text())
    asked, sound = [], type(case.language).run

    def run(language, query, **inputs):
        asked.append(id(query))
        return sound(language, query, **inputs)

    monkeypatch.setattr(type(case.language), "run", run)
    for setup, times in (("small", 1), ("again", 2), ("again,small", 2)):
        asked.clear()
        assert list(Production(setup).run(case)) == list(Production().run(case))
        assert asked == [id(case.tree)] * (times + 1)


def test_files_are_read_by_columns(case_text, monkeypatch):
    from denota.engine.rdf.columns import nquads_reader

    read = []
    blocks = nquads_reader.NQuadsBlocks.__iter__

    def recorded(self):
        for block in blocks(self):
            read.append(block)
            yield block

    monkeypatch.setattr(nquads_reader.NQuadsBlocks, "__iter__", recorded)
    assert list(Production("file").run(parse_case(case_text())))
    assert read


def test_the_engine_may_count_and_take_by_number(monkeypatch):
    case = parse_case(
        "title: two of them\nlanguage: ceql\nquery: SELECT * FROM S WHERE A ; B\n"
        "streams:\n  S:\n    csv: |\n      type,time\n      A,0\n      A,1\n      B,2\n"
        "expect:\n  level: positions\n  results: []\n"
    )
    enumerated = list(Production().run(case))
    assert len(enumerated) == 2
    monkeypatch.delattr(type(case.language), "run")
    assert sorted(Production("counted").run(case)) == sorted(enumerated)


def test_a_factory_makes_an_engine_that_only_runs(module, case_text):
    name = module(
        "class Mine:\n"
        "    def run(self, task):\n"
        "        from denota import run\n"
        "        return run(task.text, task.streams, task.kb, task.readings)\n"
        "make = Mine\n"
    )
    assert engine(name).level == "pair"
    assert verdict_of(name, case_text).ok


def test_a_function_with_the_parameters_of_run_is_an_engine(module, case_text):
    name = module(
        "import denota\n"
        "def mine(query, streams, kb, readings, start):\n"
        "    return denota.evaluate(query, streams, kb, readings, start)\n",
        "mine",
    )
    assert verdict_of(name, case_text).ok
    assert verdict_of("python:denota:run", case_text).ok


def test_an_engine_that_reports_rows_is_compared_by_rows(module, case_text):
    text = (
        "class Rows:\n"
        "    name, version, languages, level = 'rows', '1', ('spaseq',), 'row'\n"
        "    def run(self, task):\n"
        "        from rdflib import URIRef\n"
        "        term = lambda n: {'type': 'uri', 'value': f'http://example.org/{n}'}\n"
        "        return [{'time': 20, 'solution': {'h': term(h), 'w': term('W1')}}\n"
        "                for h in HOMES]\n"
        "make = Rows\n"
    )
    verdict = verdict_of(module(text.replace("HOMES", "('H1', 'H2')")), case_text)
    assert verdict.ok
    assert verdict.level == "row"
    verdict = verdict_of(module(text.replace("HOMES", "('H1', 'H2', 'H1')")), case_text)
    assert verdict.outcome is Outcome.FAIL
    assert len(verdict.duplicate) == 1
    verdict = verdict_of(module(text.replace("HOMES", "('H1', 'H3')")), case_text)
    assert verdict.outcome is Outcome.FAIL
    assert len(verdict.missing) == len(verdict.unexpected) == 1


@pytest.mark.parametrize(
    "body, outcome, detail",
    [
        ("raise ValueError('two\\nlines')", Outcome.CRASH, "ValueError: two lines"),
        ("raise NotImplementedError('windows')", Outcome.UNSUPPORTED, "windows"),
        ("import denota; raise denota.UnsupportedError('no kb')", Outcome.UNSUPPORTED, "no kb"),
        ("import denota; raise denota.QueryError('bad')", Outcome.FAIL, "error: bad"),
        ("return [1]", Outcome.CRASH, "invalid result"),
        ("return [{'time': 1, 'solutions': 3}]", Outcome.CRASH, "invalid result"),
        ("return [{'time': 1, 'solutions': [], 'odd': 2}]", Outcome.CRASH, "no field 'odd'"),
        ("return []", Outcome.FAIL, ""),
        ("return None", Outcome.CRASH, "TypeError"),
        ("def f(): f()\n        f()", Outcome.CRASH, "RecursionError"),
        ("assert False", Outcome.CRASH, "AssertionError"),
    ],
)
def test_whatever_an_engine_does_is_a_verdict(module, case_text, body, outcome, detail):
    name = module(f"class Mine:\n    def run(self, task):\n        {body}\nmake = Mine\n")
    verdict = verdict_of(name, case_text)
    assert verdict.outcome is outcome
    assert detail in verdict.detail
    assert "\n" not in verdict.detail


def test_an_engine_without_the_language_does_not_support_the_case(module, case_text):
    name = module(
        "class Mine:\n    languages = ('ceql',)\n    def run(self, task): 1 / 0\nmake = Mine\n"
    )
    assert verdict_of(name, case_text).outcome is Outcome.UNSUPPORTED


def test_a_module_that_does_not_import_is_a_clear_error(module):
    with pytest.raises(EngineError, match="SyntaxError"):
        engine(module("def ("))
    with pytest.raises(EngineError, match="raised ZeroDivisionError"):
        engine(module("def make(): return 1 / 0"))


def test_an_unknown_level_is_a_clear_error(module):
    with pytest.raises(EngineError, match="no level 'rows'"):
        engine(module("class make:\n    level = 'rows'\n    def run(self, task): return []\n"))


def test_a_program_may_be_quoted(tmp_path):
    script = tmp_path / "an engine.py"
    script.write_text("", encoding="utf-8")
    close(engine(f"command:{sys.executable} '{script}'"))


CURIOUS = """
import pickle
from denota import Task
from denota.oracle.engines.builtin import Production

def make():
    return Curious()

class Curious:
    def run(self, case):
        assert type(case) is Task
        for name in ("path", "expect", "cites", "tags", "denotation", "matches"):
            assert not hasattr(case, name), name
        assert b"in-this-folder" not in pickle.dumps(case)
        return list(Production().run(case))
"""

_TRIG = "@prefix : <http://example.org/> . @prefix prov: <http://www.w3.org/ns/prov#> .\n"

WITH_FILES = {
    "a.case.yaml": """
language: cqels
prefixes: {"": "http://example.org/"}
query: |
  PREFIX : <http://example.org/>
  SELECT ?s FROM :map FROM NAMED WINDOW :W ON :s [RANGE 10]
  WHERE { WINDOW :W { ?v :at ?s } ?v a :Bus }
streams: {"http://example.org/s": {file: s.trig}}
kb: {"http://example.org/map": {changes: {file: k.trig}}}
evaluate: {at: 9}
expect: {results: [{interval: [9, 9], solution: {s: ":a"}}]}
""",
    "b.case.yaml": """
language: ceql
query: SELECT * FROM S WHERE A; B
streams: {S: {file: s.csv}}
expect: {results: [{start: 0, end: 1, positions: [0, 1]}]}
""",
    "s.trig": f"{_TRIG} :g prov:generatedAtTime 9 . :g {{ :v :at :a }}",
    "k.trig": f"{_TRIG} :c prov:generatedAtTime 4 . :c {{ :v a :Bus }}",
    "s.csv": "type,v\nA,1\nB,2\n",
}


def test_an_engine_is_given_neither_the_answer_nor_its_place(module, tmp_path):
    folder = tmp_path / "in-this-folder"
    folder.mkdir()
    for name, text in WITH_FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    judged = engine(module(CURIOUS))
    try:
        for path in sorted(folder.glob("*.case.yaml")):
            case = read_case(path)
            verdict = check_case(case, Production())
            assert verdict.ok, (path, verdict)
            case.denotation()
            verdict = check_case(case, judged)
            assert verdict.ok, (path, verdict)
    finally:
        close(judged)
