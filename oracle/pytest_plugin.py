"""A pytest plugin that collects `*.case.yaml` files as tests (`--denota-engine ENGINE`).

Nothing of denota is imported until the first case is run, so that other runs of pytest pay nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _pytest._code.code import ExceptionInfo, TerminalRepr

    from .engines.engine import Engine

_SUFFIX = ".case.yaml"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    group = parser.getgroup("denota", "conformance cases (*.case.yaml)")
    group.addoption(
        "--denota-engine", metavar="ENGINE", default="production",
        help="who is judged: production (default), oracle, python:MODULE:FACTORY, command:PROGRAM",
    )
    group.addoption(
        "--denota-timeout", metavar="S", type=float, default=10.0,
        help="seconds that the engine may take for a case (10)",
    )
    group.addoption(
        "--denota-allow-files-outside", action="store_true",
        help="cases may name files that are not in their folders",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> CaseFile | None:
    """Collect a case file as a test."""
    if file_path.name.endswith(_SUFFIX):
        return CaseFile.from_parent(parent, path=file_path)
    return None


class CaseFile(pytest.File):
    """A file with one case."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the one test."""
        yield CaseItem.from_parent(self, name=self.path.name.removesuffix(_SUFFIX))


class CaseFailure(Exception):
    """A verdict against the engine."""


class CaseItem(pytest.Item):
    """A case as a test."""

    def runtest(self) -> None:
        """Check the case."""
        from .cases.case_reader import read_case
        from .checking.case_checker import check_case
        from .checking.verdicts import Outcome
        from .reports.console import case_lines
        from .reports.run_result import CaseResult

        outside = self.config.getoption("--denota-allow-files-outside")
        case = read_case(self.path, files_outside=outside)
        engine = _engine(self.config)
        verdict = check_case(case, engine, timeout=self.config.getoption("--denota-timeout"))
        if verdict.outcome is Outcome.UNSUPPORTED:
            pytest.skip(f"unsupported: {verdict.detail}")
        if verdict.is_failure:
            raise CaseFailure(
                "\n".join(case_lines(CaseResult(case, verdict, str(self.path)))).rstrip()
            )

    def repr_failure(
        self, excinfo: ExceptionInfo[BaseException], style: Any = None
    ) -> str | TerminalRepr:
        """Return a verdict as is, bad input as one line, anything else with its traceback."""
        from ..semantics.model.errors import DenotaError

        if isinstance(excinfo.value, (CaseFailure, DenotaError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the location of the test."""
        return self.path, None, f"case {self.name}"


@pytest.fixture(scope="session")
def denota_engine(request: pytest.FixtureRequest) -> Engine:
    """Return the engine that `--denota-engine` names, for `denota.assert_agrees`."""
    return _engine(request.config)


_ENGINES = pytest.StashKey[dict[str, "Engine"]]()


def _engine(config: pytest.Config) -> Engine:
    from .engines.engine_specs import engine

    name = str(config.getoption("--denota-engine"))
    engines = config.stash.setdefault(_ENGINES, {})
    if name not in engines:
        engines[name] = engine(name, timeout=config.getoption("--denota-timeout"))
    return engines[name]


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the engines that were started."""
    for engine in config.stash.get(_ENGINES, {}).values():
        from .engines.engine import close

        close(engine)
