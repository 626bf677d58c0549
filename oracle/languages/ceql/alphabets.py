"""Alphabets of CEQL: restrictions of the drawing functions, by name.

An alphabet is a table of the options that are allowed of a choice; all queries with so many
operators are the drawing function's under every choice of them. Operators are those of the drawing
function: the nodes of a formula that are not event types, connectives, and arithmetic; clauses are
none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ....semantics.model.tuples import Value
from ...inputs.choices import Options

_STRATEGIES: Final = ("ALL", "NEXT", "LAST", "MAX", "STRICT")
_FORMULAS: Final = (";", "OR", ":", "+", ":+", "NOT")
_PLAIN: Final[Options] = {
    "ceql/word": ("any",), "ceql/operands": ("apart",), "ceql/likeness": ("none",),
    "ceql/streams": (1,), "ceql/FROM": ("in order",), "ceql/stream told": (False,),
    "ceql/types in a formula": (3,), "ceql/formula": _FORMULAS,
    "ceql/bound outside": (False,), "operators of a condition": (), "ceql/predicate": (),
    "ceql/condition": (), "ceql/predicate without operators": ("comparison",),
    "ceql/comparison": ("=",), "ceql/left side": (True,), "ceql/attribute": ("k",),
    "ceql/operand": ("literal",), "int": (1,),
    "ceql/select": ("*",), "ceql/attributes selected": (False,), "variables selected": (0, 1),
    "ceql/several results are right": (False,), "ceql/strategy": ("ALL",),
    "ceql/within": ("none",), "ceql/partitioned": (False,), "ceql/partition": ((("k",),),),
    "ceql/consume": ("NONE",),
}
"""Formulas over event types, without clauses; of conditions, where they are allowed, k = 1."""


@dataclass(frozen=True)
class TupleAlphabet:
    """The options that queries are made of, and the values of their attributes in streams.

    `allowed` replaces entries of the plain table. `two_streams`: FROM S, T, in which k has another
    type in T; a window measures k.
    """

    name: str
    summary: str
    more: Options
    values: Mapping[str, tuple[Value, ...]]
    two_streams: bool = False

    @property
    def allowed(self) -> Options:
        """The whole restriction."""
        return {**_PLAIN, **self.more}


_K: Final = {"k": (1, 2)}
_BY_TWO: Final = {"ceql/types in a formula": (2,)}

ALPHABETS = {
    alphabet.name: alphabet
    for alphabet in (
        TupleAlphabet(
            "types",
            "in CEQL: formulas of at most three event types without FILTER and AS, under every "
            "strategy but ANY; streams are of the types of the formula and Z",
            {"ceql/strategy": _STRATEGIES}, {},
        ),
        TupleAlphabet(
            "attributes",
            "in CEQL: as types, with FILTER of k = 1, PARTITION BY [k] and CONSUME BY, without "
            "strategies; k is 1, 2 or missing",
            {
                "ceql/formula": (*_FORMULAS, "FILTER"), "operators of a condition": (0,),
                "ceql/partitioned": (False, True),
                "ceql/consume": ("NONE", "ANY", "PARTITION"),
            },
            _K,
        ),
        TupleAlphabet(
            "strategies",
            "in CEQL: as types, with at most two types, with and without CONSUME BY ANY",
            {**_BY_TWO, "ceql/strategy": _STRATEGIES, "ceql/consume": ("NONE", "ANY")}, {},
        ),
        TupleAlphabet(
            "partitions",
            "in CEQL: as strategies, with PARTITION BY [k] in every query and CONSUME BY PARTITION",
            {
                **_BY_TWO, "ceql/strategy": _STRATEGIES, "ceql/partitioned": (True,),
                "ceql/consume": ("NONE", "ANY", "PARTITION"),
            },
            _K,
        ),
        TupleAlphabet(
            "predicates",
            "in CEQL: A FILTER A[P], P with comparisons, IN, LIKE, ranges, arithmetic, AND, OR and "
            "NOT over n, d and s, which may be missing",
            {
                "ceql/types in a formula": (1,), "ceql/formula": ("FILTER",),
                "operators of a condition": range(10), "ceql/condition": ("one",),
                "ceql/predicate": (
                    "calculated", "calculated in a range", "and", "or", "not"
                ),
                "ceql/predicate without operators": (
                    "comparison", "string", "in", "range", "like"
                ),
                "ceql/comparison": ("=", "!=", "<", "<=", ">", ">="),
                "ceql/attribute": ("n", "d"), "ceql/operand": ("attribute", "literal"),
                "string": ("p", "pq"), "regex": ("p", "^q"), "ceql/attribute of LIKE": ("s",),
                "ceql/turned": (False,), "low": (None, 0), "number in a set": (1, 1.5),
                "size of a set": (1,), "ceql/attribute in numbers": ("n", "d"),
            },
            {"n": (-3, 0, 1, 2), "d": (1.0, 1.5), "s": ("p", "pq")},
        ),
        TupleAlphabet(
            "conditions",
            "in CEQL: FILTER of formulas of at most two types, with AND, OR and NOT of conditions "
            "and of predicates, over k = 1 and d = 1; k and d may be missing",
            {
                **_BY_TWO, "ceql/formula": (";", "OR", "+", "FILTER", "NOT"),
                "operators of a condition": range(10),
                "ceql/condition": ("one", "and", "or", "not"),
                "ceql/predicate": ("and", "or", "not"), "ceql/attribute": ("k", "d"),
            },
            {"k": (1, 2), "d": (1.0, 1.5)},
        ),
        TupleAlphabet(
            "mixed",
            "in CEQL: FROM S, T, where k is 0 or 1 in S and in T a double or a string; PARTITION "
            "BY [k], [s], [k, s] or [k], [b], or else WITHIN N [k]; LIMIT 1; at most two types",
            {
                **_BY_TWO, "ceql/streams": (2,),
                "ceql/partition": ((("k",),), (("s",),), (("k", "s"),), (("k",), ("b",))),
                "ceql/several results are right": (False, True), "LIMIT and ANY": (("ALL", 1),),
            },
            {"s": ("p", "q"), "b": (True, False)},
            two_streams=True,
        ),
        TupleAlphabet(
            "outputs",
            "in CEQL: formulas of at most two types, with AS; SELECT of *, NONE and each variable "
            "that is bound, strategies, ANY, LIMIT 1 and LIMIT 2",
            {
                **_BY_TWO, "ceql/formula": (*_FORMULAS, "AS"), "ceql/select": ("*", "some"),
                "ceql/several results are right": (False, True),
                "LIMIT and ANY": (
                    ("ALL", 1), ("ALL", 2), ("ANY", None), ("ANY", 1), ("ANY", 2)
                ),
                "ceql/strategy": ("ALL", "NEXT", "LAST", "MAX"),
            },
            {},
        ),
    )
}
