"""Numbers with their nouns."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural where needed.

    >>> counted(1, "case"), counted(0, "case"), counted(12345, "case")
    ('1 case', '0 cases', '12,345 cases')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"
