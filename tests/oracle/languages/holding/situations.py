"""What may happen: an item that holds it, one that does not, and both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from denota.oracle.cases.case import Case

SITUATIONS: Mapping[str, str] = {
    "held": "an item holds the predicate",
    "passed over": "an item does not hold it, and is none of the results",
    "twice": "two items hold it, each for itself",
    "thrice": "so do three, and there is no fourth",
    "not at all": "nothing holds it: there is no answer, so this is never met",
}


def met(case: Case, expected: Iterable[Any]) -> frozenset[str]:
    results = len(list(expected))
    items = sum(map(len, case.streams.values()))
    found = {"held"}
    if items > results:
        found.add("passed over")
    if results >= 2:
        found.add("twice")
    if results == items == 3:
        found.add("thrice")
    return frozenset(found)
