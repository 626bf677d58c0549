"""Children that misbehave in every way that we could think of."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from denota.oracle.cases.case_reader import parse_case
from denota.oracle.checking.case_checker import check_case
from denota.oracle.checking.verdicts import Outcome
from denota.oracle.engines import adapter_client, worker_process
from denota.oracle.engines.engine import EngineCrash, close
from denota.oracle.engines.engine_specs import engine
from denota.oracle.fuzzing.differential import fuzz

# A well-behaved child with a hole for misbehaviour.
CHILD = """\
import json, os, sys, time
def say(**message):
    print(json.dumps(message), flush=True)
def term(name):
    return {{"type": "uri", "value": "http://example.org/" + name}}
hello = dict(type="hello", name="toy", version="1.2", languages=["spaseq"], level="row")
good = [dict(time=20, solution=dict(h=term(h), w=term("W1"))) for h in ("H1", "H2")]
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        {on_hello}
    else:
        id = message["id"]
        {on_case}
"""

LONG = 1000.0  # seconds that nobody waits for

GOOD_HELLO = "say(**hello)"
GOOD_CASE = 'say(type="result", id=id, results=good)'


@pytest.fixture
def child(tmp_path):
    made = []

    def make(on_hello=GOOD_HELLO, on_case=GOOD_CASE, timeout=LONG):
        path = tmp_path / f"child{len(made)}.py"
        path.write_text(CHILD.format(on_hello=on_hello, on_case=on_case), encoding="utf-8")
        judged = engine(f"command:{sys.executable} {path}", timeout=timeout)
        made.append(judged)
        return judged

    yield make
    for judged in made:
        close(judged)


def test_a_child_is_judged_at_the_level_that_it_reports(child, case_text):
    judged = child()
    verdict = check_case(parse_case(case_text()), judged)
    assert verdict.ok
    assert verdict.level == "row"
    assert (judged.name, judged.version) == ("toy", "1.2")


def test_what_a_child_is_sent(child, case_text, tmp_path):
    log = tmp_path / "log"
    judged = child(on_case=f"open({str(log)!r}, 'w').write(line); {GOOD_CASE}")
    more = "kb:\n  :k: ':a :b :c .'\nreadings: {kleene: join}\nevaluate: {from: 10}\n"
    assert check_case(parse_case(case_text(more=more)), judged).ok
    message = json.loads(log.read_text(encoding="utf-8"))
    assert set(message) == {
        "type", "id", "language", "query", "streams", "kb", "readings", "evaluate"
    }
    assert message["type"] == "case"
    assert message["language"] == "spaseq"
    assert message["query"].startswith("PREFIX : ")
    assert set(message["streams"]) == {"http://example.org/u1", "http://example.org/u2"}
    assert "@prefix : <http://example.org/> ." in message["streams"]["http://example.org/u1"]
    assert ":a :b :c" in message["kb"]["http://example.org/k"]
    assert message["readings"] == {"kleene": "join"}
    assert message["evaluate"] == {"from": 10}


@pytest.mark.parametrize(
    "on_case, outcome, detail",
    [
        ('say(type="unsupported", id=id, reason="no windows")', Outcome.UNSUPPORTED, "no windows"),
        ('say(type="error", id=id, message="cannot parse")', Outcome.FAIL, "error: cannot parse"),
        ('say(type="result", id=id, results=good[:1])', Outcome.FAIL, ""),
        ("sys.exit(3)", Outcome.CRASH, "exit code 3"),
        ("os.kill(os.getpid(), 11)", Outcome.CRASH, "SIGSEGV"),
        ('print("boom", file=sys.stderr, flush=True); 1 / 0', Outcome.CRASH, "exit code 1"),
        ('print("garbage", flush=True)', Outcome.CRASH, "expected JSON, got garbage"),
        ("sys.stdout.buffer.write(bytes([255, 254, 10])); sys.stdout.flush()", Outcome.CRASH,
         "expected JSON"),
        ("print(7, flush=True)", Outcome.CRASH, "expected an object"),
        ('say(type="surprise", id=id)', Outcome.CRASH, "surprise"),
        ('say(type="result", id="other", results=[])', Outcome.CRASH, "other"),
        ('say(type="result", id=id)', Outcome.CRASH, "'results'"),
        ('say(type="result", id=id, results=good, translated=7)', Outcome.CRASH, "'translated'"),
        ('say(type="result", id=id, results=[3])', Outcome.CRASH, "invalid result"),
        ("os.close(1); time.sleep(1e6)", Outcome.CRASH, "closed its standard output"),
        ("os.kill(os.getpid(), 40)", Outcome.CRASH, "signal"),
        ("print('[' * 100_000, flush=True)", Outcome.CRASH, "nested too deeply"),
        ("print('[' * 900 + ']' * 900, flush=True)", Outcome.CRASH, "expected an object"),
        ("say(type='result', id=id, results=eval('[' * 90 + ']' * 90))", Outcome.CRASH,
         "invalid result"),
        ("print('9' * 5000, flush=True)", Outcome.CRASH, "expected JSON"),
        ("say(type='result', id=id, results=[], more=chr(0xd800))", Outcome.CRASH,
         "expected Unicode"),
        ("say(type='error', id=None, message='what?')", Outcome.CRASH, "got None"),
        ("say(type={}, id=id)", Outcome.CRASH, "got type {}"),
        ("say(type='unsupported', id=id, reason=['x' * 9999])", Outcome.UNSUPPORTED, "xxx"),
        ("say(type='error', id=id, message={'x': 'y' * 9999})", Outcome.FAIL, "yyy"),
        *(
            (f"good[0]['solution'] = {solution}; {GOOD_CASE}", Outcome.CRASH, "invalid result")
            for solution in (
                "{'': term('H1')}", "{'?': term('H1')}", "[]", "{'h': None, '': 1}", "{'h': 7}",
                "{'h': {}}", "{'h': dict(type='uri')}", "{'h': dict(type='uri', value=7)}",
                "{'h': dict(type='iri', value='x')}", "{'h': dict(type=[], value='x')}",
                "{'h': dict(type='literal', value='x', datatype=7)}",
                "{'h': dict(type='literal', value='x', datatype=[])}",
                "{'h': {'type': 'literal', 'value': 'x', 'xml:lang': ''}}",
                "{'h': {'type': 'literal', 'value': 'x', 'xml:lang': 'no tag'}}",
                "{'h': {'type': 'literal', 'value': 'x', 'xml:lang': {}}}",
            )
        ),
    ],
)
def test_what_a_child_does_to_a_case_is_a_verdict(
    child, case_text, on_case, outcome, detail, monkeypatch
):
    if "sleep" in on_case:  # it never ends by itself
        monkeypatch.setattr(adapter_client, "_FAREWELL", 0.1)
    verdict = check_case(parse_case(case_text()), child(on_case=on_case))
    assert verdict.outcome is outcome
    assert detail in verdict.detail
    assert len(verdict.detail) < 2000


@pytest.mark.parametrize(
    "on_case",
    [
        "time.sleep(1e6)",
        'sys.stdout.write("half a line"); sys.stdout.flush(); time.sleep(1e6)',
        GOOD_CASE,
    ],
)
def test_a_child_that_does_not_answer_in_time_is_ended(child, case_text, clock, on_case):
    judged = child(on_case=f"{clock}; {on_case}")
    verdict = check_case(parse_case(case_text()), judged)
    assert verdict.outcome is Outcome.TIMEOUT
    assert verdict.detail == "no answer within 1000 s"


@pytest.mark.parametrize(("waited", "outcome"), [(3000.0, Outcome.PASS), (1000.0, Outcome.TIMEOUT)])
def test_what_a_child_waits_for_processors_is_not_charged(
    child, case_text, clock, monkeypatch, waited, outcome
):
    judged = child(on_case=f"{clock}; {GOOD_CASE}")  # an hour
    charge = Mock(seconds=lambda now: 3600.0 - waited)
    monkeypatch.setattr(adapter_client, "Charge", lambda pid, now: charge)
    assert check_case(parse_case(case_text()), judged).outcome is outcome


def test_ten_times_the_limit_by_the_clock_is_too_much(child, case_text, clock, monkeypatch):
    judged = child(on_case=f"[{clock} for _ in range(3)]; time.sleep(1e6)")  # three hours
    charge = Mock(seconds=lambda now: 0.0)
    monkeypatch.setattr(adapter_client, "Charge", lambda pid, now: charge)
    verdict = check_case(parse_case(case_text()), judged)
    assert verdict.outcome is Outcome.TIMEOUT
    assert verdict.detail.startswith("no answer within 10000 s by the clock, 10 times the limit")


def test_a_flood_on_stderr_without_an_end_is_a_crash(child, case_text):
    judged = child(on_case="[print('x' * 9999, file=sys.stderr) for _ in iter(int, 1)]")
    verdict = check_case(parse_case(case_text()), judged)
    assert verdict.outcome is Outcome.CRASH
    assert "more than 67,108,864 bytes to stderr" in verdict.detail


def test_what_was_said_of_an_earlier_case_does_not_explain_a_crash(child, case_text):
    on_case = f"print('case', id, file=sys.stderr, flush=True); {GOOD_CASE}"
    later = f"sys.exit(1) if id[0] == '2' else None; {on_case}"
    judged = child(on_case=later)
    case = parse_case(case_text())
    assert check_case(case, judged).ok
    verdict = check_case(case, judged)
    assert (verdict.outcome, verdict.stderr) == (Outcome.CRASH, "")


DAEMON = (
    "import os\n"
    "if os.fork() == 0:\n"
    "    os.setsid()\n"
    "    if os.fork() == 0:\n"
    "        open('daemon', 'w').write(str(os.getpid()))\n"
    "        [os.close(each) for each in range(3)]\n"
    "        time.sleep(1e6)\n"
    "    os._exit(0)\n"
    "while not os.path.exists('daemon') or not open('daemon').read(): time.sleep(0.01)\n"
)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux keeps orphans")
@pytest.mark.parametrize("ending", ["", "os._exit(5)"])
def test_what_a_child_has_made_a_daemon_ends_with_it(
    child, case_text, tmp_path, monkeypatch, until_gone, ending
):
    monkeypatch.chdir(tmp_path)
    worker_process.keep_orphans()  # as the command line does
    judged = child(on_case=f"exec({DAEMON!r}); {ending or GOOD_CASE}")
    check_case(parse_case(case_text()), judged)
    judged.close()
    until_gone(int((tmp_path / "daemon").read_text()))


def test_a_line_without_an_end_is_a_crash(child, case_text, monkeypatch):
    monkeypatch.setattr(adapter_client, "LONGEST_LINE", 1 << 20)
    judged = child(on_case="[print('x' * 9999, end='') for _ in iter(int, 1)]")
    verdict = check_case(parse_case(case_text()), judged)
    assert verdict.outcome is Outcome.CRASH
    assert "longer than 1,048,576 bytes" in verdict.detail


def test_blank_lines_without_an_end_are_a_timeout(child, case_text, clock):
    judged = child(on_case=f"print(flush=True); {clock}; [print() for _ in iter(int, 1)]")
    assert check_case(parse_case(case_text()), judged).outcome is Outcome.TIMEOUT


def test_a_flood_on_stderr_hinders_nobody(child, case_text):
    flood = "[print('x' * 9999, 'last', file=sys.stderr) for _ in range(1000)]"
    judged = child(on_case=f"{flood}; {GOOD_CASE}")
    case = parse_case(case_text())
    assert [check_case(case, judged).ok for _ in range(3)] == [True] * 3
    verdict = check_case(case, child(on_case=f"{flood}; sys.exit(1)"))
    assert verdict.outcome is Outcome.CRASH
    assert verdict.stderr.endswith("last")
    assert len(verdict.stderr) <= 4000


def test_an_answer_is_to_one_question_only(child, case_text):
    case = parse_case(case_text())
    for twice in (
        f"{GOOD_CASE}; {GOOD_CASE}",  # at once
        f"id = globals().setdefault('first', id); {GOOD_CASE}",  # instead of the second
    ):
        judged = child(on_case=twice)
        assert check_case(case, judged).ok
        verdict = check_case(case, judged)
        assert verdict.outcome is Outcome.CRASH
        assert "without a request" in verdict.detail or "expected id" in verdict.detail
        assert check_case(case, judged).ok


def test_what_a_child_has_started_does_not_answer_for_it(child, case_text):
    """It keeps the pipes open, so their end does not tell that the child has gone."""
    judged = child(on_case=(
        "import subprocess; subprocess.Popen(['sleep', '1000000'], start_new_session=False); "
        "os._exit(5)"
    ))
    verdict = check_case(parse_case(case_text()), judged)
    assert verdict.outcome is Outcome.CRASH
    assert "exit code 5" in verdict.detail


def test_what_a_child_said_on_stderr_is_kept(child, case_text):
    on_case = 'print("boom", file=sys.stderr, flush=True); sys.exit(1)'
    verdict = check_case(parse_case(case_text()), child(on_case=on_case))
    assert verdict.stderr == "boom"


@pytest.mark.parametrize(
    "on_hello, detail",
    [
        ("sys.exit(9)", "exit code 9"),
        ('print("Welcome!", flush=True)', "expected JSON, got Welcome!"),
        ("say(**{**hello, 'protocol': 2})", "expected protocol 1, got 2"),
        ("say(type='howdy')", "howdy"),
        ("say(type='hello', name='x')", "'languages' must be a list of names"),
        ("say(**{**hello, 'level': 'fine'})", "unknown comparison level fine"),
    ],
)
def test_a_child_that_does_not_greet_crashes(child, case_text, on_hello, detail):
    verdict = check_case(parse_case(case_text()), child(on_hello=on_hello))
    assert verdict.outcome is Outcome.CRASH
    assert detail in verdict.detail


@pytest.mark.parametrize("misdeed", ["sys.exit(3)", "print('garbage', flush=True)",
                                     "CLOCK; time.sleep(1e6)"])
def test_a_child_is_started_again_for_the_next_case(child, case_text, tmp_path, clock, misdeed):
    marker = tmp_path / "was here"
    on_case = (
        f"if os.path.exists({str(marker)!r}): {GOOD_CASE}\n"
        f"        else: open({str(marker)!r}, 'w').close(); {misdeed.replace('CLOCK', clock)}"
    )
    judged = child(on_case=on_case)
    case = parse_case(case_text())
    assert check_case(case, judged).is_failure
    assert check_case(case, judged).ok


def test_a_child_that_never_starts_is_not_waited_for_again_and_again(
    child, case_text, clock, tmp_path
):
    started = tmp_path / "started"
    judged = child(on_hello=f"open({str(started)!r}, 'a').write('.'); {clock}; time.sleep(1e6)")
    case = parse_case(case_text())
    verdicts = [check_case(case, judged) for _ in range(50)]
    assert all(verdict.outcome is Outcome.TIMEOUT for verdict in verdicts)
    assert len(started.read_text(encoding="utf-8")) == 3


def test_a_language_that_a_child_does_not_have_is_not_sent(child, case_text):
    judged = child(on_hello="say(**{**hello, 'languages': ['ceql']})", on_case="sys.exit(1)")
    verdict = check_case(parse_case(case_text()), judged)
    assert verdict.outcome is Outcome.UNSUPPORTED


def test_long_messages_go_both_ways(child, case_text):
    long = "x" * 300_000
    on_case = (
        "assert len(line) > 300_000; say(type='result', id=id, results=good, pad='y' * 300_000)"
    )
    text = case_text().replace(":H1 :loc :L1 .", f':H1 :loc :L1 ; :note "{long}" .')
    assert check_case(parse_case(text), child(on_case=on_case)).ok


def test_nothing_is_left_running(child, case_text, tmp_path, until_gone):
    pids = tmp_path / "pids"
    on_case = (
        "import subprocess; p = subprocess.Popen(['sleep', '1000000'], stdout=subprocess.DEVNULL); "
        f"open({str(pids)!r}, 'w').write(str(p.pid)); {GOOD_CASE}"
    )
    judged = child(on_case=on_case)
    assert check_case(parse_case(case_text()), judged).ok
    close(judged)
    pid = int(pids.read_text(encoding="utf-8"))
    until_gone(pid)


@pytest.mark.parametrize("served", ["production", "oracle"])
def test_denota_serves_its_own_engines(case_text, unsupported_case_text, served):
    judged = engine(
        f"command:{sys.executable} -m denota.oracle.engines.adapter --engine {served}", timeout=LONG
    )
    try:
        verdict = check_case(parse_case(case_text()), judged, timeout=LONG)
        assert verdict.ok
        assert verdict.level == "pair"
        assert judged.name == served
        unknown = parse_case(case_text().replace("SEQ(A; B)", "SEQ(A; C)"))
        verdict = check_case(unknown, judged)
        assert verdict.outcome is Outcome.FAIL
        assert "no DEFINE" in verdict.detail or "GPM" in verdict.detail
        other = parse_case(unsupported_case_text)
        assert check_case(other, judged).outcome is Outcome.UNSUPPORTED
    finally:
        close(judged)


def test_a_program_ends_with_its_judge_however_that_ends(tmp_path, until_gone):
    number = tmp_path / "number"
    program = tmp_path / "hang.py"
    program.write_text(
        f"import os, time; open({str(number)!r}, 'w').write(str(os.getpid())); time.sleep(1e6)",
        encoding="utf-8",
    )
    judge = (
        "import os, signal, time; from denota.oracle.engines.engine_specs import engine\n"
        f"judged = engine('command:{sys.executable} {program}')\n"
        f"while not (os.path.exists({str(number)!r}) and open({str(number)!r}).read()):\n"
        "    time.sleep(0.01)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    ended = subprocess.run([sys.executable, "-c", judge], check=False)
    assert ended.returncode == -signal.SIGKILL
    until_gone(int(number.read_text(encoding="utf-8")))


def test_capabilities_are_learned_and_checked(child, case_text):
    says = "say(**hello, capabilities={'spaseq': {'operators': [';']}})"
    judged = child(on_hello=says)
    judged.greet()
    assert judged.capabilities == {"spaseq": {"operators": {";"}}}
    nonsense = child(on_hello=says.replace("operators", "operations"))
    with pytest.raises(EngineCrash, match="no group of capabilities 'operations'"):
        nonsense.greet()


def test_only_what_an_engine_takes_is_judged(child):
    judged = child(
        on_hello="say(**hello, capabilities={'spaseq': {'operators': []}})",
        on_case="say(type='result', id=id, results=[])",
    )
    reports = [
        fuzz(judged, ["spaseq"], examples=20, seed=seed, stop_after=1)
        for seed in range(1, 11)
    ]
    assert sum(report.passed_over for report in reports) > 0
    assert sum(report.unsupported for report in reports) == 0
