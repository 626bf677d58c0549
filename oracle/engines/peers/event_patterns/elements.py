"""What each instant of a window is to each part of a pattern, and which pair a match is.

An engine for events has no graphs: an event is an instant, and what it is to an element of the
sequence is ⟦Ψ⟧ at that instant, which the definitions say. Which instants are selected is the
engine's to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from rdflib.term import Variable

from .....semantics.model.errors import UnsupportedError
from .....semantics.model.mappings import Solutions
from .....semantics.spaseq.context import Context, contexts
from .....semantics.spaseq.deferral import Join, Owing, heading, join_under
from .....semantics.spaseq.denotation import STAR, bop
from .....semantics.spaseq.iterations import iteration
from .....semantics.spaseq.streamset import Event, Instant, Streamset
from .....semantics.spaseq.syntax.scope import variables
from .....semantics.spaseq.syntax.tree import KleenePlus, SpaseqQuery
from ....cases.case import Case
from .pattern_parts import PatternPart

Alternatives: TypeAlias = tuple[Owing, ...]
Contents: TypeAlias = Mapping[Instant, Alternatives]
"""What the instants are to an element; more than one thing where disjuncts match together."""

@dataclass(frozen=True, slots=True)
class PatternElement:
    """A part of a pattern over one window."""

    part: PatternPart
    at: Contents
    first: Contents
    local: frozenset[Variable]
    joined: Join
    rivals: Contents
    """What must not be before it."""
    unsure: frozenset[Variable]
    """What these look at, and it may bind."""

    @property
    def is_guarded(self) -> bool:
        """Whether there is something that must not be before it, or that it must not be."""
        return bool(self.part.absent or self.part.denied)


def elements(parts: Sequence[PatternPart], context: Context) -> list[PatternElement]:
    """The parts over one window; raises UnsupportedError for what no event answers."""
    found: list[PatternElement] = []
    past: frozenset[Variable] = frozenset()
    for part in parts:
        psi = part.psi.operand if isinstance(part.psi, KleenePlus) else part.psi
        at = _contents(bop(psi, context))
        first = at
        if part.operator is None:
            first = _contents((tau, Owing(X)) for tau, X in heading(bop(psi, context)))
        local: frozenset[Variable] = frozenset()
        joined: Join = join_under
        if isinstance(part.psi, KleenePlus):
            bound = variables(psi, context.bindable) - past
            joined = iteration(context.readings.kleene, bound)
            local = frozenset() if context.readings.kleene == "join" else bound
        rivals = _contents(pair for operand in part.absent for pair in bop(operand, context))
        if part.denied:  # whatever came before
            rivals = {
                tau: (Owing(STAR),) for tau, *_ in bop(part.denied, context)
            }
        unsure = _unsure(part, context)
        found.append(PatternElement(part, at, first, local, joined, rivals, unsure))
        past |= variables(psi, context.bindable)
    _check_lists(found, context)
    return found


def name_of(place: int) -> str:
    """What a pattern calls the element at this place."""
    return f"e{place}"


def _contents(pairs: Iterable[tuple[Instant, Owing]]) -> dict[Instant, Alternatives]:
    found: dict[Instant, Alternatives] = {}
    for tau, omega in pairs:
        found[tau] = (*found.get(tau, ()), omega)
    return found


def _check_lists(found: Sequence[PatternElement], context: Context) -> None:
    """Conditions see one value a variable, so that nothing may be joined with a list."""
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
                for owing in alternatives for condition in owing.conditions
            ),
            *(context.bindable[gpm.name] for each in later for gpm in each.part.absent),
        )
        if element.local & asked:
            raise UnsupportedError("a list of values that a later element looks at")


def _unsure(part: PatternPart, context: Context) -> frozenset[Variable]:
    """The variables that what must be absent looks at, and that what comes after it may bind."""
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
    """What the match binds: one set of mappings, or one for each thing that its last event is."""
    past: list[Solutions] = [STAR]
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
    """The streams that an engine is asked on, each with its boundaries, and the `within` for all.

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
