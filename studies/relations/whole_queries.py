"""Whole queries around the sequences of the claims: SELECT modifiers, UNION and a sub-select."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from .rows import Answering, AskedQuery, asked_in, with_query

_PARTS = re.compile(r"(.*SELECT )[*](.*WHERE \{ )(.*)(\s\}[^}]*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class WholeQuery:
    """SELECT `selection` around a sequence, with a sub-select between them if there is one."""

    selection: str = "*"
    subselection: str | None = None

    def around(self, sequence: Answering, other: Answering | None = None) -> Answering:
        """Return the query around this sequence, or around the UNION of both."""
        second = None if other is None else asked_in(other)

        def change(asked: AskedQuery) -> AskedQuery:
            before, between, body, after = parts(asked)
            if second is not None:
                body = f"{{ {body} }} UNION {{ {parts(second)[2]} }}"
            if self.subselection is not None:
                body = f"{{ SELECT {self.subselection} WHERE {{ {body} }} }}"
            return replace(asked, text=f"{before}{self.selection}{between}{body}{after}")

        return with_query(sequence, change)


def parts(asked: AskedQuery) -> tuple[str, ...]:
    """Return a query in four parts: `*` stands between the first two, WHERE contains the third."""
    found = _PARTS.fullmatch(asked.text)
    if found is None:
        raise ValueError(f"no SELECT * … WHERE {{ … }}: {asked.text}")
    return found.groups()
