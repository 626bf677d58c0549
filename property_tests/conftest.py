"""Profiles: `ci` (short, the default), `thorough`, `deep` (for as long as asked). See README.md."""

from __future__ import annotations

import os
from collections.abc import Iterator
from time import monotonic

import pytest
from hypothesis import HealthCheck, settings

from denota.oracle.fuzzing.strategies.hypothesis_backend import plain_backend

THOROUGH_EXAMPLES = 100  # a property that needs more, or can afford fewer, says so (`examples.py`)
CI_EXAMPLES = THOROUGH_EXAMPLES // 5
DEEP_EXAMPLES = 200  # a portion; portions are repeated until the time is up
DEEP_SECONDS = 600.0

_COMMON = settings(
    deadline=None,
    print_blob=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    backend=plain_backend(),
)
# The same examples each time: a change breaks the build, not chance.
settings.register_profile("ci", _COMMON, max_examples=CI_EXAMPLES, derandomize=True)
settings.register_profile("thorough", _COMMON, max_examples=THOROUGH_EXAMPLES, derandomize=True)
settings.register_profile("deep", _COMMON, max_examples=DEEP_EXAMPLES)
settings.load_profile("ci")

_SHARE = pytest.StashKey[float]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--seconds",
        type=float,
        default=None,
        help="how long the properties run under --hypothesis-profile=deep, all together",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not _is_deep(config):
        return
    asked = config.getoption("--seconds") or os.environ.get("DENOTA_SECONDS") or DEEP_SECONDS
    properties = sum(_is_property(item) for item in items)
    config.stash[_SHARE] = float(asked) / max(properties, 1)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """Under `deep`, a property is run again, with new examples, until its share is used up."""
    began = monotonic()
    outcome = yield
    if _is_deep(pyfuncitem.config) and _is_property(pyfuncitem):
        wanted = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
        while monotonic() - began < pyfuncitem.config.stash[_SHARE]:
            pyfuncitem.obj(**wanted)
    return outcome


def _is_deep(config: pytest.Config) -> bool:
    return bool(config.getoption("--hypothesis-profile", None) == "deep")


def _is_property(item: pytest.Item) -> bool:
    return bool(getattr(getattr(item, "obj", None), "is_hypothesis_test", False))
