"""The claims on enumerated cases: every short sequence on every small stream, ties included.

The queries are those of the ranks that are plain sequences: their patterns are ?x :A ?a, for
letters that may repeat. The streams are those of EP-SPARQL's ranks (instants) and CQELS-CEP's
(intervals). So a claim is not asked about the patterns of its page alone. Claims about patterns of
several triples are not asked: no enumerated pattern has several.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ....semantics.model.errors import DenotaError
from ....semantics.model.items import Item
from ...languages.enumerated_graphs import (
    EXAMPLE,
    STREAM,
    instant_streams,
    interval_streams,
    streams_of,
)
from .claims import CLAIMS, Claim, claims
from .rows import AskedQuery, Events, Memory, asked_in, differ, remembering
from .smallest import Times

WORDS = {2: ("AA", "AB"), 3: ("AAA", "AAB", "ABA", "ABB", "ABC")}
"""The letters of sequences of so many steps, up to renaming."""


@dataclass
class Exhaustion:
    """A claim on all streams of one kind: on how many cases it held, and where it fails first.

    `word` and `witness` are the letters of the sequence and the stream. `silent` says that a side
    is about other streams: it answers with an error.
    """

    held: int = 0
    word: str = ""
    witness: Events | None = None
    silent: bool = False

    @property
    def over(self) -> bool:
        """Whether there is no more to ask."""
        return self.silent or self.witness is not None


def exhausted(
    steps: int, most_events: int, times: Times, *, repeated: bool
) -> dict[str, Exhaustion]:
    """What comes of every claim about so many steps on all streams of so many events.

    `repeated`: of the sequences that have one pattern several times, or of the others.
    """
    asked = [
        (word, _about(word, times)) for word in WORDS[steps]
        if (len(set(word)) < steps) == repeated
    ]
    found = {claim.id: Exhaustion() for _, those in asked for claim in those}
    for events in range(most_events + 1):
        for word, those in asked:
            for stream in streams(word, events, times):
                memory: Memory = {}
                for claim in those:
                    if not found[claim.id].over:
                        _ask(claim, word, stream, found[claim.id], memory)
    return found


def _ask(claim: Claim, word: str, stream: Events, told: Exhaustion, memory: Memory) -> None:
    try:
        left, right = (
            remembering(side, memory)(stream) for side in (claim.left, claim.right)
        )
    except DenotaError:
        told.silent = True
        return
    only_left, only_right = differ(left, right)
    if only_left or (claim.relation == "=" and only_right):
        told.word, told.witness = word, stream
    else:
        told.held += 1


def _about(word: str, times: Times) -> list[Claim]:
    """The claims about a sequence of these letters, on such streams."""
    patterns = tuple(f"?x :{letter} ?{letter.lower()}" for letter in word)
    made = claims(chain=patterns) if len(word) > 2 else claims(patterns, patterns)
    return [
        claim for claim in made
        if claim.steps == len(word) and times in _kinds(claim)
        and all(patterns[0] in query.text for query in _queries(claim))
    ]


def _queries(claim: Claim) -> list[AskedQuery]:
    return [asked for side in (claim.left, claim.right) if (asked := asked_in(side)) is not None]


def _kinds(claim: Claim) -> tuple[Times, ...]:
    """The streams that a claim speaks of."""
    if claim.times == "intervals":
        return ("intervals",)
    return ("ties",) if "with ties" in claim.says else ("apart", "ties")


def streams(word: str, events: int, times: Times) -> Iterator[Events]:
    """All streams of so many events for a sequence of these letters, up to renaming.

    With ties: those in which two events share an instant.
    """
    letters = "".join(sorted(set(word)))
    listed = interval_streams if times == "intervals" else instant_streams
    for symbols in listed(letters, events):
        ends = [end for _, end, *_ in symbols]
        tied = len(set(ends)) < len(ends)
        lasting = any(start < end for start, end, *_ in symbols)
        if lasting if times == "intervals" else tied == (times == "ties"):
            yield streams_of(symbols)[STREAM]


# --- the page ------------------------------------------------------------------------------------

Bound: TypeAlias = Mapping[tuple[int, Times], int]
"""The most events, by the steps of the sequences and the kind of stream."""

BOUND: Bound = {
    (2, "apart"): 4, (2, "ties"): 4, (2, "intervals"): 3,
    (3, "apart"): 4, (3, "ties"): 4, (3, "intervals"): 3,
}


def cells(bound: Bound = BOUND) -> dict[tuple[str, Times], str]:
    """What the page says of a claim on streams of a kind."""
    found = {}
    for (steps, times), events in bound.items():
        once, several = (
            exhausted(steps, events, times, repeated=repeated) for repeated in (False, True)
        )
        found.update({(name, times): _cell(once[name], several[name]) for name in once})
    return found


def exhaustion_table(bound: Bound = BOUND) -> str:
    """Every claim that is asked, in Markdown."""
    found = cells(bound)
    kinds = list(dict.fromkeys(times for _, times in bound))
    lines = [
        "| Claim | one event an instant | with ties | over intervals |",
        "| --- | --- | --- | --- |",
    ]
    for claim in CLAIMS:
        told = [found.get((claim.id, times), "") for times in kinds]
        if any(told):
            lines.append(f"| {claim.says} | {' | '.join(told)} |")
    return "".join(f"{line}\n" for line in lines)


def _cell(once: Exhaustion, several: Exhaustion) -> str:
    if once.silent:
        return "–"
    if once.witness is not None:
        return _failing(once)
    if several.witness is not None:
        return f"holds ({once.held:,}), but {_failing(several)}"
    return f"holds ({once.held + several.held:,})"


def _failing(told: Exhaustion) -> str:
    assert told.witness is not None
    return f"**fails**: {' '.join(told.word)} on {', '.join(map(_event, told.witness))}"


def _event(item: Item) -> str:
    ((subject, predicate, target),) = item.graph
    names = " ".join(str(term).removeprefix(EXAMPLE) for term in (subject, predicate, target))
    return f"{item.end} `{names}`" if item.start == item.end else (
        f"[{item.start}, {item.end}] `{names}`"
    )
