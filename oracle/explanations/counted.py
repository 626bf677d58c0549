"""So many things, in words."""

from __future__ import annotations


def counted(number: int, what: str) -> str:
    """A number with its noun, which gets an s.

    >>> counted(1, "case"), counted(0, "case"), counted(12345, "case")
    ('1 case', '0 cases', '12,345 cases')
    """
    return f"{number:,} {what}{'s' * (number != 1)}"
