"""What tests do with the engine as it is, so that they cost little with a fault in it.

A test is asked about a fault if it calls a function of the faulty module. A property is asked of
the examples that it was given once: drawing them, which is most of its time, does not depend on the
engine, and neither does what the definitions say of a case, which the case remembers.
"""

from __future__ import annotations

import ast
import builtins
import importlib.abc
import importlib.machinery
import importlib.util
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis.errors import UnsatisfiedAssumption
from hypothesis.strategies import DataObject

from .faults import ROOT
from .planting import ENGINE, Planted

_CALLED = "__called_modules__"

MOST_EXAMPLES = 100
"""How many examples of a property are kept; the profile `ci` asks some of up to 2000."""

Example = dict[str, Any]


@dataclass
class Recorded:
    """A recorded run of a test: its outcome, its processor time in seconds, the engine's modules
    that it called (None where they are not known), and the pickled examples of a property (None
    where it draws them itself)."""

    passed: bool = False
    seconds: float = 0.0
    modules: frozenset[str] | None = frozenset()
    examples: list[bytes] | None = None


class Counted(importlib.abc.MetaPathFinder, importlib.machinery.SourceFileLoader):
    """Imports the engine so that its modules are noted when a function of theirs is called."""

    def __init__(self, name: str = "", path: str = "") -> None:
        super().__init__(name, path)

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        if fullname != ENGINE and not fullname.startswith(ENGINE + "."):
            return None
        plain = ROOT.joinpath(*fullname.split(".")[1:])
        package = plain.is_dir()
        file = str(plain / "__init__.py" if package else plain.with_suffix(".py"))
        return importlib.util.spec_from_file_location(
            fullname, file, loader=Counted(fullname, file),
            submodule_search_locations=[str(plain)] if package else None,
        )

    def get_code(self, fullname: str) -> Any:
        tree = ast.parse(Path(self.path).read_text(encoding="utf-8"))
        note = f"{_CALLED}.add({fullname.removeprefix('denota.')!r})"
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                node.body[:0] = ast.parse(note).body
        return compile(ast.fix_missing_locations(tree), self.path, "exec", dont_inherit=True)


class NotDrawnBefore(Exception):
    """A property that draws more when the engine is another has to draw all of it itself."""


class DrawnOnce:
    """Stands for Hypothesis' `data` and notes what is drawn from it, or draws that again."""

    def __init__(self, data: DataObject | None = None) -> None:
        self._data = data
        self._values: list[bytes] = []
        self._next = 0

    def draw(self, strategy: Any, label: Any = None) -> Any:
        if self._data is not None:
            value = self._data.draw(strategy, label)
            self._values.append(pickle.dumps(value))
            return value
        if self._next == len(self._values):
            raise NotDrawnBefore
        self._next += 1
        return pickle.loads(self._values[self._next - 1])

    def __getstate__(self) -> dict[str, Any]:
        return {"_data": None, "_values": self._values, "_next": 0}


def ready() -> None:
    """What fails need not become small, and pytest's own imports come behind ours."""
    sys.meta_path.sort(key=lambda finder: not isinstance(finder, Planted | Counted))
    settings.register_profile(
        "planted", settings.get_profile("ci"), phases=[Phase.explicit, Phase.generate],
        report_multiple_bugs=False,
    )
    settings.load_profile("planted")


def _few(item: pytest.Function) -> None:
    """Let a property have no more than so many examples, the first of those that it is given."""
    asked: Any = getattr(item.obj, "_hypothesis_internal_use_settings", None)
    if asked is not None and asked.max_examples > MOST_EXAMPLES:
        item.obj._hypothesis_internal_use_settings = settings(asked, max_examples=MOST_EXAMPLES)


@dataclass(eq=False)
class Recorder:
    """A pytest plugin: what each test does with the engine as it is."""

    tests: dict[str, Recorded] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.called: set[str] = set()
        setattr(builtins, _CALLED, self.called)
        sys.meta_path.insert(0, Counted())

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        ready()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        self.called.clear()
        test = self.tests[item.nodeid] = Recorded()
        began = process_time()
        result = yield
        test.seconds = process_time() - began
        test.modules = frozenset(self.called)
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self.tests[report.nodeid].passed = report.passed

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Iterator[Any]:
        if not _is_property(pyfuncitem):
            return (yield)
        _few(pyfuncitem)
        handle: Any = pyfuncitem.obj.hypothesis
        inner = handle.inner_test
        examples: list[bytes] | None = []
        given = set(pyfuncitem._fixtureinfo.argnames)

        def noted(**arguments: Any) -> Any:
            nonlocal examples
            arguments = {
                name: DrawnOnce(value) if isinstance(value, DataObject) else value
                for name, value in arguments.items()
            }
            before = _pickled(arguments, given)
            try:
                return inner(**arguments)
            finally:
                if any(isinstance(value, DrawnOnce) for value in arguments.values()):
                    before = _pickled(arguments, given)
                if before is None:
                    examples = None
                elif examples is not None:
                    examples.append(before)

        handle.inner_test = noted
        try:
            return (yield)
        finally:
            handle.inner_test = inner
            self.tests[pyfuncitem.nodeid].examples = examples


def _pickled(arguments: Mapping[str, Any], given: set[str]) -> bytes | None:
    """What was drawn, unless a child with another engine could not use it."""
    drawn = {name: value for name, value in arguments.items() if name not in given}
    if any(type(value).__module__.startswith("hypothesis.") for value in drawn.values()):
        return None
    try:
        pickled = pickle.dumps(drawn)
    except Exception:  # anything may be drawn, and so may be what goes wrong with it
        return None
    return None if ENGINE.encode() in pickled or b"hypothesis." in pickled else pickled


def _is_property(item: pytest.Function) -> bool:
    return bool(getattr(item.obj, "is_hypothesis_test", False))


@dataclass(eq=False)
class Replayer:
    """A pytest plugin: asks some tests, in this order, properties of the examples of before."""

    chosen: Sequence[str]
    examples: Mapping[str, Sequence[Example]]
    told: Callable[[str, bool, float], None] | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        ready()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        place = {name: number for number, name in enumerate(self.chosen)}
        items[:] = sorted(
            (item for item in items if item.nodeid in place), key=lambda item: place[item.nodeid]
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: Any) -> Iterator[Any]:
        report = yield
        if self.told is not None and report.when == "call":
            self.told(item.nodeid, report.passed, call.duration)
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        examples = self.examples.get(pyfuncitem.nodeid)
        if examples is None:
            _few(pyfuncitem)
            return None
        inner = pyfuncitem.obj.hypothesis.inner_test
        fixtures = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
        for drawn in examples:
            try:
                inner(**fixtures, **drawn)
            except UnsatisfiedAssumption:
                continue
            except NotDrawnBefore:
                return None
        return True


def remembered(tests: Mapping[str, Recorded]) -> dict[str, list[Example]]:
    """The examples as they were drawn; a case among them knows what the definitions say of it."""
    from denota.oracle.cases.case import Case
    from denota.semantics.model.errors import DenotaError

    examples: dict[str, list[Example]] = {}
    for name, test in tests.items():
        examples[name] = [pickle.loads(each) for each in test.examples or ()]
        for value in (each for example in examples[name] for each in example.values()):
            if isinstance(value, Case):
                with suppress(DenotaError):
                    value.denotation()
    return examples
