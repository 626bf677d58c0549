"""SPAseq cases as patterns over events, for engines that have no graphs.

An event is an instant. Whether it belongs to an element of the sequence is ⟦Ψ⟧ at that instant,
which the definitions say; the engine selects instants. Elements and their contiguity have the names
of Flink's Pattern API. An engine gets patterns as JSON, with what each event is to each element.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final, Protocol, TypeAlias

from rdflib.term import Variable

from ..oracle.cases.case import Case
from ..semantics.model.errors import UnsupportedError
from ..semantics.model.mappings import SolutionMapping, Solutions, Value
from ..semantics.rdf.syntax.variables import mentioned_variables
from ..semantics.spaseq.context import Context, contexts
from ..semantics.spaseq.denotation import bop, iteration
from ..semantics.spaseq.stateful_filters import (
    NO_PAST,
    STAR,
    Condition,
    Join,
    heading,
    join,
    owed_by,
)
from ..semantics.spaseq.streamset import Event, Instant, Streamset
from ..semantics.spaseq.syntax.results import Pair
from ..semantics.spaseq.syntax.scoping import variables
from ..semantics.spaseq.syntax.tree import Atom, KleenePlus, Operator, Reference, SpaseqQuery
from .hosted import HostedEngine

FOLLOWING: Final = {
    Operator.STRICT: "next", Operator.NEXT: "followedBy", Operator.ANY: "followedByAny",
}
INNER: Final = {
    Operator.STRICT: ("consecutive",), Operator.NEXT: (), Operator.ANY: ("allowCombinations",),
}
"""The suffix of oneOrMore and times for the contiguity between iterations."""


@dataclass(frozen=True, slots=True)
class PatternPart:
    """An element of a pattern: • Ψ, or several in a row of which each is Ψ.

    `operator` is None at the head. `absent` are the negations before it, `denied` is what it must
    not be, `inner` is the operator between its iterations; `optional` says that it may be passed
    over. Where iterations are contiguous, `until` ends them by what is no further one; `greedy`
    takes as many as there are, `ranged` any number up to that of the events.
    """

    operator: Operator | None
    psi: Atom
    absent: tuple[Reference, ...] = ()
    denied: Reference | None = None
    optional: bool = False
    times: int = 1
    inner: Operator | None = None
    until: bool = False
    greedy: bool = False
    ranged: bool = False


# --- elements -------------------------------------------------------------------------------------

Alternatives: TypeAlias = tuple[Solutions, ...]
Contents: TypeAlias = Mapping[Instant, Alternatives]
"""The alternatives of an element at each instant; several if disjuncts match together."""


@dataclass(frozen=True, slots=True)
class PatternElement:
    """A part of a pattern over one window."""

    part: PatternPart
    at: Contents
    first: Contents
    local: frozenset[Variable]
    joined: Join
    rivals: Contents
    """The events that must not be before it."""
    unsure: frozenset[Variable]
    """The variables that these read and that it may bind."""

    @property
    def is_guarded(self) -> bool:
        """True if an event must not be before it, or it must not be an event."""
        return bool(self.part.absent or self.part.denied)


def elements(parts: Sequence[PatternPart], context: Context) -> list[PatternElement]:
    """Return the parts over one window; raises UnsupportedError for what no event answers."""
    found: list[PatternElement] = []
    past: frozenset[Variable] = frozenset()
    for part in parts:
        psi = part.psi.operand if isinstance(part.psi, KleenePlus) else part.psi
        at = _contents(bop(psi, context))
        first = at
        if part.operator is None:
            first = _contents(heading(bop(psi, context)))
        local: frozenset[Variable] = frozenset()
        joined: Join = join
        if isinstance(part.psi, KleenePlus):
            bound = variables(psi, context.bindable) - past
            joined = iteration(context.readings.kleene, bound)
            local = frozenset() if context.readings.kleene == "join" else bound
        rivals = _contents(pair for operand in part.absent for pair in bop(operand, context))
        if part.denied:  # whatever came before
            rivals = {
                tau: (STAR,) for tau, *_ in bop(part.denied, context)
            }
        unsure = _unsure(part, context)
        found.append(PatternElement(part, at, first, local, joined, rivals, unsure))
        past |= variables(psi, context.bindable)
    _check_lists(found, context)
    return found


def name_of(place: int) -> str:
    """Return the name of the element at this place in a pattern."""
    return f"e{place}"


def _contents(pairs: Iterable[tuple[Instant, Solutions]]) -> dict[Instant, Alternatives]:
    found: dict[Instant, Alternatives] = {}
    for tau, omega in pairs:
        found[tau] = (*found.get(tau, ()), omega)
    return found


def _check_lists(found: Sequence[PatternElement], context: Context) -> None:
    """Refuse joins with a list: conditions see one value per variable."""
    if context.readings.kleene != "collect":
        return
    for place, element in enumerate(found):
        later = found[place + 1 :]
        asked = frozenset[Variable]().union(
            *(variables(each.part.psi, context.bindable) for each in later),
            *(
                condition.variables for each in later
                for contents in (each.at, each.rivals)
                for alternatives in contents.values()
                for omega in alternatives for condition in owed_by(omega)
            ),
            *(context.bindable[gpm.name] for each in later for gpm in each.part.absent),
        )
        if element.local & asked:
            raise UnsupportedError("a list of values that a later element looks at")


def _unsure(part: PatternPart, context: Context) -> frozenset[Variable]:
    """Return the variables of absent patterns that later patterns may bind."""
    gpms = [context.gpms[gpm.name] for gpm in part.absent]
    asked = frozenset[Variable]().union(
        *(context.bindable[gpm.name] for gpm in gpms),
        *(condition.variables for gpm in gpms for condition in gpm.conditions),
    )
    return asked & variables(part.psi, context.bindable)


# --- what it answers -----------------------------------------------------------------------------


def solutions(
    found: Sequence[PatternElement], match: Sequence[Sequence[Instant]]
) -> Iterator[Solutions]:
    """Yield the bindings of a match: one set of mappings for each alternative of its last event."""
    past: list[Solutions] = [NO_PAST]
    first = True
    for element, taken in zip(found, match, strict=True):
        for instant in taken:
            contents = element.first if first else element.at
            past = [
                element.joined(omega, own) for omega in past for own in contents.get(instant, ())
            ]
            first = False
    yield from (omega for omega in past if omega)


def windows_asked(
    case: Case,
) -> tuple[list[tuple[tuple[int, int] | None, Context]], int | None]:
    """Return the streams for an engine, each with its boundaries, and the `within` for all.

    Windows that are cut out of time are streams of their own. Under `window=match` there is one,
    and a match that takes as long as `within` is left out.
    """
    query: SpaseqQuery = case.tree
    if case.readings.answers == "union":
        raise UnsupportedError("answers that are not told apart by windows")
    windows = list(
        contexts(query, case.streams, case.kb, case.readings, case.evaluation.get("from"))
    )
    if case.readings.window != "match" or not windows:
        return windows, None
    events: dict[Event, None] = {}
    for _, context in windows:
        events |= dict.fromkeys(context.streamset.events)
    ordered = sorted(events, key=lambda event: event.time)
    together = replace(windows[0][1], streamset=Streamset(ordered))
    return [(None, together)], query.within.value + 1


# --- questions ------------------------------------------------------------------------------------

_MOST: Final = 5000
"""The maximum number of values for a condition, since an engine gets it as a table."""


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
        """Return the patterns with the conditions that they ask for."""
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
                    "rows": [self._row(mu) for mu in each],
                    "owed": [
                        self._conditions.setdefault(r, len(self._conditions))
                        for r in owed_by(each)
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
        """Return a condition as the values of which it holds; `-` stands for none."""
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


# --- engines --------------------------------------------------------------------------------------


class PatternPlan(Protocol):
    """A case as patterns of an engine, and the pairs of the engine's answers to them."""

    def message(self) -> dict[str, Any]: ...

    def pairs(self, answers: Iterable[Any]) -> list[Pair]: ...


class PatternEngine(HostedEngine, ABC):
    """A peer that evaluates the patterns of a plan."""

    _plan: PatternPlan

    @abstractmethod
    def plan(self, case: Case) -> PatternPlan:
        """Return the plan of a case; raise UnsupportedError for a case without one."""

    def question(self, case: Case) -> dict[str, Any]:
        self._plan = self.plan(case)
        return self._plan.message()

    def translation(self, question: Mapping[str, Any]) -> str:
        return builder_calls(question["patterns"])

    def run(self, case: Case) -> list[Any]:
        answers = super().run(case)
        return self._plan.pairs(answers)
