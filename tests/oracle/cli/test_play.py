"""The page of `denota play`: its menu, the oracle's answers, and the requests that it refuses."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any, ClassVar

import pytest

if find_spec("starlette") is None or find_spec("uvicorn") is None:
    pytest.skip("denota play requires Starlette: pip install '.[play]'", allow_module_level=True)

from starlette.testclient import TestClient

from denota.oracle.cases.case import ExpectedError
from denota.oracle.cases.case_reader import read_case
from denota.oracle.checking.case_checker import check_case
from denota.oracle.cli.play import server
from denota.oracle.cli.play.page_answers import case_of, example_files, state_of
from denota.oracle.engines.engine_specs import engine
from denota.semantics.model.errors import DenotaError

ORIGIN = "http://127.0.0.1:8765"
EXAMPLES = {
    "spaseq": "papers/spaseq/example-03",
    "rsepql": "papers/rsepql/example-01",
    "cqels": "papers/cqels/example-01",
    "epsparql": "papers/epsparql/query-1",
    "ceql": "papers/ceql/figure-1-q2",
}
_MARKUP = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def page() -> Iterator[TestClient]:
    with TestClient(server.application(8765, 60.0), base_url=ORIGIN) as client:
        yield client


def state_named(page: TestClient, name: str) -> dict[str, Any]:
    state: dict[str, Any] = page.get(f"/examples/{name}").json()
    return state


def evaluated(page: TestClient, state: dict[str, Any]) -> dict[str, Any]:
    response = page.post("/evaluate", json={"state": state})
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


@pytest.mark.parametrize("language", EXAMPLES)
def test_an_example_is_evaluated_and_explained(page: TestClient, language: str) -> None:
    state = state_named(page, EXAMPLES[language])
    answer = evaluated(page, state)
    assert answer["results"] > 0
    assert answer["rows"][0]["number"] == 1
    assert all(len(row["cells"]) == len(answer["columns"]) for row in answer["rows"])
    assert answer["timeline"].startswith("<svg")
    assert answer["picture"].startswith("<svg")
    explanation = page.post("/explain", json={"state": state, "match": 1}).json()["html"]
    assert f"{answer['noun'].capitalize()} 1 of {answer['results']}" in explanation


def test_the_menu_has_the_papers_and_the_errata_of_every_language(page: TestClient) -> None:
    menu = page.get("/menu").json()
    groups = {(each["language"], each["name"].split("/")[0]) for each in menu["examples"]}
    assert groups == {(name, group) for name in EXAMPLES for group in ("papers", "errata")}
    assert {each["name"]: each["readings"]["kleene"] for each in menu["languages"][:1]} == {
        "spaseq": ["last", "join", "collect"]
    }


def test_no_file_outside_the_menu_is_an_example(page: TestClient) -> None:
    assert page.get("/examples/papers/../../pyproject").status_code == 404
    assert page.get("/examples/regressions/ceql/any").status_code == 404


@pytest.mark.parametrize("name", [
    *EXAMPLES.values(), "errata/ceql/COR-2-as-printed", "errata/rsepql/RSE-5-between",
])
def test_an_example_means_on_the_page_what_it_means_as_a_case(name: str) -> None:
    assert_meant(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", example_files())
def test_all_examples_mean_on_the_page_what_they_mean_as_cases(
    page: TestClient, name: str
) -> None:
    assert_meant(name)
    response = page.post("/evaluate", json={"state": state_named(page, name)})
    expected = isinstance(read_case(example_files()[name]).expect, ExpectedError)
    assert response.status_code == (422 if expected else 200), response.text


def assert_meant(name: str) -> None:
    case = read_case(example_files()[name])
    if isinstance(case.expect, ExpectedError):
        assert case.expect.pattern is not None
        pattern = re.sub(r"^\d+:\d+: ", "", case.expect.pattern)  # a place in the case's file
        with pytest.raises(DenotaError, match=pattern):
            case_of(state_of(case)).denotation()
        return
    verdict = check_case(case_of(state_of(case)).but(expect=case.expect), engine("oracle"))
    assert verdict.ok, verdict


def test_a_missing_row_is_explained(page: TestClient) -> None:
    state = state_named(page, EXAMPLES["spaseq"])
    asked = {"state": state, "missing": '{time: 15, h: ":H1"}'}
    assert "Not a match: at 15" in page.post("/explain", json=asked).json()["html"]


def test_an_error_has_its_place(page: TestClient) -> None:
    state = state_named(page, EXAMPLES["spaseq"])
    broken = {**state, "query": state["query"].replace("SEQ(A)", "SEQ(A")}
    response = page.post("/evaluate", json={"state": broken})
    assert response.status_code == 422
    answer = response.json()
    assert answer["source"] == "query"
    assert answer["line"] > 1
    assert answer["error"].startswith(f"query:{answer['line']}:{answer['column']}: ")
    assert "\n" not in answer["error"]
    stream = {**state["streams"][0], "text": "\n:g1 nonsense"}
    answer = page.post("/evaluate", json={"state": {**state, "streams": [stream]}}).json()
    assert answer["error"].startswith(f"stream {stream['name']}:2:")


@pytest.mark.parametrize("asked", [
    0, [], {}, {"state": {}}, {"state": {"language": 3}}, {"state": {"language": "klingon"}},
    {"state": {"language": "ceql", "query": "SELECT * FROM S WHERE A", "streams": [[]],
               "graphs": [], "readings": {}, "evaluate": ""}},
    {"state": {"language": "ceql", "query": "SELECT * FROM S WHERE A", "streams": [],
               "graphs": [], "readings": {"kleene": "join"}, "evaluate": ""}},
])
def test_what_is_no_state_is_an_error_of_one_line(page: TestClient, asked: Any) -> None:
    response = page.post("/evaluate", json=asked)
    assert response.status_code == 422
    assert response.json()["error"]


@pytest.mark.parametrize(("format", "text"), [
    ("tsv", "type\tprice\nBUY\t1\nSELL\t2\n"),
    ("jsonl", '{"type": "BUY", "price": 1}\n{"type": "SELL", "price": 2}\n'),
])
def test_tuples_in_other_formats(page: TestClient, format: str, text: str) -> None:
    state = {
        "language": "ceql", "query": "SELECT * FROM S WHERE BUY ; SELL", "graphs": [],
        "streams": [{"name": "S", "format": format, "text": text, "declaration": ""}],
        "readings": {}, "evaluate": "",
    }
    assert evaluated(page, state)["rows"] == [{"number": 1, "cells": ["0", "1", "0 1"]}]


def test_quads_and_the_querys_name_of_a_stream(page: TestClient) -> None:
    state = state_named(page, EXAMPLES["spaseq"])
    prov = "http://www.w3.org/ns/prov#generatedAtTime"
    integer = "http://www.w3.org/2001/XMLSchema#integer"
    base = "http://example.org/"
    quads = (
        f'<{base}g> <{prov}> "10"^^<{integer}> .\n'
        f"<{base}H1> <{base}pow> <{base}P> <{base}g> .\n"
        f"<{base}H1> <{base}loc> <{base}L> <{base}g> .\n"
    )
    stream = {"name": "S1", "format": "nquads", "text": quads, "declaration": ""}
    assert evaluated(page, {**state, "streams": [stream]})["results"] == 1


def test_two_readings_are_distinguished(page: TestClient) -> None:
    state = state_named(page, "errata/spaseq/SPA-5-last")
    answer = page.post("/distinguish", json={"state": state, "other": {"kleene": "join"}}).json()
    assert answer["found"]
    assert "-kleene=last" in answer["text"]
    assert {row[0] for row in answer["here"][1:]} & {"only A", "only B"}
    smaller = {**state, **{key: answer["smallest"][key] for key in ("streams", "graphs")}}
    counts = [
        evaluated(page, {**smaller, "readings": readings, "evaluate": ""})["results"]
        for readings in ({}, {"kleene": "join"})
    ]
    assert counts[0] != counts[1]


def test_no_match_says_which_pattern_never_matched(page: TestClient) -> None:
    state = state_named(page, EXAMPLES["spaseq"])
    state["query"] = state["query"].replace(":pow", ":power")
    answer = evaluated(page, state)
    assert answer["results"] == 0
    assert "A never matched" in answer["notes"][-1]


def test_input_is_no_markup(page: TestClient) -> None:
    state = state_named(page, EXAMPLES["spaseq"])
    for stream in state["streams"]:
        stream["text"] = stream["text"].replace(":Pw1", f'"{_MARKUP}"')
    answer = evaluated(page, state)
    assert any(_MARKUP in cell for row in answer["rows"] for cell in row["cells"])
    explanation = page.post("/explain", json={"state": state, "match": 1}).json()["html"]
    for text in (answer["timeline"], answer["picture"], explanation):
        assert "<img" not in text
    assert "&lt;img" in explanation


class Spinning(server.PageService):
    """A service whose evaluation never ends."""

    def answer(self, request: tuple[str, Any, float]) -> dict[str, Any]:
        from denota.oracle.engines.worker_process import clock

        time = clock()
        assert time is not None
        with time.running(request[2]):
            while True:
                pass


def test_the_limit_ends_an_evaluation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "PageService", Spinning)
    with TestClient(server.application(8765, 0.1), base_url=ORIGIN) as page:
        state = state_named(page, EXAMPLES["ceql"])
        response = page.post("/evaluate", json={"state": state})
    assert response.status_code == 504
    assert response.json()["error"] == "ended after the time limit of 0.1 s (--time-limit)"


class Holding(Spinning):
    """A service whose evaluation holds 128 MiB and never ends."""

    def answer(self, request: tuple[str, Any, float]) -> dict[str, Any]:
        self.held = b"x" * (128 << 20)
        return super().answer(request)


class Recorded(server.WorkerProcess):
    """A process that is recorded with its id."""

    started: ClassVar[list[tuple[server.WorkerProcess, int]]] = []

    def __init__(self, begin: Any) -> None:
        super().__init__(begin)
        self.started.append((self, self.pid))


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[server.WorkerProcess, int]]:
    monkeypatch.setattr(Recorded, "started", [])
    monkeypatch.setattr(server, "WorkerProcess", Recorded)
    return Recorded.started


def assert_ended(started: list[tuple[server.WorkerProcess, int]]) -> None:
    [(process, pid)] = started
    assert process.pid == 0
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_too_much_memory_ends_an_evaluation(
    started: list[tuple[server.WorkerProcess, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    held = server.WorkerProcess(server.PageService)
    monkeypatch.setattr(server, "MAX_MEMORY", held.held() + (64 << 20))
    held.end()
    started.clear()
    monkeypatch.setattr(server, "PageService", Holding)
    with TestClient(server.application(8765, 60.0), base_url=ORIGIN) as page:
        response = page.post("/evaluate", json={"state": state_named(page, EXAMPLES["ceql"])})
    assert response.status_code == 503
    assert response.json()["error"].startswith("ended: it held more than ")
    assert_ended(started)


def test_an_evaluation_ends_with_its_client(
    started: list[tuple[server.WorkerProcess, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "PageService", Spinning)
    body = json.dumps({"state": state_of(read_case(example_files()[EXAMPLES["ceql"]]))})
    messages = iter([
        {"type": "http.request", "body": body.encode(), "more_body": False},
        {"type": "http.disconnect"},
    ])
    sent: list[Any] = []

    async def receive() -> Any:
        return next(messages)

    async def send(message: Any) -> None:
        sent.append(message)

    headers = {"host": "127.0.0.1:8765", "content-type": "application/json"}
    scope = {
        "type": "http", "method": "POST", "path": "/evaluate", "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    asyncio.run(server.application(8765, 60.0)(scope, receive, send))
    assert sent[0]["status"] == 499
    assert_ended(started)


@pytest.mark.parametrize("host", [
    "evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:80", "localhost:1", "",
])
def test_other_hosts_are_refused(page: TestClient, host: str) -> None:
    assert page.get("/", headers={"host": host}).status_code == 421
    assert page.post("/evaluate", headers={"host": host}, json={}).status_code == 421


def test_localhost_with_the_port_is_served(page: TestClient) -> None:
    assert page.get("/", headers={"host": "localhost:8765"}).status_code == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:8000"])
def test_other_origins_are_refused(page: TestClient, origin: str) -> None:
    answer = page.post("/evaluate", headers={"origin": origin}, json={})
    assert answer.status_code == 403


def test_large_and_other_requests_are_refused(page: TestClient) -> None:
    large = b"x" * (server.MAX_REQUEST + 1)
    kind = {"content-type": "application/json"}
    assert page.post("/evaluate", content=large, headers=kind).status_code == 413
    assert page.post("/evaluate", content=b"{", headers=kind).status_code == 400
    assert page.post("/evaluate", content=b"{}", headers={
        "content-type": "text/plain"}).status_code == 415
    assert page.get("/evaluate").status_code == 405


def test_the_page_takes_nothing_from_the_network(page: TestClient) -> None:
    for name in ("", "page.js", "page.css", "timeline.css"):
        response = page.get(f"/{name}")
        assert response.status_code == 200
        policy = response.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "http" not in policy
        assert "//" not in response.text.replace("// ", "")


def test_without_the_extra_a_line_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['uvicorn'] = None\n"
        "from importlib import util; found = util.find_spec\n"
        "util.find_spec = lambda name, package=None: None if name == 'uvicorn'"
        " else found(name, package)\n"
        "from denota.oracle.cli import main; sys.exit(main(['play', '--no-browser']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == (
        "denota play: the page requires Starlette and uvicorn: pip install 'denota[play]'\n"
    )


def test_a_port_that_is_taken_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    from denota.oracle.cli import main

    with server.listen(0) as taken:
        port = taken.getsockname()[1]
        assert taken.getsockname()[0] == "127.0.0.1"
        assert main(["play", "--no-browser", "--port", str(port)]) == 2
    assert f"--port {port}: " in capsys.readouterr().err
