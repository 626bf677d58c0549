"""The readings of SPAseq: where the paper is silent or contradicts itself, a choice with a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from ...model.errors import Position, ReadingError
from ...model.readings import NamedChoices
from ...model.trees import changed, find, remembering
from ...rdf.syntax.rdfs import Entailment
from ...rdf.syntax.tree import (
    Element,
    GroupGraphPattern,
    NamedGraphPattern,
    OptionalPattern,
    UnionPattern,
)
from .scoping import atoms
from .tree import Negation, OptionalEvent, SequenceExpression, SpaseqQuery, WithinUnit

Ties = Literal["error", "merge", "sequence"]
Kleene = Literal["last", "join", "collect"]
Window = Literal["tumbling", "tumbling-half-open", "match", "sliding"]
NegationReading = Literal["event", "absence"]
Body = Literal["sparql", "paper"]
Answers = Literal["windows", "union"]


@dataclass(frozen=True, slots=True)
class Readings(NamedChoices):
    """One value for each named choice; the defaults are the definitions' own.

    `ties`: a second graph at one timestamp of one stream is an `error` (Def. 2), is `merge`d with
    the first, or follows it in `sequence` as (τ, k).
    `kleene`: the result of P+ carries the `last` iteration's values, all iterations `join`, or
    values are `collect`ed into lists.
    `window`: `tumbling` (Def. 16, closed at both ends), `tumbling-half-open`, `match` (a match
    spans at most ω), `sliding` (a window every β of the SLIDE clause).
    `negation`: (u, P)! is an `event` of u on which P has no match, or the `absence` of a
    compatible match strictly between its neighbours.
    `entailment`: a background graph says its triples (`none`), or what they entail by the rules of
    RDFS as well (`rdfs`, and with rdfs6 and rdfs10 `rdfs-reflexive`).
    `body`: a GPM's body is a `sparql` group whose conditions may look at earlier events, or is
    evaluated as Defs. 6, 7 and 15 of the `paper` print it.
    `answers`: each of the `windows` has its own, or they are the `union` over all (Def. 16).
    """

    language: ClassVar[str] = "SPAseq"
    letter: ClassVar[Mapping[str, str]] = {
        "kleene": "join", "body": "paper", "answers": "union",
    }

    ties: Ties = "error"
    kleene: Kleene = "last"
    window: Window = "tumbling"
    negation: NegationReading = "event"
    entailment: Entailment = "none"
    body: Body = "sparql"
    answers: Answers = "windows"

    def applied_to(self, query: SpaseqQuery) -> Readings:
        """These readings where they suit this query; a SLIDE clause makes `tumbling` `sliding`.

        Raises `ReadingError` where a reading says nothing about the query: windows of n EVENTS
        other than tumbling or sliding ones, SLIDE without `sliding` and the reverse, ω and β of
        different units, and under `negation=absence` a negation (or the negated half of `?`) that
        does not stand between two positive elements of the sequence.
        """
        readings = self
        if query.slide is not None and self.window == "tumbling":
            readings = replace(self, window="sliding")
        _check_windows(query, readings.window)
        if readings.negation == "absence":
            _check_absences(query.sequence)
        return readings

    def rewritten(self, query: SpaseqQuery) -> SpaseqQuery:
        """Return the query whose bodies mean under SPARQL 1.1 what those of `query` mean here."""
        return query if self.body == "sparql" else _as_printed(query)


@remembering
def _as_printed(query: SpaseqQuery) -> SpaseqQuery:
    return replace(query, definitions=tuple(
        replace(each, pattern=_printed_body(each.pattern)) for each in query.definitions
    ))


def _printed_body(pattern: GroupGraphPattern) -> GroupGraphPattern:
    """Return a body that SPARQL 1.1 evaluates as Defs. 6, 7 and 15 evaluate this one.

    ⟦P1 OPTIONAL P2⟧ = ⟦P1⟧ ⟕ ⟦P2⟧ has the filters of P2 see P2 alone, and
    ⟦(u, P) Graph (v, P_D)⟧ joins ⟦P⟧ of all that is no GRAPH with ⟦P_D⟧. No FILTER of P is
    outside of P, so that one whose variables P does not bind is not true.
    """
    def alone(part: Any) -> Any:
        if isinstance(part, OptionalPattern):
            return replace(part, pattern=_nested(part.pattern.elements))
        return part

    elements = changed(pattern, alone).elements
    graphs = tuple(each for each in elements if isinstance(each, NamedGraphPattern))
    others = tuple(each for each in elements if not isinstance(each, NamedGraphPattern))
    return GroupGraphPattern((*_nested(others).elements, *graphs))


def _nested(elements: tuple[Element, ...]) -> GroupGraphPattern:
    return GroupGraphPattern((UnionPattern((GroupGraphPattern(elements),)),))


def _check_windows(query: SpaseqQuery, window: Window) -> None:
    slide = query.slide
    if window == "sliding" and slide is None:
        raise _refusal("window=sliding needs a SLIDE clause", query.within.position)
    if window != "sliding" and slide is not None:
        raise _refusal(
            f"a SLIDE clause asks for sliding windows, the reading is window={window}",
            slide.position,
        )
    if slide is not None and slide.unit is not query.within.unit:
        raise _refusal(
            f"WITHIN is measured in {query.within.unit}, SLIDE in {slide.unit}: "
            "both need the same unit",
            slide.position,
        )
    if query.within.unit is WithinUnit.EVENTS and window not in ("tumbling", "sliding"):
        raise _refusal(
            f"WITHIN n EVENTS counts items, which window={window} does not do "
            "(it has: tumbling, sliding)",
            query.within.position,
        )


def _check_absences(sequence: SequenceExpression) -> None:
    elements = atoms(sequence)
    # Whatever lies between two positive ends is between them.
    for end in (elements[0], elements[-1]):
        if isinstance(end, Negation | OptionalEvent):
            raise _refusal(
                f"under negation=absence '{_shown(end)}' must stand between two elements "
                "that match an event",
                end.operand.position,
            )
    for atom in elements:
        for inner in find(atom, Negation, OptionalEvent):
            if inner is not atom:
                raise _refusal(
                    f"under negation=absence '{_shown(inner)}' cannot stand inside & or |",
                    inner.operand.position,
                )


def _shown(atom: Negation | OptionalEvent) -> str:
    return atom.operand.name + ("!" if isinstance(atom, Negation) else "?")


def _refusal(message: str, position: Position) -> ReadingError:
    return ReadingError(message, line=position.line, column=position.column)
