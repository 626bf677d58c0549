"""Two translations of XPath's regular expressions, written apart, find the same."""

from __future__ import annotations

import re
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from denota.engine.rdf.expressions.regular_expressions import compile_regex
from denota.engine.rdf.expressions.values import ExpressionError
from denota.semantics.rdf.expressions.regular_expressions import RegularExpressionError, compiled

from ...examples import examples

PARTS = (
    "a", "b", "_", "-", "$", "^", ".", r"\w", r"\s", r"\d", r"\W", r"\S", "[ab]", "[^a]",
    "[a-c-[b]]", "(a)", "(a|b)", r"\1", "*", "+", "?", "{2}", "{1,2}", "|", "(", "(?:", ")",
    r"\p{Lu}", r"\i", r"\c", "}", " ", r"\n", r"\$",
)
TEXTS = ("", "a", "ab", "aab", "_", "-", "$", "a\nb", "a\n", "\u00a0", " a", "A", "a\rb", "ba}")


@examples(400)
@given(st.lists(st.sampled_from(PARTS), max_size=6).map("".join), st.sampled_from(["", *"smix"]))
def test_the_same_is_found(pattern: str, flags: str) -> None:
    found: list[re.Pattern[str] | None] = [None, None]
    with suppress(RegularExpressionError):
        found[0] = compiled(pattern, flags)
    with suppress(ExpressionError):
        found[1] = compile_regex(pattern, flags)
    definition, engine = found
    assert (definition is None) is (engine is None)
    if definition is not None and engine is not None:
        for text in TEXTS:
            ours, theirs = definition.search(text), engine.search(text)
            assert (ours and ours.span()) == (theirs and theirs.span()), text
