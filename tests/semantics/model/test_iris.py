"""The examples of RFC 3986, 5.4, and what SPARQL adds."""

from __future__ import annotations

import pytest

from denota.semantics.model.iris import resolve

BASE = "http://a/b/c/d;p?q"


@pytest.mark.parametrize("reference, target", [
    ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"),
    ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"),
    ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("..", "http://a/b/"),
    ("../..", "http://a/"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"),
    ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"),
    ("./../g", "http://a/b/g"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
    ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/../x", "http://a/b/c/g#s/../x"),
])
def test_resolution(reference: str, target: str) -> None:
    assert resolve(reference, BASE) == target


def test_bases_of_other_kinds() -> None:
    assert resolve("x", "http://a") == "http://a/x"
    assert resolve("x", "file:///d/e") == "file:///d/x"
    assert resolve("#x", "urn:a:b") == "urn:a:b#x"
    assert resolve("x", None) == "x"
