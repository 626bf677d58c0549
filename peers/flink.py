"""FlinkCEP, the library for event patterns of Apache Flink (PyPI: apache-flink-libraries).

A SPAseq case becomes patterns of its Pattern API, which its own automaton runs in memory, in a JVM
of its own (`flink_java`, PatternHost.java). `,` `;` and `:` are next, followedBy and followedByAny.
P+ is oneOrMore, P • P • P is times(3), absence is notFollowedBy, and σ • P? , Ψ is optional.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final, TypeAlias

from rdflib.term import Variable

from ..oracle.cases.case import Case
from ..oracle.engines.engine import TaskError
from ..semantics.rdf.mapping_sets import project
from ..semantics.spaseq.context import Context
from ..semantics.spaseq.streamset import Instant
from ..semantics.spaseq.syntax.readings import NegationReading
from ..semantics.spaseq.syntax.results import Pair
from ..semantics.spaseq.syntax.scoping import variables
from ..semantics.spaseq.syntax.tree import (
    Conjunction,
    KleenePlus,
    Negation,
    Operator,
    OptionalEvent,
    Reference,
    SequenceExpression,
    SpaseqQuery,
    Step,
)
from .event_patterns import (
    PatternElement,
    PatternEngine,
    PatternPart,
    PatternQuestion,
    elements,
    name_of,
    solutions,
    windows_asked,
)
from .flink_java import words

Bindable = Mapping[str, frozenset[Variable]]

PatternWays = Mapping[str, Sequence[PatternPart]]
"""The same pattern in several ways, by a word for each: Flink's documentation has them equal."""


def patterns(
    sequence: SequenceExpression, negation: NegationReading, bindable: Bindable
) -> Iterator[PatternWays]:
    """Yield the patterns whose matches together are those of the sequence."""
    head = PatternPart(None, sequence.first)
    if negation == "event":
        steps = [PatternPart(step.operator, step.atom) for step in sequence.steps]
        found = iter([[head, *steps]])
    else:
        found = _guarded([head], sequence.steps, (), bindable)
    for parts in found:
        single = [_iterated(part) for part in parts]
        counted = _counted(single)
        ways = {
            "plain": counted,
            "one by one": single,
            "until": [_until(part) for part in counted],
            "times(1, n)": [_ranged(part) for part in counted],
            "notNext": [_denying(part) for part in counted],
        }
        if any(part.absent for part in counted):
            # What is forbidden and comes next is treated as the rest of the pattern goes.
            del ways["times(1, n)"]
        yield {way: made for way, made in ways.items() if way == "plain" or made != counted}


def _guarded(
    done: list[PatternPart],
    steps: Sequence[Step],
    absent: tuple[Reference, ...],
    bindable: Bindable,
) -> Iterator[list[PatternPart]]:
    """Negation as absence: σ • P? • Ψ is σ • P • Ψ and σ • P! • Ψ."""
    if not steps:
        yield done
        return
    step, *others = steps
    match step.atom:
        case Negation(operand):
            yield from _guarded(done, others, (*absent, operand), bindable)
        case OptionalEvent(operand):
            taken = PatternPart(step.operator, operand, absent)
            if not absent and _is_passed_over(operand, others, bindable):
                taken = replace(taken, optional=True)
            else:
                yield from _guarded(done, others, (*absent, operand), bindable)
            yield from _guarded([*done, taken], others, (), bindable)
        case psi:
            part = PatternPart(step.operator, psi, absent)
            yield from _guarded([*done, part], others, (), bindable)


def _is_passed_over(operand: Reference, others: Sequence[Step], bindable: Bindable) -> bool:
    """Return True if P! is before `, Ψ`, with nothing between: then Flink's optional expresses it.

    What is local to a later P+ must not depend on whether it is passed over.
    """
    following = others[0]
    if following.operator is not Operator.STRICT:
        return False
    if isinstance(following.atom, Negation | OptionalEvent):
        return False
    own = bindable[operand.name]
    return not any(
        isinstance(step.atom, KleenePlus) and variables(step.atom, bindable) & own
        for step in others
    )


def _iterated(part: PatternPart) -> PatternPart:
    """P+: first in a sequence its iterations may skip, elsewhere they are contiguous."""
    if not isinstance(part.psi, KleenePlus):
        return part
    return replace(part, inner=Operator.NEXT if part.operator is None else Operator.STRICT)


def _until(part: PatternPart) -> PatternPart:
    """End contiguous iterations at the first event that is no further one."""
    contiguous = isinstance(part.psi, KleenePlus) and part.inner is Operator.STRICT
    return replace(part, until=contiguous)


def _ranged(part: PatternPart) -> PatternPart:
    """Return as many iterations as possible."""
    return replace(part, ranged=isinstance(part.psi, KleenePlus))


def _denying(part: PatternPart) -> PatternPart:
    """σ , (P! & Ψ) is σ, not next P, and next Ψ."""
    match part:
        case PatternPart(Operator.STRICT, Conjunction(operands), times=1):
            negated = [each for each in operands if isinstance(each, Negation)]
            others = tuple(each for each in operands if not isinstance(each, Negation))
            if len(negated) == 1 and len(others) == 1:
                return replace(part, psi=others[0], denied=negated[0].operand)
    return part


def _counted(parts: Sequence[PatternPart]) -> list[PatternPart]:
    """Equal parts in a row, with one operator between them, as one that is there so many times."""
    counted = [parts[0]]
    for part in parts[1:]:
        last = counted[-1]
        if (
            part.psi == last.psi
            and not isinstance(part.psi, KleenePlus)
            and not (part.absent or part.optional or last.optional)
            and last.inner in (None, part.operator)
        ):
            counted[-1] = replace(last, times=last.times + 1, inner=part.operator)
        else:
            counted.append(part)
    return counted


# --- options of elements --------------------------------------------------------------------------


def can_deny(found: Sequence[PatternElement], context: Context) -> bool:
    """Return True if a negation is decided by the event that comes next, and by it alone."""
    return all(
        not context.gpms[part.denied.name].conditions
        and isinstance(part.psi, Reference)
        and context.gpms[part.psi.name].stream == context.gpms[part.denied.name].stream
        for part in (element.part for element in found) if part.denied
    )


def greedily(found: Sequence[PatternElement]) -> list[PatternElement]:
    """P+ , Ψ where no event is both P and Ψ: as many iterations as there are, or any number."""
    made = list(found)
    for place, (element, after) in enumerate(pairwise(found)):
        if (
            isinstance(element.part.psi, KleenePlus)
            and after.part.operator is Operator.STRICT
            and not (after.part.optional or after.part.absent)
            and not element.at.keys() & after.at.keys()
        ):
            made[place] = replace(element, part=replace(element.part, greedy=True))
    return made


def groupable(found: Sequence[PatternElement]) -> int:
    """Return the number of leading elements that may be a group; 0 if there is a choice."""
    plain = not any(each.is_guarded or each.part.optional for each in found)
    return len(found) - 1 if plain else 0


# --- skip strategies ------------------------------------------------------------------------------
# No language here has Flink's strategies after a match. So they are checked by what Flink finds
# without them (noSkip): each match that it tells discards others by where these started.

Strategy: TypeAlias = tuple[str, ...]
"""Its name, and that of the element which it looks at, where it looks at one."""

Taken: TypeAlias = Sequence[Sequence[int]]
"""A match: the numbers of the instants that each element takes."""

NO_SKIP: Final[Strategy] = ("noSkip",)


def strategies(names: Sequence[str]) -> list[Strategy]:
    """Return the strategies for a pattern whose elements have these names."""
    return [
        ("skipToNext",), ("skipPastLastEvent",), ("skipToFirst", names[-1]),
        ("skipToLast", names[0]),
    ]


def are_left(
    told: Sequence[Taken], matches: Sequence[Taken], strategy: Strategy, names: Sequence[str]
) -> bool:
    """Return True if these are the matches that a strategy leaves of all matches.

    None of them is discarded by one that begins before it, and each of the others is discarded by
    one of them. Of two that begin together the documentation does not say which one is told first.
    """
    unsaid = [match for match in matches if match not in told]
    return (
        len(told) + len(unsaid) == len(matches)
        and not any(
            _discards(strategy, each, other, names)
            and (_first(each) < _first(other) or _discards(strategy, other, each, names))
            for each in told for other in told if each is not other
        )
        and all(any(_discards(strategy, each, other, names) for each in told) for other in unsaid)
    )


def _discards(strategy: Strategy, told: Taken, other: Taken, names: Sequence[str]) -> bool:
    start = _first(other)
    match strategy:
        case ("skipToNext",):
            # "every partial match that started with the same event"
            return start == _first(told)
        case ("skipPastLastEvent",):
            # "… that started after the match started but before it ended"
            return _first(told) <= start <= _last(told)
        case ("skipToFirst" | "skipToLast", name):
            # "… but before the first (last) event of PatternName occurred"
            taken = told[names.index(name)]
            end = 0 if strategy[0] == "skipToFirst" else -1
            return bool(taken) and _first(told) <= start < taken[end]
    return False


def _first(match: Taken) -> int:
    return min(map(min, filter(None, match)))


def _last(match: Taken) -> int:
    return max(map(max, filter(None, match)))


# --- the engine -----------------------------------------------------------------------------------

Match: TypeAlias = tuple[tuple[Instant, ...], ...]
"""The events that each element of a pattern has taken."""


class Flink(PatternEngine):
    """FlinkCEP in a JVM of its own, asked one case after the other.

    Raises EngineError where its jars, a Java or a compiler for it are not to be had.
    """

    def __init__(self, timeout: float) -> None:
        super().__init__(
            words(), timeout, name="flink", language="spaseq", level="pair",
            capabilities=CAPABILITIES,
        )

    def plan(self, case: Case) -> Plan:
        return Plan(case)


CAPABILITIES: Final = {
    # No kleene=collect: conditions of a pattern see values, no lists.
    "readings": [
        "ties=merge", "ties=sequence", "kleene=join", "window=match", "window=sliding",
        "window=tumbling-half-open", "negation=absence", "entailment=rdfs",
    ],
}  # fmt: skip


class Plan:
    """The patterns that say what a case asks; raises UnsupportedError where none do.

    Windows that are cut out of time are streams of their own. Under `window=match` Flink is given
    the whole stream, and its own `within`, which leaves out what takes as long as it says.
    """

    def __init__(self, case: Case) -> None:
        self.query: SpaseqQuery = case.tree
        self._question = PatternQuestion()
        self._runs: list[_Run] = []
        windows, within = windows_asked(case)
        for boundaries, context in windows:
            instants = sorted({event.time for event in context.streamset.events})
            negation = context.readings.negation
            for ways in patterns(self.query.sequence, negation, context.bindable):
                asked = {way: elements(parts, context) for way, parts in ways.items()}
                if "notNext" in asked and not can_deny(asked["notNext"], context):
                    del asked["notNext"]
                if (greedy := greedily(asked["plain"])) != asked["plain"]:
                    asked["greedy"] = greedy
                names = [name_of(place) for place in range(len(asked["plain"]))]
                skip = [NO_SKIP, *strategies(names)]
                if grouped := groupable(asked["plain"]):
                    asked["a group"] = asked["plain"]
                for way, found in asked.items():
                    said = skip if way == "plain" else [NO_SKIP]
                    first = grouped if way == "a group" else 0
                    self._question.add(
                        found, instants, within, skip=said, way=way, grouped=first
                    )
                self._runs.append(_Run(boundaries, instants, asked, names, skip))

    def message(self) -> dict[str, Any]:
        """Return the patterns of the case and their conditions."""
        return self._question.message()

    def pairs(self, answers: Iterable[Any]) -> list[Pair]:
        """Return the pairs of what Flink has found; what it finds twice is there twice.

        Raises TaskError where it finds one thing in one way and another in another.
        """
        once: set[Pair] = set()
        again: list[Pair] = []
        answered = iter(answers)
        for run in self._runs:
            matches = [run.taken("plain", match) for match in next(answered)]
            plain = run.selected(matches)
            for strategy in run.skip[1:]:
                told = [run.taken("plain", match) for match in next(answered)]
                if not are_left(told, matches, strategy, run.names):
                    how = f"{' of '.join(strategy)} leaves"
                    raise _contradiction(how, run.selected(told), plain)
            for way in [*run.asked][1:]:
                other = run.selected(run.taken(way, match) for match in next(answered))
                if _flat(other) != _flat(plain):
                    raise _contradiction(f"{way} selects", other, plain)
            for match, count in plain.items():
                pairs = list(self._pairs(run, match))
                once.update(pairs)
                again += pairs * (count - 1)
        return [*once, *again]

    def _pairs(self, run: _Run, match: Match) -> Iterator[Pair]:
        time, rank = match[-1][-1]
        select = self.query.select
        for omega in solutions(run.asked["plain"], match):
            shown = omega if select is None else project(omega, select)
            yield Pair(run.boundaries, time, shown, rank)


@dataclass(frozen=True)
class _Run:
    """A pattern over a window, in each of the ways that say it, and what may be skipped."""

    boundaries: tuple[int, int] | None
    instants: Sequence[Instant]
    asked: Mapping[str, Sequence[PatternElement]]
    names: Sequence[str]
    skip: Sequence[Strategy]

    def taken(self, way: str, match: Iterable[Sequence[int]]) -> Taken:
        """Return the events that each element takes; negative ones take nothing."""
        events = iter(match)
        return [
            next(events) for element in self.asked[way]
            if not element.is_guarded or next(events) == []
        ]

    def selected(self, matches: Iterable[Taken]) -> Counter[Match]:
        """Return matches as the instants that their elements take."""
        return Counter(
            tuple(tuple(self.instants[number] for number in events) for events in match)
            for match in matches
        )


def _flat(matches: Counter[Match]) -> Counter[Match]:
    """Return the selected events, without the elements that select them."""
    flat: Counter[Match] = Counter()
    for match, count in matches.items():
        flat[tuple((instant,) for taken in match for instant in taken)] += count
    return flat


def _contradiction(how: str, other: Counter[Match], plain: Counter[Match]) -> TaskError:
    theirs, ours = (
        [[list(taken) for taken in match] for match in sorted(matches.elements())]
        for matches in (other, plain)
    )
    return TaskError(f"contrary to its documentation, {how} {theirs} where all matches are {ours}")
