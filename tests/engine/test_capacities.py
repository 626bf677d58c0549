"""Capacities: they hold for as long as a test says, and the engines go by all of them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from denota import engine
from denota.engine.tuning import IN_USE, NAMES, SMALL, TuningParameters, capacities
from denota.oracle.cases.case_reader import read_case
from denota.oracle.checking.case_checker import check_case
from denota.oracle.engines.builtin import Production

REGRESSIONS = sorted(
    Path(engine.__path__[0]).parent.joinpath("corpus", "regressions").rglob("*.case.yaml")
)


def test_they_hold_until_the_end() -> None:
    with capacities(SMALL, terms=5):
        assert (IN_USE.terms, IN_USE.nodes) == (5, 16)
        with capacities(nodes=32):
            assert (IN_USE.terms, IN_USE.nodes) == (5, 32)
        assert IN_USE.nodes == 16
    assert TuningParameters() == IN_USE


def test_also_where_it_ends_in_an_error() -> None:
    with pytest.raises(ZeroDivisionError), capacities(SMALL):
        raise ZeroDivisionError
    assert TuningParameters() == IN_USE


def test_the_engines_go_by_each_of_them_and_by_those_in_use() -> None:
    read: set[str] = set()
    for path in Path(engine.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Attribute(ast.Name("IN_USE"), name):
                    read.add(name)
    assert read == set(NAMES)


def test_small_ones_are_small() -> None:
    assert all(getattr(SMALL, name) < getattr(TuningParameters(), name) for name in NAMES)


@pytest.mark.parametrize("path", REGRESSIONS, ids=lambda path: path.name.partition(".")[0])
def test_no_regression_shows_with_small_ones(path: Path) -> None:
    verdict = check_case(read_case(path), Production("small,cut=1,batch=1"), timeout=None)
    assert verdict.ok, verdict
