"""HTML reports in a browser: on a desk and on a phone, and what can be opened there."""

import pytest

from denota.oracle.cli import main

from .chromium import PROGRAM, browser

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium here")

TOY = """
class Toy:
    name, version, languages, level = "toy", "0.3", ("spaseq",), "pair"

    def run(self, case):
        return []
"""

CASE = """\
title: TITLE
language: spaseq
prefixes: {"": "http://example.org/"}
query: |
  PREFIX : <http://example.org/>
  SELECT ?door ?sensor WITHIN 60 FROM STREAM Doors :doors FROM STREAM Motion :motion
  WHERE { SEQ(Opened; Moved)
    DEFINE GPM Opened ON Doors { ?door :state :open ; :room ?room . }
    DEFINE GPM Moved ON Motion { ?sensor :sees ?somebody ; :room ?room . } }
streams:
  http://example.org/doors: |
    :d1 prov:generatedAtTime 10 .  :d1 { :front :state :open ; :room :hall . }
  http://example.org/motion: |
    :m1 prov:generatedAtTime 20 .  :m1 { :eye1 :sees :cat ; :room :kitchen . }
    :m2 prov:generatedAtTime 30 .  :m2 { :eye2 :sees :thief ; :room :hall . }
expect:
  results:
    - {time: 30, solutions: [{door: ":front", sensor: ":eye2"}]}
"""

WIDE = "document.documentElement.scrollWidth"
FAILURES = "document.querySelectorAll('article > details')"


@pytest.fixture(scope="module")
def page():
    with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """A report of an engine that finds nothing, an explanation, a page of conformance."""
    folder = tmp_path_factory.mktemp("reports")
    (folder / "toy.py").write_text(TOY, encoding="utf-8")
    cases = folder / "cases"
    cases.mkdir()
    for number in range(5):
        text = CASE.replace("TITLE", f"{'long_' * 30}{number}")
        (cases / f"{number}.case.yaml").write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        report = ["--engine", "python:toy:Toy", "--html", "check.html",
                  "--save-verdicts", "results"]
        assert main(["check", "cases", *report]) == 1
        assert main(["report", "results", "--html", "conformance.html"]) == 0
        assert main(["explain", "cases/0.case.yaml", "--html", "explain.html"]) == 0
    return folder


@pytest.mark.parametrize("name", ["check", "conformance", "explain"])
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_wider_than_the_screen(page, reports, name, width):
    page.show(reports / f"{name}.html", width)
    page.value("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert page.value(WIDE) == page.value("document.documentElement.clientWidth") <= width
    assert page.said == []


def test_no_table_is_cut_off_at_1200_pixels(page, reports):
    page.show(reports / "conformance.html", 1200)
    tables = "[...document.querySelectorAll('.scroll, table')]"
    assert page.value(f"{tables}.filter(e => e.scrollWidth > e.clientWidth).length") == 0
    assert page.value("document.querySelectorAll('.groups table').length") > 2


def test_failures_open_and_close(page, reports):
    page.show(reports / "check.html", 390)
    assert page.value(f"{FAILURES}.length") == 5
    opened = f"[...{FAILURES}].filter(each => each.open).length"
    assert page.value(opened) == 3
    page.value(f"{FAILURES}[4].querySelector('summary').click()")
    assert page.value(opened) == 4
    assert page.value(f"{FAILURES}[4].querySelector('svg.timeline').getBoundingClientRect().height")
    assert "denota check" in page.value(f"{FAILURES}[4].querySelector('.command').innerText")


def test_the_ground_is_dark_where_that_is_preferred(page, reports):
    ground = "getComputedStyle(document.body).backgroundColor"
    page.show(reports / "check.html", 390)
    light = page.value(ground)
    page.show(reports / "check.html", 390, dark=True)
    assert page.value(ground) != light
