"""The relations as a table and as cases.

    python -m denota.studies.relations.page
        the claims and the witnesses, in Markdown
    python -m denota.studies.relations.page --page FILE
        renews them on a page
    python -m denota.studies.relations.page --exhausted FILE
        renews on a page what the claims come to on enumerated cases (minutes)
    python -m denota.studies.relations.page --readings FILE
        renews on a page how far the readings of each language agree (minutes)
    python -m denota.studies.relations.page --cases DIR
        writes the witnesses as cases, one a side, in one folder a language

A claim that holds has been tried on all small streams over its alphabet; of one that fails, the
smallest stream on which it does is shown with what either side answers there.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import TypeAlias

from ...oracle.cases.case import Case, ExpectedResults
from ...oracle.cases.case_writer import write_case
from ...oracle.distinguishing.exhaustive_comparison import ApartCase, Exhausted, exhaust
from ...oracle.languages.enumerated_graphs import (
    EXAMPLE,
    instant_streams,
    interval_streams,
    streams_of,
)
from ...oracle.languages.enumeration import Bounds
from ...oracle.languages.registry import having, language, part_of
from ...oracle.reports.generated_sections import with_part
from ...semantics.model.errors import DenotaError, ReadingError
from ...semantics.model.items import Item
from ...semantics.model.tuples import EventTuple
from .claims import CLAIMS, Claim, claims
from .rows import (
    STREAM,
    AskedQuery,
    Events,
    Found,
    Memory,
    Rows,
    Times,
    asked_in,
    differ,
    remembering,
    smallest,
)

# --- enumerated cases -----------------------------------------------------------------------------
# The queries are those of the ranks that are plain sequences: their patterns are ?x :A ?a, for
# letters that may repeat. The streams are those of EP-SPARQL's ranks (instants) and CQELS-CEP's
# (intervals), ties included. Claims about patterns of several triples are not asked: no enumerated
# pattern has several.

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
        """True if no question is left."""
        return self.silent or self.witness is not None


def exhausted(
    steps: int, most_events: int, times: Times, *, repeated: bool
) -> dict[str, Exhaustion]:
    """Return the outcome of every claim about `steps` steps on all streams of `most_events` events.

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
    """Return the claims about a sequence of these letters, on such streams."""
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
    """Return the streams that a claim speaks of."""
    if claim.times == "intervals":
        return ("intervals",)
    return ("ties",) if "with ties" in claim.says else ("apart", "ties")


def streams(word: str, events: int, times: Times) -> Iterator[Events]:
    """Yield all streams of a number of events for a sequence of these letters, up to renaming.

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


# --- the table of enumerated cases ----------------------------------------------------------------

Bound: TypeAlias = Mapping[tuple[int, Times], int]
"""The most events, by the steps of the sequences and the kind of stream."""

BOUND: Bound = {
    (2, "apart"): 4, (2, "ties"): 4, (2, "intervals"): 3,
    (3, "apart"): 4, (3, "ties"): 4, (3, "intervals"): 3,
}


def cells(bound: Bound = BOUND) -> dict[tuple[str, Times], str]:
    """Return the page's text for each claim on streams of a kind."""
    found = {}
    for (steps, times), events in bound.items():
        once, several = (
            exhausted(steps, events, times, repeated=repeated) for repeated in (False, True)
        )
        found.update({(name, times): _cell(once[name], several[name]) for name in once})
    return found


def exhaustion_table(bound: Bound = BOUND) -> str:
    """Return every claim that is asked, in Markdown."""
    found = cells(bound)
    kinds = list(dict.fromkeys(times for _, times in bound))
    lines = [
        "| Claim | one event an instant | with ties | over intervals |",
        "| --- | --- | --- | --- |",
    ]
    for claim in CLAIMS:
        told = [found.get((claim.id, times), "") for times in kinds]
        if any(told):
            lines.append(f"| {' | '.join([claim.id, *told])} |")
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


# --- readings -------------------------------------------------------------------------------------
# Every two values of each reading are compared on all small cases. Where two differ, the smallest
# query and streams are shown on which they do.

SIZES: Mapping[str, tuple[int, int]] = {
    "spaseq": (1, 3), "rsepql": (1, 3), "cqels": (1, 3), "epsparql": (1, 3), "ceql": (2, 3),
}
"""Up to how many operators and events they are compared."""


@dataclass(frozen=True, slots=True)
class ReadingPair:
    """Two values of a reading, and the cases on which they are compared."""

    language: str
    name: str
    a: str
    b: str
    bounds: Bounds

    @property
    def says(self) -> str:
        """The pair as the table calls it."""
        window = f", windows of {self.bounds.within}" if self.bounds.within is not None else ""
        return f"`{self.name}={self.a}`, `{self.b}`{window}"


def pairs(sizes: Mapping[str, tuple[int, int]] = SIZES) -> Iterator[ReadingPair]:
    """Yield every two values of every reading, but sliding windows, which no other reading has."""
    for name, (operators, length) in sizes.items():
        if name not in having("enumerate"):
            continue
        readings = part_of(name, "enumerate").ENUMERATION.readings_type
        for reading, values in readings.choices().items():
            for a, b in combinations((each for each in values if each != "sliding"), 2):
                yield ReadingPair(name, reading, a, b, _bounds(name, reading, operators, length))


def _bounds(name: str, reading: str, operators: int, length: int) -> Bounds:
    """Return the bounds of a reading; one about windows needs several windows."""
    bounds = Bounds(operators, length, alphabet="single")
    if (name, reading) == ("spaseq", "window"):
        return replace(bounds, within=2)
    if (name, reading) == ("ceql", "strategy"):
        return replace(bounds, within=2, events=True)
    return bounds


def compared(pair: ReadingPair) -> Exhausted:
    """Return the outcome of a pair."""
    return exhaust(pair.language, pair.bounds, {pair.name: pair.a}, {pair.name: pair.b})


def reading_rows(sizes: Mapping[str, tuple[int, int]] = SIZES) -> Iterator[tuple[str, str, str]]:
    """(language, the two values, what comes of them)."""
    for pair in pairs(sizes):
        try:
            yield language(pair.language).title, pair.says, outcome(compared(pair))
        except ReadingError:  # a reading that needs more than these bounds say
            continue


def readings_table() -> str:
    """Return all of them, in Markdown."""
    return merged_rows(reading_rows())


def merged_rows(rows: Iterable[tuple[str, str, str]]) -> str:
    """Return the table of these rows; pairs of a language with the same outcome share a row."""
    pairs_of: dict[tuple[str, str], list[str]] = {}
    for title, says, told in rows:
        pairs_of.setdefault((title, told), []).append(says)
    lines = ["| language | readings | on all small cases |", "| --- | --- | --- |"]
    for (title, told), alike in pairs_of.items():
        lines.append(f"| {title} | {'; '.join(alike)} | {told} |")
    return "".join(f"{line}\n" for line in lines)


def outcome(found: Exhausted) -> str:
    """Return the extent of the agreement, or the difference."""
    refused = f"; {found.refused:,} are an error under one of them" if found.refused else ""
    if found.apart is None:
        return f"agree ({found.tried:,} cases{refused})"
    return f"**differ**: {_query(found.apart)} on {_streams(found.apart)}"


def _query(apart: ApartCase) -> str:
    text = apart.a.language.print(apart.a.query, {"": EXAMPLE})
    lines = [line.strip() for line in text.splitlines() if not line.startswith("PREFIX")]
    return f"`{' '.join(lines)}`".replace("|", "\\|")


def _streams(apart: ApartCase) -> str:
    return ", ".join(
        event for items in apart.witness.streams.values() for event in map(_event, items)
    ) or "no event"


def _event(item: Item | EventTuple, prefix: str = "") -> str:
    if isinstance(item, EventTuple):
        return f"`{item.type}`"
    triples = sorted(
        " ".join(str(term).replace(EXAMPLE, prefix) for term in triple) for triple in item.graph
    )
    time = str(item.end) if item.start == item.end else f"[{item.start}, {item.end}]"
    return f"{time} `{' . '.join(triples)}`"


# --- the page of the docs -------------------------------------------------------------------------

PREFIXES = {"": "http://example.org/"}

_SORT: dict[Times, str] = {"apart": "", "ties": " with ties", "intervals": " over intervals"}


@cache
def found(claim: Claim) -> Found:
    """Return the outcome of the search for a claim."""
    return smallest(claim.fails, claim.events, claim.most, claim.times)


def table() -> str:
    """Return every claim with its verdict, in Markdown."""
    lines = ["| Name | Claim | Where | Verdict | Why |", "| --- | --- | --- | --- | --- |"]
    shown = ""
    for claim in CLAIMS:
        name = f"[{claim.id}](#{claim.id})" if has_section(claim) else claim.id
        source = claim.source if claim.source != shown else ""
        shown = claim.source
        lines.append(f"| {name} | {claim.says} | {source} | {_verdict(claim)} | {claim.why} |")
    return "".join(f"{line}\n" for line in lines)


def has_section(claim: Claim) -> bool:
    """Return True if a side of a failing claim is no query, so that no case has its rows."""
    sides = (asked_in(claim.left), asked_in(claim.right))
    return found(claim).witness is not None and None in sides


def witnesses() -> str:
    """Return the smallest stream of every claim that has a section, and the rows of both sides."""
    return "\n".join(
        "".join(f"{line}\n" for line in _witness(claim, stream))
        for claim in CLAIMS
        if (stream := found(claim).witness) is not None and has_section(claim)
    )


def witness_cases(claim: Claim) -> Iterator[tuple[str, Case]]:
    """Yield the name and the case of each side that is a query, on the smallest stream.

    A claim that holds has none.
    """
    stream = found(claim).witness
    if stream is None:
        return
    sides = [asked for side in (claim.left, claim.right) if (asked := asked_in(side)) is not None]
    alike = len({asked.name for asked in sides}) < len(sides)
    for place, asked in enumerate(sides, start=1):
        yield f"{claim.id}-{asked.name}{f'-{place}' if alike else ''}", Case(
            asked.name,
            asked.query,
            {STREAM: stream},
            expect=ExpectedResults(asked.results(stream), asked.language.levels[0]),
            title=f"not everywhere: {claim.says}",
            cites=claim.source,
            prefixes=PREFIXES,
            readings=asked.readings,
            evaluation=asked.evaluation(stream),
            tags=("law", "relation"),
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the page's table and witnesses, or write the witnesses as cases."""
    parser = argparse.ArgumentParser(prog="python -m denota.studies.relations.page")
    parser.add_argument("--cases", metavar="DIR", type=Path, help="write the witnesses as cases")
    parser.add_argument("--page", metavar="FILE", type=Path, help="renew the page's two listings")
    parser.add_argument(
        "--exhausted", metavar="FILE", type=Path, help="renew the page's table of enumerated cases"
    )
    parser.add_argument(
        "--readings", metavar="FILE", type=Path, help="renew the page's table of readings"
    )
    chosen = parser.parse_args(arguments)
    if chosen.cases is not None:
        for claim in CLAIMS:
            for name, case in witness_cases(claim):
                folder = chosen.cases / case.language_name
                folder.mkdir(parents=True, exist_ok=True)
                write_case(case, folder / f"{name}.case.yaml")
    elif chosen.page is not None:
        text = chosen.page.read_text(encoding="utf-8")
        chosen.page.write_text(renewed(text), encoding="utf-8")
    elif chosen.exhausted is not None:
        _renew(chosen.exhausted, "exhausted", exhaustion_table())
    elif chosen.readings is not None:
        _renew(chosen.readings, "exhausted", readings_table())
    else:
        print(table())
        print(witnesses())
    return 0


def renewed(page: str) -> str:
    """Return the page with updated listings; raises DenotaError if it has no place for one."""
    for name, listing in (("claims", table()), ("witnesses", witnesses())):
        page = _with_listing(page, name, listing)
    return page


def _renew(path: Path, name: str, listing: str) -> None:
    text = _with_listing(path.read_text(encoding="utf-8"), name, listing)
    path.write_text(text, encoding="utf-8")


def _with_listing(page: str, name: str, listing: str) -> str:
    written = with_part(page, name, listing)
    if written is None:
        raise DenotaError(f"the page has no part between <!-- {name} --> and <!-- end -->")
    return written


def _verdict(claim: Claim) -> str:
    search = found(claim)
    if search.witness is None:
        return f"holds ({search.tried:,}{_SORT[claim.times]})"
    cases = [f"errata/{claim.case}"] if claim.case else []
    cases += [f"relations/{case.language_name}/{name}" for name, case in witness_cases(claim)]
    links = (f"[{case.rpartition('/')[2]}](../corpus/{case}.case.yaml)" for case in cases)
    return f"**fails**: {', '.join(links)}"


def _witness(claim: Claim, stream: Events) -> Iterator[str]:
    yield from (f"### {claim.id}", "", f"On {', '.join(_event(each, ':') for each in stream)}:", "")
    yield f"* left: {_rows(claim.left(stream))}"
    yield f"* right: {_rows(claim.right(stream))}"


def _rows(rows: Rows) -> str:
    written = [
        f"{time}: " + ", ".join(f"?{v} {_short(mu[v])}" for v in sorted(mu))
        for time, mu in sorted(rows.elements(), key=lambda row: (row[0], repr(row[1])))
    ]
    return "; ".join(written) or "nothing"


def _short(value: object) -> str:
    return f"`{str(value).replace(PREFIXES[''], ':')}`"


if __name__ == "__main__":
    raise SystemExit(main())
