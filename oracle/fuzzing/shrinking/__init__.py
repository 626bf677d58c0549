"""Shrinking: the smallest case found that fails in the same way.

Case-level delta debugging, for cases from anywhere: operators, graph patterns, filters, events,
triples and readings are dropped, times and terms made plainer, as long as the case fails still.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any, Generic, TypeVar

from ....semantics.model.errors import DenotaError
from ...cases.case import Case
from ...languages.registry import part_of
from .case_size import is_below, measure
from .stream_shrinking import (
    fewer_items,
    fewer_streams,
    integer_times,
    plainer_terms,
    plainer_times,
    smaller_items,
)
from .tree_shrinking import Hook, smaller

T = TypeVar("T")


class Descent(Generic[T]):
    """One descent from a failing value.

    `passes` propose values. `simpler(value, proposal)` returns the proposal in the form in which it
    is tried, or None if it is not simpler than `value`. `identity` recognises a value that has been
    tried. `attempts` counts the calls of `fails`; the descent ends at `limit` of them. `ahead`
    takes the next values, `width` at a time, that `fails` tests until one fails.
    """

    def __init__(
        self,
        fails: Callable[[T], bool],
        *,
        passes: Sequence[Callable[[T], Iterator[T]]],
        simpler: Callable[[T, T], T | None],
        identity: Callable[[T], Hashable],
        limit: int,
        ahead: Callable[[Sequence[T]], object] | None = None,
        width: int = 1,
    ) -> None:
        self.fails = fails
        self.passes = passes
        self.simpler = simpler
        self.identity = identity
        self.limit = limit
        self.ahead = ahead
        self.width = width
        self.attempts = 0
        self.tried: set[Hashable] = set()

    def from_value(self, value: T) -> T:
        """Return the value that no pass can make simpler and failing still."""
        self.tried.add(self.identity(value))
        descending = True
        while descending:
            descending = False
            for proposals in self.passes:
                value, found = self._through(proposals, value)
                descending = descending or found
        return value

    def _through(self, proposals: Callable[[T], Iterator[T]], value: T) -> tuple[T, bool]:
        """Run one pass; after a success it continues at the same place."""
        found, place = False, 0
        while (step := self._first_failing(islice(proposals(value), place, None), value)):
            value, ahead = step
            found, place = True, place + ahead
        return value, found

    def _first_failing(self, proposals: Iterable[T], value: T) -> tuple[T, int] | None:
        """Return the first simpler proposal that fails, and how many were tried before it."""
        untried = (
            (place, simpler) for place, proposal in enumerate(proposals)
            if (simpler := self.simpler(value, proposal)) is not None
            and self.identity(simpler) not in self.tried
        )
        while self.attempts < self.limit and (several := list(islice(untried, self.width))):
            if self.ahead is not None:
                self.ahead([proposal for _, proposal in several])
            for place, proposal in several:
                identity = self.identity(proposal)
                if identity in self.tried or self.attempts >= self.limit:
                    continue
                self.tried.add(identity)
                self.attempts += 1
                if self.fails(proposal):
                    return proposal, place
        return None


LIMIT = 5_000
"""The maximum number of calls of `fails`."""


# One search: what is affordable, what was tried and how often it was asked belong together.
def shrink(
    case: Case,
    fails: Callable[[Case], bool],
    *,
    limit: int = LIMIT,
    ahead: Callable[[Iterable[Case]], object] | None = None,
    width: int = 1,
) -> Case:
    """Return the simplest case found that still `fails`; it has no expectation (it would differ).

    `fails` is true of the case itself. It depends on nothing but the case; a DenotaError in it
    means that a simplification has no meaning. A case in a language that cannot be shrunk yet
    raises UnsupportedError. `ahead` is told of the next cases, `width` at a time.
    """
    hook = hook_of(case.language_name)
    language = case.language
    case = case.parsed()

    def affordable(small: Case) -> bool:
        try:
            return hook.affordable(small)
        except DenotaError:
            return True  # what is refused is no work

    bounded = affordable(case)  # a case that somebody brings may be more work to begin with

    def asked_ahead(several: Iterable[Case]) -> None:
        if ahead is not None:
            ahead(small for small in several if not bounded or affordable(small))

    def still_fails(small: Case) -> bool:
        try:
            return (not bounded or affordable(small)) and fails(small)
        except DenotaError:
            return False

    @cache
    def as_read(query: Any) -> Any | None:
        """Return the query as its own text is parsed; None where no text states it."""
        try:
            return language.parse(language.print(query))
        except Exception:  # no tree of the language: a printer may end in any way
            return None

    bounds: list[tuple[Case, Any]] = [(case, measure(case, hook))]

    def size(small: Case) -> Any:
        """Return the measure of the case to which a pass compares all its proposals, found once."""
        if bounds[0][0] is not small:
            bounds[0] = small, measure(small, hook)
        return bounds[0][1]

    def simpler(small: Case, proposal: Case) -> Case | None:
        """Return the proposal as its text is parsed, if simpler than `small` before and after."""
        if proposal.query is small.query:
            return proposal if is_below(proposal, size(small), hook) else None
        proposal = proposal.but(query=hook.pruned(proposal.query))
        if not is_below(proposal, size(small), hook):
            return None
        if (query := as_read(proposal.query)) is None:
            return None
        if query == proposal.query:
            return proposal
        proposal = proposal.but(query=query)
        return proposal if is_below(proposal, size(small), hook) else None

    descent: Descent[Case] = Descent(
        still_fails,
        passes=passes(hook),
        simpler=simpler,
        identity=identity,
        limit=limit,
        ahead=asked_ahead,
        width=width,
    )
    simplest = descent.from_value(case.but(expect=None, path=None))

    for tidy in (*hook.tidy, Case.with_named_streams):
        tidied = tidy(simplest)
        if identity(tidied) != identity(simplest) and still_fails(tidied):
            simplest = tidied
    return simplest


def passes(hook: Hook) -> tuple[Callable[[Case], Iterator[Case]], ...]:
    """Return the simplifications, in the order in which they are tried."""

    def smaller_queries(case: Case) -> Iterator[Case]:
        # Integers first: a window that slides by a microsecond is evaluated at each.
        yield from integer_times(case)
        for query in smaller(case.query, type(case.query), hook.plainest):
            yield case.but(query=query)

    def plainer_settings(case: Case) -> Iterator[Case]:
        if case.schedule is not None:
            yield case.but(schedule=None)
            for schedule in case.schedule.simpler():
                yield case.but(schedule=schedule)
        readings = case.reading_source
        if readings != type(readings)():
            yield case.but(readings=type(readings)())
        for simpler in smaller(readings, type(readings), hook.plainest):
            yield case.but(readings=simpler)
        settings = case.evaluation
        if settings:
            yield case.but(evaluation={})
        for name, value in settings.items():
            yield case.but(evaluation={key: settings[key] for key in settings if key != name})
            of = tuple(value) if isinstance(value, list) else value
            for simpler in smaller(of, type(of), hook.plainest):
                plain = list(simpler) if isinstance(simpler, tuple) else simpler
                yield case.but(evaluation={**settings, name: plain})

    return (
        smaller_queries, hook.proposals, fewer_items, plainer_times, plainer_settings,
        smaller_items, fewer_streams, plainer_terms,
    )


def identity(case: Case) -> Hashable:
    """Return a value that two cases share iff they are the same case."""
    given = (case.stream_sources, case.kb_sources, case.evaluation)
    shown = (repr(sorted(each.items(), key=repr)) for each in given)
    return case.query, case.reading_source, str(case.schedule), *shown


def hook_of(language: str) -> Hook:
    """Return the part of the shrinker that a language adds."""
    hook: Hook = part_of(language, "shrink").HOOK
    return hook

__all__ = ["LIMIT", "Hook", "hook_of", "shrink"]
