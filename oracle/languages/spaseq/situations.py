"""What may happen on a streamset that SPAseq's definitions have a word to say about.

A situation is met where it has to do with the answer: what stands in the window of an answer, or
what would be answered if a definition had not said so. For the latter the definitions are asked
once more, about the case with something taken away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from rdflib.term import URIRef

from ....semantics.model.terms import Graph
from ....semantics.spaseq.syntax.results import Pair
from ....semantics.spaseq.syntax.scope import atoms, split
from ....semantics.spaseq.syntax.tree import (
    Atom,
    KleenePlus,
    Negation,
    Operator,
    OptionalEvent,
    SequenceExpression,
    Step,
    WithinUnit,
)
from ...fuzzing.graph_situations import graph_situations, met_in_query
from .case import SpaseqCase, operators

SITUATIONS: Mapping[str, str] = {
    "several windows": "answers lie in two windows or more (Def. 16)",
    "in two windows": "one match is an answer of two windows (Def. 16)",
    "expired": "an item came before the window of an answer began (Def. 16)",
    "returned": "the graph of such an item comes again in the window of an answer (Def. 16)",
    "at the end": "an answer ends at the very end of its window (Def. 16: τ ≤ τe)",
    "at the begin": "an item stands at the very begin of an answer's window (Def. 16: τb ≤ τ)",
    "just outside": "an item stands one tick before or after an answer's window (Def. 16)",
    "before the start": "an item comes before t, and there is an answer (Def. 16)",
    "tie of streams": "items of two streams stand at the instant of an answer (Def. 8)",
    "tie in a stream": "several items of a stream have the timestamp of an answer (Def. 2)",
    "later rank": "an answer ends at (τ, k) with k > 0 (Def. 2 under ties=sequence)",
    "two pairs": "two pairs have one timestamp in one window (Def. 9: they are not merged)",
    "several mappings": "a pair has several mappings (Def. 6)",
    "unbound": "one mapping of an answer binds a variable that another does not (Def. 5)",
    "other keys": "answers at two instants have different mappings (Def. 10: X ⋈ Y)",
    "blocked": "an event in between keeps `;` from what `:` would take (Def. 11)",
    "interrupted": "an event in between keeps `,` from what `;` would take (Def. 12)",
    "interrupted by a stranger": "it is on a stream that no clause names (Def. 12: any u)",
    "iterated": "an answer takes a second iteration of P+ (Defs. 13, 14)",
    "iterations differ": "it takes iterations that do not agree on all variables (kleene)",
    "forbidden": "an event in between takes an answer away (App. B under negation=absence)",
    "not forbidden": "what is negated comes before an answer and takes nothing away (App. B)",
    "option taken": "an answer takes an optional event (App. B)",
    "option left": "an answer does without an optional event (App. B)",
    "condition on the past": "a condition on earlier events takes an answer away (⋈_R)",
    **graph_situations("sorts mixed", "undefined", "exists of what is bound"),
}

_MOST_ITEMS = 24
"""On longer streams the definitions are not asked again."""


def met(case: SpaseqCase, expected: Iterable[Pair]) -> frozenset[str]:
    """The situations that a case with these answers meets; none without answers."""
    answers = _Answers(case, frozenset(expected))
    return frozenset(answers.all()) if answers.pairs else frozenset()


@dataclass(frozen=True)
class _Answers:
    case: SpaseqCase
    pairs: frozenset[Pair]

    def all(self) -> Iterator[str]:
        yield from self.of_pairs()
        if self.case.query.within.unit is not WithinUnit.EVENTS:
            yield from self.of_windows()
        yield from self.of_instants()
        items = chain.from_iterable(self.case.streams.values())
        yield from met_in_query(self.case.query, items, SITUATIONS)
        if sum(map(len, self.case.streams.values())) <= _MOST_ITEMS:
            yield from self.of_sequences()
            yield from self.of_atoms()

    @cached_property
    def items(self) -> list[tuple[int, URIRef, Graph]]:
        return sorted(
            ((i.time, u, i.graph) for u, stream in self.case.streams.items() for i in stream),
            key=lambda item: item[0],
        )

    # --- what the pairs say by themselves ---

    def of_pairs(self) -> Iterator[str]:
        windows = {pair.window for pair in self.pairs}
        if len(windows) > 1:
            yield "several windows"
        if len({replace(pair, window=None) for pair in self.pairs}) < len(self.pairs):
            yield "in two windows"
        if any(pair.rank for pair in self.pairs):
            yield "later rank"
        if len({(p.window, p.time, p.rank) for p in self.pairs}) < len(self.pairs):
            yield "two pairs"
        if any(len(pair.solutions) > 1 for pair in self.pairs):
            yield "several mappings"
        if len({frozenset(mu) for pair in self.pairs for mu in pair.solutions}) > 1:
            yield "unbound"
        if min(len({p.solutions for p in self.pairs}), len({p.time for p in self.pairs})) > 1:
            yield "other keys"

    # --- Def. 16 ---

    def of_windows(self) -> Iterator[str]:
        within = self.case.query.within
        tick = 1 if within.unit is WithinUnit.INTEGER else 1_000_000
        times = {time for time, _, _ in self.items}
        start = min(times) if self.case.start is None else self.case.start
        if min(times) < start:
            yield "before the start"
        for pair in self.pairs:
            begin, end = pair.window or (pair.time - within.value, pair.time)
            if begin in times and begin > start:
                yield "at the begin"
            if pair.window is not None and pair.time == end:
                yield "at the end"
            if begin - tick in times or end + tick in times:
                yield "just outside"
            before = {graph for time, _, graph in self.items if start <= time < begin}
            if before:
                yield "expired"
            if any(graph in before for time, _, graph in self.items if begin <= time <= end):
                yield "returned"

    def of_instants(self) -> Iterator[str]:
        at = Counter((time, stream) for time, stream, _ in self.items)
        for time in {pair.time for pair in self.pairs}:
            here = [count for (when, _), count in at.items() if when == time]
            if len(here) > 1:
                yield "tie of streams"
            if max(here) > 1:
                yield "tie in a stream"

    # --- what would be answered otherwise ---

    def otherwise(self, sequence: SequenceExpression) -> frozenset[Pair]:
        answers: frozenset[Pair] = self.case.but(
            query=replace(self.case.query, sequence=sequence)
        ).denotation()
        return answers

    def of_sequences(self) -> Iterator[str]:
        case = self.case
        sequence, used = case.query.sequence, set(operators(case.query.sequence))
        if Operator.NEXT in used:
            every = self.otherwise(_with_operator(sequence, Operator.NEXT, Operator.ANY))
            if every - self.pairs:
                yield "blocked"
        if Operator.STRICT in used:
            skipping = self.otherwise(_with_operator(sequence, Operator.STRICT, Operator.NEXT))
            if skipping - self.pairs:
                yield "interrupted"
                if self.among_their_own() - self.pairs:
                    yield "interrupted by a stranger"
        parts = [split(each.pattern) for each in case.query.definitions]
        if any(deferred for _, deferred in parts):
            free = tuple(
                replace(each, pattern=local)
                for each, (local, _) in zip(case.query.definitions, parts, strict=True)
            )
            if case.but(query=replace(case.query, definitions=free)).denotation() - self.pairs:
                yield "condition on the past"

    def among_their_own(self) -> frozenset[Pair]:
        """The answers without the streams that no clause names."""
        case = self.case
        named = {clause.iri for clause in case.query.streams}
        start = self.items[0][0] if case.start is None else case.start
        known = {u: stream for u, stream in case.streams.items() if u in named}
        answers: frozenset[Pair] = case.but(
            streams=known, evaluation={"from": start}
        ).denotation()
        return answers

    def of_atoms(self) -> Iterator[str]:
        sequence = self.case.query.sequence
        everything = atoms(sequence)
        if any(isinstance(atom, KleenePlus) for atom in everything):
            once = _changed(sequence, lambda a: a.operand if isinstance(a, KleenePlus) else a)
            if self.pairs - self.otherwise(once):
                yield "iterated"
                readings = replace(self.case.readings, kleene="join")
                if self.pairs - self.case.but(readings=readings).denotation():
                    yield "iterations differ"
        for atom in everything:
            if isinstance(atom, OptionalEvent):
                taken = self.otherwise(
                    _changed(sequence, lambda a, o=atom: o.operand if a == o else a)  # type: ignore[misc]
                )
                if taken & self.pairs:
                    yield "option taken"
                if self.pairs - taken:
                    yield "option left"
            if isinstance(atom, Negation) and self.case.readings.negation == "absence":
                if self.otherwise(_without(sequence, atom)) - self.pairs:
                    yield "forbidden"
                seen = {p.time for p in self.otherwise(SequenceExpression(atom.operand, ()))}
                first = self.items[0][0]
                if any(first < time < pair.time for time in seen for pair in self.pairs):
                    yield "not forbidden"


def _with_operator(
    sequence: SequenceExpression, old: Operator, new: Operator
) -> SequenceExpression:
    return replace(
        sequence,
        steps=tuple(
            Step(new if step.operator is old else step.operator, step.atom)
            for step in sequence.steps
        ),
    )


def _changed(
    sequence: SequenceExpression, change: Callable[[Atom], Atom]
) -> SequenceExpression:
    return replace(
        sequence,
        first=change(sequence.first),
        steps=tuple(Step(step.operator, change(step.atom)) for step in sequence.steps),
    )


def _without(sequence: SequenceExpression, atom: Atom) -> SequenceExpression:
    return replace(sequence, steps=tuple(s for s in sequence.steps if s.atom != atom))


__all__ = ["SITUATIONS", "met"]
