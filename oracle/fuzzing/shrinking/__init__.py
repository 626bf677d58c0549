"""Shrinking: the smallest case found that fails in the same way.

Case-level delta debugging, for cases from anywhere: operators, graph patterns, filters, events,
triples and readings are dropped, times and terms made plainer, as long as the case fails still.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any

from ....semantics.model.errors import DenotaError
from ....semantics.model.trees import fields_of
from ...cases.reading import Case
from ...languages.registry import part_of
from .data import fewer_items, fewer_streams, plainer_times, smaller_items
from .greedy import Descent
from .hooks import Hook
from .measure import measure
from .parts import smaller
from .terms import plainer_terms

LIMIT = 5_000
"""How often `fails` is asked at most."""


def shrink(case: Case, fails: Callable[[Case], bool], *, limit: int = LIMIT) -> Case:
    """The simplest case found that `fails` still; it has no expectation, the oracle's has changed.

    `fails` is true of the case itself. It depends on nothing but the case; a DenotaError in it
    means that a simplification has no meaning. A case in a language that cannot be shrunk yet
    raises UnsupportedError.
    """
    hook = hook_of(case.language)
    language = case.task().language

    def as_case(small: Any) -> Case:
        made: Case = small.case()
        return replace(
            made, title=case.title, cites=case.cites, tags=case.tags,
            prefixes={**case.prefixes, **made.prefixes},
        )

    def still_fails(small: Any) -> bool:
        try:
            return fails(as_case(small))
        except DenotaError:
            return False

    @cache
    def as_read(query: Any) -> Any | None:
        """The query that its own text says; None where no text says it."""
        try:
            return language.parse(language.print(query))
        except Exception:  # no tree of the language: a printer may end in any way
            return None

    def readable(proposals: Callable[[Any], Iterator[Any]], small: Any) -> Iterator[Any]:
        bound = measure(small, hook)
        for proposal in proposals(small):
            if proposal.query is not small.query:
                proposal = replace(proposal, query=hook.pruned(proposal.query))
            if measure(proposal, hook) >= bound:
                continue
            if proposal.query is not small.query:
                query = as_read(proposal.query)
                if query is None:
                    continue
                proposal = replace(proposal, query=query)
            yield proposal

    descent: Descent[Any] = Descent(
        still_fails,
        passes=[partial(readable, proposals) for proposals in passes(hook)],
        measure=lambda small: measure(small, hook),
        identity=identity,
        limit=limit,
    )
    simplest = descent.from_value(hook.of(case))
    def with_named_streams(small: Any) -> Any:
        """With an empty stream for each that the query names and that is not there."""
        named = dict.fromkeys(language.stream_names(small.query).values(), ())
        return replace(small, streams={**named, **small.streams})

    for tidy in (*hook.tidy, with_named_streams):
        tidied = tidy(simplest)
        if identity(tidied) != identity(simplest) and still_fails(tidied):
            simplest = tidied
    return as_case(simplest)


def passes(hook: Hook) -> tuple[Callable[[Any], Iterator[Any]], ...]:
    """Which simplifications there are, in the order in which they are tried."""

    def smaller_queries(case: Any) -> Iterator[Any]:
        for query in smaller(case.query, type(case.query), hook.plainest):
            yield replace(case, query=query)

    def plainer_settings(case: Any) -> Iterator[Any]:
        for field in fields_of(case):
            if field.name in ("query", "streams", "kb"):
                continue
            value = getattr(case, field.name)
            if (plain := _default(case, field.name)) != value:
                yield replace(case, **{field.name: plain})
            for simpler in smaller(value, type(value), hook.plainest):
                yield replace(case, **{field.name: simpler})

    return (
        smaller_queries, hook.proposals, fewer_items, plainer_times, plainer_settings,
        smaller_items, fewer_streams, plainer_terms,
    )


def _default(case: Any, name: str) -> Any:
    return getattr(type(case)(case.query, case.streams), name)


def identity(case: Any) -> Hashable:
    """A value that two cases share iff they are the same case."""
    return tuple(
        repr(sorted(value.items(), key=repr)) if isinstance(value, dict) else value
        for field in fields_of(case) for value in [getattr(case, field.name)]
    )


def hook_of(language: str) -> Hook:
    """What a language adds to the shrinking of its cases."""
    hook: Hook = part_of(language, "shrink").HOOK
    return hook


__all__ = ["LIMIT", "Hook", "hook_of", "shrink"]
