"""Regular expressions of XPath, where Python's differ."""

from __future__ import annotations

import pytest

from denota.semantics.rdf.expressions.regular_expressions import (
    RegularExpressionError,
    compiled,
    replacement,
)


@pytest.mark.parametrize("pattern, flags, text, found", [
    ("b$", "", "a\nb\n", False), ("a$", "m", "a\nb", True), ("^b", "", "a\nb", False),
    ("^b", "m", "a\nb", True), ("^$", "m", "a\n", False), ("a.b", "", "a\nb", False),
    ("a.b", "s", "a\nb", True), ("A B", "ix", "ab", True), ("a[ ]b", "x", "a b", True),
    ("a.b", "q", "axb", False), ("[a-z-[aeiou]]", "", "e", False), ("[a-z-[aeiou]]", "", "x", True),
    ("[^a-z-[x]]", "", "x", False), ("[a\\-z]", "", "-", True), ("[-a]", "", "-", True),
    ("[a-]", "", "-", True), (r"^\w$", "", "$", True), (r"^\w$", "", "-", False),
    (r"^\W$", "", "-", True), (r"^\s$", "", "\u00a0", False), (r"^\S$", "", "\u00a0", True),
    (r"^\d+$", "", "٣", True), (r"^\p{Lu}\P{Lu}$", "", "Ab", True), (r"[\p{N}x]", "", "Ⅷ", True),
    (r"^\i\c*$", "", "a-b", True), (r"^\i", "", "-", False), (r"^\I$", "", "1", True),
    (r"(a)\1", "", "aa", True), (r"^(?:(a)|b)\1$", "", "b", True), ("a{2,3}", "", "aa", True),
    ("^a{2}$", "", "aaa", False), ("a+?b", "", "aab", True), ("(a|b)c|d", "", "d", True),
    (r"\.", "", "x", False), (r"\n", "", "\n", True), ("", "", "x", True), ("é", "i", "É", True),
    (r"[\d\-x]", "", "-", True), (r"\^\$", "", "^$", True),
])
def test_a_search(pattern: str, flags: str, text: str, found: bool) -> None:
    assert (compiled(pattern, flags).search(text) is not None) is found


@pytest.mark.parametrize("pattern", [
    "[", "a)", "(a", "*a", "a**", "a{2", "}", "]", "a{3,2}", r"\q", r"\p{Foo}", r"\p{IsGreek}",
    r"(a\1)", r"\1", "[a-z-x]", "[z-a]", "[[a]]", "\\", "[a-\\d]", "(?=a)", "(?P<n>a)", "a{,3}",
])
def test_no_regular_expression(pattern: str) -> None:
    with pytest.raises(RegularExpressionError):
        compiled(pattern)


def test_no_flag() -> None:
    with pytest.raises(RegularExpressionError, match="unknown flag 'k'"):
        compiled("a", "ik")


@pytest.mark.parametrize("by, result", [
    ("[$0]", "[ab]"), ("$2$1", "ba"), (r"\$1\\", "$1\\"), ("$12", "a2"), ("$3", ""), ("", ""),
])
def test_a_replacement(by: str, result: str) -> None:
    expression = compiled("(a)(b)")
    assert expression.sub(replacement(by, expression.groups), "ab") == result


@pytest.mark.parametrize("by", ["$", "a$b", "\\", r"\n"])
def test_no_replacement(by: str) -> None:
    with pytest.raises(RegularExpressionError):
        replacement(by, 1)
