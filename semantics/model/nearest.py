"""The name that somebody may have meant."""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST = 200  # characters of a name; difflib takes their square


def nearest(name: str, known: Iterable[str]) -> str:
    """`, did you mean 'x'?` with the nearest of the known names, or nothing if none is near.

    >>> nearest("SEL", ["BUY", "SELL"])
    ", did you mean 'SELL'?"
    """
    from difflib import get_close_matches

    short = [each[:_LONGEST] for each in known]
    same = [each for each in short if each.casefold() == name.casefold()]
    close = same or get_close_matches(name[:_LONGEST], short, n=1)
    return f", did you mean '{close[0]}'?" if close else ""
