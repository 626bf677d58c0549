"""The alphabet `window-functions`: one pattern over every window function."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from .clauses import OUTPUTS, POLICIES, About, Clause, WrittenQuery, closes, combined, query
from .content_streams import Content, Contents, InstantChoices

_PATTERN = "{ ?x :A ?a }"
_DEFAULT = "?x :A ?a"
_BODIES = (Clause("WINDOW :w " + _PATTERN), Clause(f"MATCH {{ EVENT :w {_PATTERN} }}"),
           Clause(_DEFAULT, 1))
_SELECTS = Clause("SELECT *"), Clause("SELECT ?x")
_STEPS = " STEP {}", " STEP {} START 1"
_BOUNDS = " BOUNDS CLOSED OPEN", " BOUNDS CLOSED CLOSED", " BOUNDS OPEN OPEN"
_GRAPHS = (
    Content("s", (("s0", "A", "o0"),)), Content("s", (("s0", "A", "o1"),)),
    Content("s", (("z", "Z", "z"),)),
)


def functions(width: int) -> Iterator[Clause]:
    """Each window function; what is nested counts for one more than the larger of the two."""
    basic = [*_basic(width)]
    yield from basic
    for _, (outer, inner) in combined(basic, basic):
        operators = 1 + max(outer.operators, inner.operators)
        yield Clause(f"{outer.text} OF {inner.text}", operators)


def _basic(width: int) -> Iterator[Clause]:
    """Those that are not nested: what there is beside a width, a number or instants counts for
    one operator."""
    yield from (Clause("[FROM 1]"), Clause(f"[BETWEEN 1 AND {width + 1}]"), Clause("[ALL]"))
    for starting, ending in product(("", *_STEPS), ("", *_BOUNDS)):
        clauses = starting.format(width) + ending
        yield Clause(f"[RANGE {width}{clauses}]", int(bool(clauses)))
    yield Clause(f"[RANGE 1 STEP {width}]", 1)
    for size, step in product((1, 2), ("", " STEP 2")):
        yield Clause(f"[ELEMENTS {size}{step}]", int(bool(step)))


def window_functions(width: int) -> Iterator[WrittenQuery]:
    """Every query of the alphabet."""
    for operators, (function, body, select, output, policy) in combined(
        [*functions(width)], _BODIES, _SELECTS, OUTPUTS, POLICIES
    ):
        if policy.waits_for_the_end and not closes(function.text):
            continue
        named = "" if body.text == _DEFAULT else "NAMED "
        clause = f"FROM {named}WINDOW :w ON :s {function.text}"
        text = query([clause], body.text, select=select.text, output=output.text)
        instants = InstantChoices(width, width + 2)
        contents = Contents(_GRAPHS, (("o0", "o1"),), instants, "ELEMENTS" in function.text)
        yield WrittenQuery(text, operators, About(contents, evaluation=policy.said))
