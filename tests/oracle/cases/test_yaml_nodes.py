"""YAML that would end the interpreter, or fill its memory, is an error with its place."""

from __future__ import annotations

import pytest

from denota.oracle.cases.yaml_nodes import DEEPEST, read_yaml
from denota.semantics.model.errors import CaseError

BOMB = "a: &a [1,2,3,4,5,6,7,8,9]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 500, f"f:1:{DEEPEST + 1}: not YAML: more than {DEEPEST} levels are nested"),
        ("[" * 60_000, f"more than {DEEPEST} levels are nested"),
        ("{a: " * 60_000, f"more than {DEEPEST} levels are nested"),
        ("- " * 60_000, f"more than {DEEPEST} levels are nested"),
        (BOMB, "f:7:42: not YAML: aliases make more than 1,000,000 nodes"),
        ("&a [*a]", "f:1:5: not YAML: there is no anchor 'a' before"),
        ("a: *b", "there is no anchor 'b' before"),
        ("a: 1\n---\nb: 2\n", "f:2:1: not YAML: there is a second document"),
    ],
)
def test_hostile_yaml(text: str, message: str) -> None:
    with pytest.raises(CaseError) as raised:
        read_yaml(text, "f")
    assert message in str(raised.value)


def test_aliases_stand_for_nodes() -> None:
    entries = read_yaml("a: &x [1, 2]\nb: *x\n", "f").mapping("it")
    assert [node.text("one") for node in entries["b"].sequence("b")] == ["1", "2"]
