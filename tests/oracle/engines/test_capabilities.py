"""What cases ask of an engine, and what an engine says that it can do."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

import pytest

import denota
from denota.oracle.engines.builtin import Oracle
from denota.oracle.engines.capabilities import (
    CapabilityError,
    all_but,
    capabilities_of,
    lacking,
    left_out,
    needs_of,
    said_by,
    vocabulary,
)
from denota.oracle.engines.engine import EngineError
from denota.oracle.engines.engine_specs import engine
from denota.oracle.fuzzing.differential import fuzz
from denota.oracle.fuzzing.rounds import random_cases
from denota.oracle.inputs.choices import label
from denota.oracle.inputs.swarms import Swarm
from denota.oracle.languages.ceql.features import CeqlCase
from denota.oracle.languages.registry import having, part_of
from denota.peers.bobocep import CAPABILITIES as bobocep
from denota.peers.core import CAPABILITIES as core
from denota.peers.epigrep import CAPABILITIES as epigrep
from denota.peers.flink import CAPABILITIES as flink
from denota.peers.pandas_match_recognize import CAPABILITIES as pandas
from denota.peers.rsp_js import CAPABILITIES as rsp_js
from denota.semantics.ceql.syntax.parse import parse
from denota.semantics.model.tuples import EventTuple


def case(query: str) -> CeqlCase:
    return CeqlCase(parse(query), {"S": (EventTuple("A", {"n": 1}, 0), EventTuple("B", {}, 1))})


def test_a_case_asks_for_names_in_groups() -> None:
    needs = needs_of(case("SELECT NEXT * FROM S WHERE A ; B FILTER A[n > 0] WITHIN 2 EVENTS"))
    assert needs["operators"] == {";", "FILTER"}
    assert needs["strategies"] == {"SELECT NEXT"}
    assert needs["windows"] == {"WITHIN events"}
    assert needs["streams"] == {"1"}
    assert needs["data"] == {"missing attribute"}


def test_what_is_lacking_is_named_and_a_group_that_is_not_spoken_of_is_taken() -> None:
    capabilities = capabilities_of("ceql", {"operators": [";"], "windows": ["WITHIN events"]})
    assert not lacking(case("SELECT NEXT * FROM S WHERE A ; B WITHIN 2 EVENTS"), capabilities)
    assert lacking(case("SELECT * FROM S WHERE A+ : B"), capabilities) == {
        "operators": {"+", ":"}, "windows": {"no WITHIN"},
    }


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ({"operator": [";"]}, "no group of capabilities 'operator', did you mean 'operators'?"),
        ({"operators": ["SEQUENCE"]}, "there is no 'SEQUENCE'"),
        ({"operators": ";"}, "no list of names"),
        ({"operators": [1]}, "no list of names"),
        ([";"], "are no object"),
    ],
)
def test_what_an_engine_says_is_checked(said: Any, complaint: str) -> None:
    with pytest.raises(CapabilityError, match=complaint.replace("?", r"\?")):
        capabilities_of("ceql", said)


def test_all_but_some_are_told_by_their_names() -> None:
    assert set(all_but("ceql", "operators", ";")) == vocabulary("ceql")["operators"] - {";"}
    with pytest.raises(CapabilityError, match="no 'NOTT', did you mean 'NOT'"):
        all_but("ceql", "operators", "NOTT")


@pytest.mark.parametrize("language", having("generate"))
def test_every_name_that_a_query_asks_for_is_in_a_group(language: str) -> None:
    features = part_of(language, "features")
    known = frozenset[str]().union(*vocabulary(language).values())
    for each in random_cases(language, "names", 60):
        assert features.query_features(each.tree) <= known


BUILT_IN = ("spaseq", "rsepql", "cqels", "epsparql", "ceql")

SMALL: dict[str, dict[str, list[str]]] = {
    "ceql": {
        "operators": [";", "OR", "FILTER"], "conditions": [], "predicates": ["IN RANGE"],
        "strategies": [], "windows": ["WITHIN events"], "clauses": [], "readings": [],
        "streams": ["1"], "data": ["equal times", "empty stream", "comparison of different types"],
    },
    "spaseq": {
        "operators": [";", ":", "|"], "patterns": ["OPTIONAL", "shared variable"], "filters": [],
        "windows": ["WITHIN EVENTS"], "clauses": [], "readings": ["window=match"],
        "streams": ["1"],
    },
    "rsepql": {
        "operators": [], "windows": ["RANGE"], "patterns": ["WINDOW"], "clauses": ["RSTREAM"],
        "readings": [], "streams": ["1"],
    },
}  # fmt: skip
ENOUGH = {"ceql": 1_000, "spaseq": 1_000, "rsepql": 700}
"""So many cases make every choice that there is."""


@pytest.mark.parametrize("language", SMALL)
def test_most_of_what_is_generated_for_an_engine_is_what_it_takes(language: str) -> None:
    capabilities = capabilities_of(language, SMALL[language])

    def share(count: int, without: frozenset[tuple[str, str]]) -> float:
        cases = list(random_cases(language, "share", count, Swarm(), without))
        return sum(not lacking(each, capabilities) for each in cases) / len(cases)

    assert share(50, frozenset()) < 0.1
    assert share(100, left_out(language, capabilities)) >= 0.9


def test_an_engine_that_takes_nothing_is_given_any_case() -> None:
    nothing = capabilities_of("ceql", {"windows": []})
    cases = [*random_cases("ceql", "nothing", 3, Swarm(), left_out("ceql", nothing))]
    assert len(cases) == 3
    assert all(lacking(each, nothing) for each in cases)


def options_to_leave_out(language: str) -> set[tuple[str, str]]:
    generate = part_of(language, "generate")
    return {
        (choice, label(option))
        for refused in generate.RESTRICTIONS.values()
        for choice, options in refused.items() for option in options
    }


@pytest.mark.parametrize("language", SMALL)
def test_options_to_leave_out_are_options_of_the_generator(language: str) -> None:
    undecided = options_to_leave_out(language)
    swarm = Swarm()
    for _ in random_cases(language, "options", ENOUGH[language], swarm):
        undecided -= swarm.decided
        if not undecided:
            break
    assert not undecided


@pytest.mark.parametrize("language", [each for each in BUILT_IN if each != "ceql"])
def test_columnar_options_are_options_of_the_generator(language: str) -> None:
    allowed = part_of(language, "generate").COLUMNAR
    wanted = {(choice, label(option)) for choice, options in allowed.items() for option in options}
    swarm, drawn = Swarm(), set[tuple[str, str]]()
    for _ in random_cases(language, "columnar", 1_000, swarm, (), allowed):
        drawn |= {each for each in swarm.decided if each[0] in allowed}
        if drawn >= wanted:
            break
    assert drawn == wanted


def test_the_page_on_adapters_lists_every_name() -> None:
    page = Path(denota.__file__).with_name("docs") / "adapters.md"
    _, _, rest = page.read_text(encoding="utf-8").partition("<!-- capabilities -->")
    table, _, _ = rest.partition("<!-- end of capabilities -->")
    over_rdf = [each for each in BUILT_IN if each != "ceql"]
    shared = frozenset.intersection(*(frozenset(vocabulary(each)["patterns"]) for each in over_rdf))

    def row(languages: str, group: str, names: Iterable[str]) -> str:
        return f"| {languages} | `{group}` | {', '.join(f'`{name}`' for name in sorted(names))} |"

    rows = [row("all over RDF", "patterns", shared)]
    rows += [
        row(language, group, set(names) - (shared if group == "patterns" else set()))
        for language in BUILT_IN
        for group, names in vocabulary(language).items()
        if group != "patterns" or set(names) - shared
    ]
    assert table.split("\n")[3:-1] == [row.replace("`|`", r"`\|`") for row in rows]


CAPABLE = """\
import denota

class Capable:
    languages = ("ceql",)
    level = "positions"
    capabilities = {"ceql": {"operators": [";"], "windows": ["WITHIN events"]}}

    def run(self, case):
        raise denota.UnsupportedError("nothing")
"""


def test_an_engine_in_python_says_what_it_can_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "capable.py").write_text(CAPABLE, encoding="utf-8")
    with closing(engine("python:capable:Capable")) as judged:  # type: ignore[type-var]
        assert said_by(judged, "ceql")["operators"] == {";"}
        assert said_by(judged, "spaseq") == {}


def test_what_an_engine_in_python_says_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "boastful.py").write_text(CAPABLE.replace('";"', '"SEQ"'), encoding="utf-8")
    with pytest.raises(EngineError, match="among the operators of ceql there is no 'SEQ'"):
        engine("python:boastful:Capable")


def test_most_of_what_fuzzing_asks_is_what_an_object_takes() -> None:
    class Capable:
        name, version, languages, level = "capable", "", ("ceql",), "positions"
        capabilities: ClassVar[dict[str, Any]] = SMALL
        keeps_time = True

        def run(self, asked: Any) -> Any:
            assert not lacking(asked, said_by(self, "ceql"))
            return list(Oracle().run(asked))

    report = fuzz(Capable(), examples=20, seed=1)  # type: ignore[arg-type]
    assert report.ok
    assert report.passed_over <= 2


@pytest.mark.parametrize(("capabilities", "language", "group", "names"), [
    (core, "ceql", "data", {"comparison of different types"}),
    (core, "ceql", "strategies", vocabulary("ceql")["strategies"]),
    (core, "ceql", "windows", vocabulary("ceql")["windows"]),
    (core, "ceql", "predicates", vocabulary("ceql")["predicates"]
     - {"order of strings", "TRUE, FALSE"}),
    (core, "ceql", "conditions", vocabulary("ceql")["conditions"]
     - {"NOT θ", "θ on what is bound outside"}),
    (pandas, "ceql", "data", {"comparison of different types"}),
    (epigrep, "ceql", "data", {"comparison of different types"}),
    (bobocep, "spaseq", "operators", {"+"}),
    (flink, "spaseq", "operators", {"|"}),
    (rsp_js, "rsepql", "patterns", {"EXISTS", "aggregate", "property path", "sub-select"}),
])
def test_what_an_engine_answers_wrongly_is_generated_for_it(
    capabilities: Any, language: str, group: str, names: frozenset[str]
) -> None:
    claimed = capabilities_of(language, capabilities)
    assert group not in claimed or names <= claimed[group]
