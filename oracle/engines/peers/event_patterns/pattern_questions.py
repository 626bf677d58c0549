"""Patterns as JSON, with what each event is to each of their elements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final

from rdflib.term import Variable

from .....semantics.model.errors import UnsupportedError
from .....semantics.model.mappings import SolutionMapping, Value
from .....semantics.rdf.syntax.variables import mentioned_variables
from .....semantics.spaseq.deferral import Condition
from .....semantics.spaseq.streamset import Instant
from .....semantics.spaseq.syntax.tree import KleenePlus
from .elements import Contents, PatternElement, name_of
from .pattern_parts import FOLLOWING, INNER

_MOST: Final = 5000
"""So many values a condition is asked about at most, since an engine gets it as a table."""


_MARKS: Final = ("oneOrMore", "consecutive", "allowCombinations", "greedy", "until", "optional")


def builder_calls(patterns: Iterable[Mapping[str, Any]]) -> str:
    """Return patterns as calls of a builder; an element's condition as the events it may hold of.

    Events are numbered from 0. Conditions on several events are not shown.
    """
    return "\n\n".join("\n".join(_lines(pattern)) for pattern in patterns)


def _lines(pattern: Mapping[str, Any]) -> Iterator[str]:
    yield f"# events at {', '.join(map(str, pattern['times']))}"
    if "way" in pattern:
        skip = "; ".join(" ".join(map(str, strategy)) for strategy in pattern["skip"])
        grouped = pattern["grouped"]
        yield f"# {pattern['way']}, {skip}" + (f", first {grouped} grouped" if grouped else "")
    for element in pattern["elements"]:
        calls = [
            f"{element['by']}({element['name']!r})",
            f"where(event in {{{', '.join(element['at'])}}})",
        ]
        if "most" in element:
            calls.append(f"times(1, {element['most']})")
        if "times" in element:
            calls.append(f"times({element['times']})")
        if element.get("loops"):
            calls.append("next(loop=True)")
        else:
            calls += [f"{mark}()" for mark in _MARKS if element.get(mark)]
        yield f".{'.'.join(calls)}"
    if pattern.get("within") is not None:
        yield f".within({pattern['within']})"


class PatternQuestion:
    """Patterns as JSON; terms and conditions are numbered as they are met."""

    def __init__(self) -> None:
        self.patterns: list[dict[str, Any]] = []
        self._terms: dict[Value, int] = {}
        self._conditions: dict[Condition, int] = {}
        self._values: dict[Variable, set[Value]] = {}

    def add(
        self,
        found: Sequence[PatternElement],
        instants: Sequence[Instant],
        within: int | None,
        **more: Any,
    ) -> None:
        """Ask for a pattern over these instants; `more` is what the engine is told besides.

        `within` is what a match has to take less than. Where nothing is said it is more than there
        is time, since a strategy holds matches back until no earlier one can come.
        """
        written: list[dict[str, Any]] = []
        number = {instant: place for place, instant in enumerate(instants)}
        for place, element in enumerate(found):
            if element.is_guarded:
                written.append({
                    "name": f"n{place}", "local": [],
                    "by": "notNext" if element.part.denied else "notFollowedBy",
                    "at": self._written(element.rivals, number), "unsure": sorted(element.unsure),
                })
            written.append(self._element(place, element, number))
            if place < len(found) - 1 or element.part.inner is not None:
                written[-1]["decides"] = True
        # Flink's last watermark is 2^63 - 1, from which it takes times away.
        times = [tau - min(0, instants[0][0]) for tau, _ in instants]
        self.patterns.append({
            "times": times, "elements": written,
            "within": times[-1] - times[0] + 1 if within is None else within,
            **more,
        })

    def message(self) -> dict[str, Any]:
        """The patterns with the conditions that they ask for."""
        tables = [self._table(condition) for condition in self._conditions]
        return {"patterns": self.patterns, "conditions": tables}

    def _element(
        self, place: int, element: PatternElement, number: Mapping[Instant, int]
    ) -> dict[str, Any]:
        part = element.part
        written: dict[str, Any] = {
            "name": name_of(place),
            "by": "begin" if part.operator is None else FOLLOWING[part.operator],
            "local": sorted(element.local),
            "at": self._written(element.at, number),
        }
        if element.first is not element.at:
            written["first"] = self._written(element.first, number)
        if part.ranged:
            written["most"] = max(len(number), 1)
        elif isinstance(part.psi, KleenePlus):
            written["oneOrMore"] = True
        if part.times > 1:
            written["times"] = part.times
        if part.until:
            written["until"] = True
        elif part.inner is not None:
            written |= dict.fromkeys(INNER[part.inner], True)
        for word in ("greedy", "optional"):
            if getattr(part, word):
                written[word] = True
        return written

    def _written(self, contents: Contents, number: Mapping[Instant, int]) -> dict[str, Any]:
        return {
            str(number[instant]): [
                {
                    "rows": [self._row(mu) for mu in each.mappings],
                    "owed": [
                        self._conditions.setdefault(r, len(self._conditions))
                        for r in each.conditions
                    ],
                }
                for each in alternatives
            ]
            for instant, alternatives in contents.items()
        }

    def _row(self, mu: SolutionMapping) -> dict[str, int]:
        for variable, value in mu.items():
            self._values.setdefault(variable, set()).add(value)
        return {str(v): self._terms.setdefault(t, len(self._terms)) for v, t in mu.items()}

    def _table(self, condition: Condition) -> dict[str, Any]:
        """A condition as the values of which it holds; `-` stands for none."""
        asked = sorted(mentioned_variables(condition.expression))
        domains = [[None, *self._values.get(variable, ())] for variable in asked]
        count = 1
        for domain in domains:
            count *= len(domain)
        if count > _MOST:
            raise UnsupportedError("a condition over too many values for a table")
        holds = [
            " ".join("-" if term is None else str(self._terms[term]) for term in values)
            for values in product(*domains)
            if condition.holds(SolutionMapping(
                (v, term) for v, term in zip(asked, values, strict=True) if term is not None
            ))
        ]
        return {"variables": [str(variable) for variable in asked], "holds": holds}
