"""Parts of a page that a command writes, between `<!-- NAME -->` and the next `<!-- end -->`."""

from __future__ import annotations

import re


def with_part(page: str, name: str, text: str) -> str | None:
    """The page with the text as its part of this name; None for a page that has no such part.

    >>> with_part("one <!-- n -->\\n2<!-- end --> three", "n", "two\\n")
    'one <!-- n -->\\ntwo\\n<!-- end --> three'
    """
    pattern = re.compile(rf"(<!-- {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
    written, count = pattern.subn(lambda part: part[1] + text + part[2], page)
    return written if count else None
