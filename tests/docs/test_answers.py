"""The table of docs/answers.md is what the tester says of CSRBench's twelve recordings."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import denota
from denota.oracle.cli import main
from denota.oracle.recorded_output.report_text import Answered
from denota.oracle.recorded_output.schedules import Policy, Trigger, WindowEnds
from denota.semantics.rsepql.syntax.tree import StreamOperator

ROOT = Path(denota.__file__).resolve().parent
PAGE = ROOT / "docs" / "answers.md"
DATA = Path(
    os.environ.get("DENOTA_SENSOR_DATA", ROOT.parent / "shared" / "data" / "linked-sensor-data")
)
SECOND = 1_000_000

pytestmark = pytest.mark.skipif(
    not (DATA / "answers").is_dir(),
    reason="the linked sensor data with its recorded answers is not here",
)


@pytest.fixture(scope="module")
def judged() -> dict[str, Answered]:
    """The files that the command checks, by name."""
    from denota.oracle.recorded_output import report_files as reports

    found: dict[str, Answered] = {}
    written = reports.table_lines

    def kept(entries):
        found.update({Path(entry.place).stem: entry for entry in entries})
        return written(entries)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reports, "table_lines", kept)
        page = Path(os.devnull)
        assert main([
            "check", "--recorded", str(DATA / "answers"), "--query", str(ROOT / "examples/answers"),
            "--stream", str(DATA), "--markdown", str(page),
        ]) == 1
    return found


def test_the_page_shows_the_verdicts(judged: dict[str, Answered]) -> None:
    from denota.oracle.recorded_output.report_files import table_lines

    shown = re.search(r"<!-- answers -->\n(.*?)<!-- end -->", PAGE.read_text(), re.DOTALL)
    assert shown is not None
    assert shown[1] == "\n".join(table_lines(list(judged.values()))) + "\n", (
        "run the command that docs/answers.md shows above its table"
    )


def test_ten_are_right_and_two_are_wrong(judged: dict[str, Answered]) -> None:
    wrong = sorted(name for name, entry in judged.items() if not entry.verdict.ok)
    assert len(judged) == 12
    assert wrong == ["csparql-3", "sparqlstream-4"]
    assert all(entry.verdict.own for name, entry in judged.items() if name not in wrong)


@pytest.mark.parametrize(("name", "bounds", "start"), [
    ("csparql-1", WindowEnds.CLOSED_OPEN, 0), ("csparql-2", WindowEnds.OPEN_CLOSED, 0),
    ("csparql-4", WindowEnds.CLOSED_OPEN, 0), ("sparqlstream-1", WindowEnds.OPEN_CLOSED, 1),
    ("sparqlstream-2", WindowEnds.OPEN_CLOSED, 0), ("sparqlstream-3", WindowEnds.OPEN_CLOSED, 2),
])
def test_settings_worked_out_by_hand(
    judged: dict[str, Answered], name: str, bounds: WindowEnds, start: int
) -> None:
    empties = name.startswith("csparql")
    assert any(
        right.setting.policy is Policy.WINDOW_CLOSE
        and right.setting.operator is StreamOperator.RSTREAM
        and right.setting.bounds is bounds
        and right.setting.empty_answers is empties
        and any(s.earliest <= start * SECOND <= s.latest for s in right.starts)
        for right in judged[name].verdict.right
    )


@pytest.mark.parametrize("number", [1, 2, 3])
def test_cqels_reports_what_comes(judged: dict[str, Answered], number: int) -> None:
    assert any(
        right.setting.policy is Policy.CONTENT_CHANGE
        and right.setting.operator is StreamOperator.ISTREAM
        and right.setting.bounds is WindowEnds.OPEN_CLOSED
        and right.setting.trigger is Trigger.ARRIVAL
        and 0 < right.least < right.most < 200_000
        for right in judged[f"cqels-{number}"].verdict.right
    )


def test_cqels_averages_over_windows_with_both_ends(judged: dict[str, Answered]) -> None:
    own = judged["cqels-4"].verdict.own
    assert {(r.setting.bounds, r.setting.trigger) for r in own} == {
        (WindowEnds.CLOSED_CLOSED, Trigger.MATCH)
    }


def test_each_answer_of_cqels_comes_sooner_than_the_one_four_seconds_before() -> None:
    from denota.oracle.recorded_output.recordings import read_recording

    times = [relation.time for relation in read_recording(DATA / "answers/cqels-4.json").relations]
    apart = [
        later - sooner for sooner in times for later in times if later // 1000 - sooner // 1000 == 4
    ]
    assert len(apart) == 6
    assert (min(apart), max(apart)) == (3868, 3992)  # milliseconds
    assert "3.87 s to 3.99 s" in PAGE.read_text(encoding="utf-8")


def test_the_page_shows_how_many_altered_answers_are_accepted() -> None:
    """One recording is measured again; `denota.studies.answers_power` measures all."""
    from denota.studies.answers_power import (
        ALTERATIONS,
        Accepted,
        measured_file,
        recording_line,
    )

    shown = re.search(r"<!-- power -->\n(.*?)<!-- end -->", PAGE.read_text(), re.DOTALL)
    assert shown is not None
    for name in ALTERATIONS:
        assert f"| {name} |" in shown[1]
    found = measured_file(
        DATA / "answers" / "sparqlstream-3.json", ROOT / "examples/answers", str(DATA)
    )
    assert found is not None
    assert f"{recording_line('sparqlstream-3', found)}\n" in shown[1]
    assert found["a row is there twice"].anyhow == 0
    assert found["a value is another"] == Accepted(found["a value is another"].made, 0, 0, 0)


def test_the_reading_that_csparql_tells_too_late(judged: dict[str, Answered]) -> None:
    nearest = judged["csparql-3"].verdict.nearest
    assert nearest is not None
    (late,) = nearest.misplaced
    assert (late.due, late.came, nearest.start) == (28 * SECOND, 32 * SECOND, 0)
    assert nearest.size == 1
    assert nearest.setting.bounds is WindowEnds.OPEN_CLOSED


def test_the_averages_of_nothing_that_sparqlstream_tells(judged: dict[str, Answered]) -> None:
    nearest = judged["sparqlstream-4"].verdict.nearest
    assert nearest is not None
    assert [row.time for row in nearest.missing] == [7 * SECOND, 11 * SECOND]
    assert [row.time for row in nearest.unexpected] == [39 * SECOND, 43 * SECOND, 47 * SECOND]
    assert not nearest.misplaced
