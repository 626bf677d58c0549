"""Tables of predicates on boundary values, for tuples whose attributes have each one type."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from math import inf, nan
from typing import Final

from .....semantics.ceql.syntax.tree import ArithmeticOperator, ComparisonOperator
from .....semantics.model.tuples import EventTuple, Value
from ....cases.case import Case, parsed_query
from ....fuzzing.value_tables import ValueTable, ValueTables

Row = tuple[Value | None, Value | None]
"""The attributes x and y of a tuple; None stands for a missing one."""

_VALUES: Final[dict[str, tuple[Value | None, ...]]] = {
    "int": (None, 0, 1, -1, 2, -7, 2**53, 2**53 + 1, 2**63 - 1, -(2**63) + 1, -(2**63)),
    "double": (
        None, 0.0, -0.0, 1.0, 0.5, -7.0, 2.0**53, 2.0**63, -(2.0**63), 5e-324, 1e308, inf, -inf,
        nan,
    ),
    "string": (None, "", "a", "A", "ab", "\u00e9", "e\u0301", "\U0001f600", "1", "true", "a\nb"),
    "boolean": (None, True, False),
}
_CONSTANTS: Final = {
    "int": ("0", "-1", "9007199254740993", "9223372036854775807"),
    "double": ("0.0", "0.5", "-7.0", "9007199254740992.0", "1e308"),
    "string": ("''", "'a'", "'\u00e9'", "'1'"),
    "boolean": ("TRUE", "FALSE"),
}
_SETS: Final = (
    "{0, 9007199254740993}", "{0.5, 1}", "{'', 'a'}", "{0..9007199254740992}", "{..-1}", "{0.5..}",
)
_LIKE: Final = ("", "^a$", "[ab]", "\u00e9", ".", "^.$", "a.b")


def _on_one(kind: str) -> list[str]:
    constants = [each for of_kind in _CONSTANTS.values() for each in of_kind]
    return [
        *(f"x {op} {each}" for op, each in product(ComparisonOperator, constants)),
        *(f"{each} {op} x" for op, each in product(ComparisonOperator, constants)),
        *(f"NOT (x {op} {each})" for op, each in product(("<", "="), _CONSTANTS[kind])),
        *(f"x {word} {each}" for word, each in product(("IN", "NOT IN"), _SETS)),
        *(f"x LIKE '{pattern}'" for pattern in _LIKE),
        *(f"-x {op} 0" for op in ComparisonOperator),
    ]


def _on_two() -> list[str]:
    arithmetic = [
        f"x {op} y {compared} {right}"
        for op, (compared, right) in product(
            ArithmeticOperator, (("<", "0"), ("=", "x"), (">=", "9007199254740993"), ("!=", "0.5"))
        )
    ]
    return [
        *(f"x {op} y" for op in ComparisonOperator), *arithmetic,
        "x IN RANGE (y, 1)", "x IN RANGE (0.0, y)", "NOT (x < y)", "x < y OR x >= y",
        "x = y AND y = x", "x <= y AND NOT (x = y)",
    ]


@cache
def _tables() -> tuple[ValueTable[Row], ...]:
    return (
        *(
            ValueTable[Row](f"{condition} ({kind})", condition, [*product(_VALUES[kind], (None,))])
            for kind in _VALUES for condition in _on_one(kind)
        ),
        *(
            ValueTable(f"{condition} ({one}, {other})", condition,
                  [*product(_VALUES[one], _VALUES[other])])
            for one, other in product(_VALUES, repeat=2) for condition in _on_two()
        ),
    )


def _case(table: ValueTable[Row], rows: Sequence[Row]) -> Case:
    tuples = tuple(
        EventTuple("A", {
            name: value for name, value in zip("xy", row, strict=True) if value is not None
        })
        for row in rows
    )
    query = parsed_query("ceql", f"SELECT * FROM S WHERE A FILTER A[{table.query}]")
    return Case("ceql", query, {"S": tuples}, title=table.name)


VALUE_TABLES = ValueTables(_tables, _case)
"""Every comparison, membership, LIKE and arithmetic operator on values of every two types."""
