"""Graphs of objects go to plain data and back, with what they share and nothing else."""

from __future__ import annotations

import json
from collections import Counter, deque
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
import pytest

from denota.engine.checkpoints.state_decoder import DamagedState, restored
from denota.engine.checkpoints.state_encoder import SavedGraph, places_of, saved
from denota.engine.checkpoints.state_schema import declaration_of, stateful, undeclared, value_class
from denota.semantics.model.errors import Impossible
from denota.semantics.model.terms import BNode, URIRef, Variable, literal


@value_class
class Colour(Enum):
    RED = 1


@stateful()
class Place(NamedTuple):
    x: int
    y: float


@stateful()
@dataclass(frozen=True)
class Fact:
    about: str
    truth: bool


@stateful()
@dataclass(eq=False)
class Link:
    """One in a chain that is too long to be followed by calls."""

    next: Link | None = None


@stateful(same=("width",), compiled=("function",))
class Column:
    def __init__(self, width: int = 1) -> None:
        self.width = width
        self.function = len


@stateful(kept=("state",), parts=("columns",), anew=("cache",))
class Machine:
    def __init__(self, state: Any = None, width: int = 1) -> None:
        self.state = state
        self.columns = [Column(width), Column(width)]
        self.cache: dict[int, int] = {}


def there_and_back(state: Any) -> Any:
    graph = saved(Machine(state))
    machine = Machine()
    restored(machine, SavedGraph(json.loads(json.dumps(graph.data)), graph.arrays))
    assert saved(machine) == graph
    return machine.state


@pytest.mark.parametrize(
    "value",
    [
        None, True, 1, -(1 << 100), 1.0, float("inf"), "a\ud800", (), (1, (2.0, True)), [1, [2]],
        {(1, 2): [3], "b": {4}}, frozenset({frozenset({1}), frozenset()}), {1, 2}, deque([1, 2]),
        Counter("abca"), Decimal("1.50"), Colour.RED, Place(1, 2.5), Fact("a", truth=True),
        URIRef("http://example.org/a"), BNode("b"), Variable("v"), literal("01", language="en"),
        literal("x", "http://example.org/type"), {URIRef("a"), Variable("a"), literal("a")},
    ],
    # How a set prints hangs on the process, and tests are spread over several.
    ids=lambda value: type(value).__name__,
)
def test_values_come_back_as_they_were(value: Any) -> None:
    again = there_and_back(value)
    assert again == value
    assert type(again) is type(value)


def test_true_is_not_one() -> None:
    assert [type(each) for each in there_and_back([(1,), (True,), (1.0,)])[1]] == [bool]


def test_arrays_keep_their_bytes() -> None:
    arrays = [np.arange(6, dtype=np.uint64).reshape(2, 3), np.zeros(0, np.int32), np.array([True])]
    for before, after in zip(arrays, there_and_back(arrays), strict=True):
        assert before.dtype == after.dtype
        assert before.tolist() == after.tolist()
        after[...] = 0  # it can be written
    assert there_and_back(np.uint64((1 << 64) - 1)) == (1 << 64) - 1


def test_what_is_shared_stays_shared() -> None:
    shared = [1]
    one, other = there_and_back([shared, {"here": (shared,)}])
    assert one is other["here"][0]


def test_circles_and_long_chains() -> None:
    circle = Link()
    circle.next = Link(circle)
    again = there_and_back(circle)
    assert again.next.next is again
    chain = None
    for _ in range(10_000):
        chain = Link(chain)
    again, length = there_and_back(chain), 0
    while again is not None:
        again, length = again.next, length + 1
    assert length == 10_000


def test_state_may_refer_to_what_is_compiled() -> None:
    machine = Machine()
    machine.state = {machine.columns[1]: 1}
    other = Machine()
    restored(other, saved(machine))
    assert list(other.state) == [other.columns[1]]


def test_a_container_that_compiled_functions_know_is_filled() -> None:
    machine = Machine([])
    known = machine.state
    restored(machine, saved(Machine([1, 2])))
    assert machine.state is known
    assert known == [1, 2]


def test_a_field_that_nobody_declares_is_found() -> None:
    machine = Machine()
    machine.forgotten = 1  # type: ignore[attr-defined]
    assert undeclared(machine) == ["forgotten"]
    with pytest.raises(Impossible, match="Machine does not say whether it is state: forgotten"):
        saved(machine)


class Derived(Column):
    pass


def test_a_class_declares_for_those_that_derive_from_it() -> None:
    assert declaration_of(Derived) == declaration_of(Column)
    assert declaration_of(int) is None


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (object(), "object declares no state"), (Column(), "Column is compiled, and no part"),
        (np.array([None]), "array of objects"),
    ],
    ids=["undeclared", "compiled", "objects"],
)
def test_what_cannot_be_saved_is_said(state: Any, said: str) -> None:
    with pytest.raises(Impossible, match=said):
        saved(Machine(state))


def test_parts_without_a_declaration_are_found() -> None:
    machine = Machine()
    machine.columns.append(3)  # type: ignore[arg-type]
    with pytest.raises(Impossible, match="declares no state: int"):
        places_of(machine)


def test_another_layout_is_refused() -> None:
    with pytest.raises(DamagedState, match="its 'width' differ"):
        restored(Machine(width=2), saved(Machine()))


_HERE = f"{__name__.partition('.')[2]}"


@pytest.mark.parametrize(
    "data",
    [
        {"objects": [["of", "os.system", "true"]]},
        {"objects": [["of", f"{_HERE}.Column"]]},
        {"objects": [["of", f"{_HERE}.Link"]]},
        {"objects": [["eval", "1"]]},
        {"objects": [["array", "<i8", [2], 0, 8]]},
        {"objects": [["array", "|O", [1], 0, 8]]},
        {"objects": [["array", "<i8", [-1, -1], 0, 8]]},
        {"objects": [["dict", 1]]},
        {"objects": [["set", [0, 0]]]},
        {"values": [["tuple", [0]]]},
        {"values": [["tuple", [-1]]]},
        {"values": [["iri", 1]]},
        {"values": [["scalar", "|O", 1]]},
        {"values": [["enum", f"{_HERE}.Colour", "GREEN"]]},
        {"values": [["of", f"{_HERE}.Fact", 1]]},
        {"values": [["of", f"{_HERE}.Place", 1]]},
        {"values": [["decimal", "one"]]},
        {"places": [[f"{_HERE}.Machine", [], [[9, 0]]]]},
        {"places": [[f"{_HERE}.Machine", [], [{}]]]},
        {"places": [[f"{_HERE}.Machine", [], []]]},
        {"places": []},
        {},
    ],
    ids=str,
)
def test_what_fits_nothing_is_refused(data: dict[str, Any]) -> None:
    graph = saved(Machine())
    hostile = {**graph.data, **data} if data else {}
    if len(data.get("places", ())) == 1:
        hostile["places"] = data["places"] + graph.data["places"][1:]
    with pytest.raises(DamagedState):
        restored(Machine(), SavedGraph(hostile, bytes(8)))


@stateful(kept=("size",))
@dataclass
class Checked:
    size: int
    seen: list[int] = field(default_factory=list)

    def resumed(self) -> None:
        if self.size < 0:
            raise ValueError("less than nothing")


def test_a_class_may_check_its_state() -> None:
    data = saved(Machine()).data
    name = f"{_HERE}.Checked"
    data["objects"] = [["of", name, -1]]
    with pytest.raises(DamagedState, match="less than nothing"):
        restored(Machine(), SavedGraph(data, b""))
