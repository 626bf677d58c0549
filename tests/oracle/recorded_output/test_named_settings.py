"""Settings of engines: which files and which settings are theirs."""

from dataclasses import replace

import pytest

from denota.oracle.recorded_output.schedules import (
    Extent,
    Policy,
    Setting,
    WindowEnds,
    setting_of_file,
)
from denota.semantics.rsepql.syntax.settings import SETTINGS


@pytest.mark.parametrize(("name", "extent"), [
    ("csparql", Extent.CLOSED), ("sparqlstream", Extent.CLOSED), ("cqels", Extent.SLIDING),
])
def test_an_engine_reports_as_denota_does_under_its_name(name, extent):
    engine = SETTINGS[name]
    setting = Setting(
        Policy(engine.policy), engine.operator, WindowEnds.OPEN_CLOSED, engine.empty, extent
    )
    assert setting.is_of(engine)
    assert not replace(setting, empty_answers=not engine.empty).is_of(engine)
    assert not replace(setting, policy=Policy.PERIODIC).is_of(engine)
    assert [each for each in SETTINGS if setting.is_of(SETTINGS[each])] == [name]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("csparql-3.json", "csparql"), ("C-SPARQL_q1.json", "csparql"),
        ("cqels-answer-6.json", "cqels"), ("sparqlstream-1.json", "sparqlstream"),
        ("100sparqlstream-answer-2.json", "sparqlstream"), ("morph-streams-4.json", "sparqlstream"),
        ("esper.json", None),
    ],
)
def test_files_are_named_after_engines(file, name):
    setting = setting_of_file(file)
    assert (setting and setting.name) == name
