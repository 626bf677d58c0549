"""Peers that Python imports: under which interpreter, and how to get one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from denota.oracle.engines.engine import EngineError
from denota.peers.bobocep import BoboCep
from denota.peers.core import Core
from denota.peers.epigrep import Epigrep
from denota.peers.hosted import PythonPackage, interpreter
from denota.peers.pandas_match_recognize import DataFrames


@pytest.fixture(autouse=True)
def _asked_anew() -> Iterator[None]:
    interpreter.cache_clear()
    yield
    interpreter.cache_clear()


@pytest.mark.parametrize(
    "peer, variable, module",
    [
        (BoboCep, "DENOTA_PEERS_PYTHON", "bobocep"),
        (Core, "DENOTA_CORE_PYTHON", "pycer"),
        (DataFrames, "DENOTA_PEERS_PYTHON", "pandas_match_recognize"),
        (Epigrep, "DENOTA_PEERS_PYTHON", "epigrep"),
    ],
)
def test_an_interpreter_that_is_named_has_to_have_the_package(
    monkeypatch: pytest.MonkeyPatch, peer: Callable[[float], Any], variable: str, module: str
) -> None:
    monkeypatch.setenv(variable, "/no/such/python")
    with pytest.raises(EngineError, match=f"{variable}=/no/such/python has no {module}"):
        peer(1.0)


def test_where_it_is_not_to_be_had_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DENOTA_NO_PYTHON", raising=False)
    package = PythonPackage("none", "no_such_module", "DENOTA_NO_PYTHON", "elsewhere")
    with pytest.raises(EngineError, match=r"no_such_module \(elsewhere, or name one in DENOTA"):
        interpreter(package)
