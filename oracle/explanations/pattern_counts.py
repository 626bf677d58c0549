"""The number of items that each pattern of a query matches alone: why there may be no results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from ...semantics.model.nearest import nearest
from ..languages.base import Pattern
from ..languages.registry import Language, Query
from .counted import counted

MAX_ITEMS = 100_000
"""The number of items of a stream that are looked at."""


@dataclass(frozen=True)
class PatternCount:
    """The number of the stream's items that a pattern matches alone, without the other patterns.

    Attributes:
        absent: the names in the pattern that no item has, each with the nearest that one has.
    """

    pattern: str
    stream: str
    items: int
    matched: int
    absent: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return why the pattern never matched."""
        told = f"{counted(self.items, 'item')} on {self.stream}" if self.items else (
            f"no items on {self.stream}"
        )
        named = f", none has {', '.join(self.absent)}" * bool(self.absent and self.items)
        return f"{self.pattern} never matched: {told}{named}"


@dataclass(frozen=True)
class PatternCounts:
    """The counts of a query's patterns, in their order; `notes` are what else was noticed."""

    patterns: Sequence[PatternCount] = ()
    notes: Sequence[str] = field(default=())

    def __str__(self) -> str:
        if not self.patterns:
            return "no statistics: the query has no patterns that are matched with items"
        first = ", ".join(
            f"{each.pattern}: {counted(each.matched, 'item') if not n else f'{each.matched:,}'}"
            for n, each in enumerate(self.patterns)
        )
        unmatched = [str(each) for each in self.patterns if not each.matched]
        return "; ".join(filter(None, (first, *unmatched, *self.notes)))

    def without_results(self) -> str:
        """Return the counts for a query without results, and whether each pattern matches alone."""
        together = self.patterns and not self.notes and all(e.matched for e in self.patterns)
        alone = "; each matches alone, but they do not match together"
        return f"{self}{alone * bool(together)}"


def pattern_counts(
    language: Language, query: Query, streams: Mapping[Any, Iterable[Any]], kb: Mapping[Any, Any]
) -> PatternCounts:
    """Match the patterns with each of the streams' first 100,000 items, by the definitions."""
    own: Any = language
    patterns: list[Pattern] = list(own.patterns(query)) if hasattr(own, "patterns") else []
    names = {str(iri): name for name, iri in language.stream_names(query).items()}
    named = language.streams_read(query)
    read = {*map(str, streams if named is None else named)}
    streams = {key: each for key, each in streams.items() if str(key) in read}
    if language.items == "tuples":
        return _of_tuples(patterns, streams, own.attributes(query) if patterns else ())
    return _of_graphs(patterns, streams, kb, names, language.prefixes(query))


def _of_graphs(
    patterns: Sequence[Pattern], streams: Mapping[Any, Iterable[Any]], kb: Mapping[Any, Any],
    names: Mapping[str, str], prefixes: Mapping[str, str],
) -> PatternCounts:
    from ...semantics.rdf.evaluation import solutions
    from ..cases.turtle_terms import shortened

    groups = [_own(each.part) for each in patterns]
    wanted: list[set[Any]] = [set(_constants(group)) for group in groups]
    background = {iri: graph for iri, graph in kb.items() if isinstance(graph, frozenset)}
    items = dict.fromkeys(streams, 0)
    matched = [0] * len(patterns)
    absent: list[set[Any]] = [set(each) for each in wanted]
    predicates: dict[Any, set[str]] = {stream: set() for stream in streams}
    for stream, each in streams.items():
        for item in islice(each, MAX_ITEMS):
            items[stream] += 1
            terms = {part for triple in item.graph for part in triple}
            predicates[stream].update(shortened(p, prefixes) for _, p, _ in item.graph)
            for n, pattern in enumerate(patterns):
                if pattern.stream in (None, stream):
                    absent[n] -= terms
                    if wanted[n] <= terms or background:
                        matched[n] += bool(solutions(groups[n], item.graph, background))
    counts = []
    for n, pattern in enumerate(patterns):
        on = [s for s in streams if pattern.stream in (None, s)] or [pattern.stream]
        known = sorted(set().union(*(predicates.get(s, set()) for s in on)))
        unseen = sorted(shortened(term, prefixes) for term in absent[n])
        told = tuple(name + nearest(name, known) for name in unseen)
        shown = ", ".join(names.get(str(s), f"<{s}>") for s in on)
        number = sum(items.get(s, 0) for s in on)
        counts.append(PatternCount(pattern.name, shown, number, matched[n], told))
    return PatternCounts(counts)


def _own(group: Any) -> Any:
    """The group without the conditions on variables of other patterns."""
    from rdflib.term import Variable

    from ...semantics.model.trees import find
    from ...semantics.rdf.syntax import tree as s
    from ...semantics.rdf.syntax.variables import conjuncts, possible_variables

    bound = possible_variables(group)
    kept: list[Any] = []
    for element in group.elements:
        if not isinstance(element, s.Filter):
            kept.append(element)
            continue
        for condition in conjuncts(element.condition):
            if bound.issuperset(find(condition, Variable, but=s.Exists)):
                kept.append(s.Filter(condition, element.position))
    return s.GroupGraphPattern(tuple(kept))


def _constants(group: Any) -> Iterator[Any]:
    """The IRIs that an item must have for the pattern to match."""
    from rdflib.term import URIRef

    from ...semantics.rdf.syntax import tree as s

    for element in group.elements:
        if isinstance(element, s.TriplesBlock):
            for triple in element.triples:
                for part in (triple.subject, triple.predicate, triple.object):
                    if isinstance(part, URIRef):
                        yield part


def pattern_text(group: Any, prefixes: Mapping[str, str]) -> str:
    """Return the triple patterns of a group as text, on one line."""
    from rdflib.term import BNode, Literal, URIRef, Variable

    from ...semantics.model.trees import find
    from ...semantics.rdf.syntax import tree as s
    from ..cases.turtle_terms import shortened

    def text(part: Any) -> str:
        if isinstance(part, Variable):
            return f"?{part}"
        is_term = isinstance(part, URIRef | BNode | Literal)
        return shortened(part, prefixes) if is_term else "…"

    shown = [
        " ".join(map(text, (each.subject, each.predicate, each.object)))
        for each in find(group, s.TriplePattern)
    ]
    return f"{{ {' . '.join(shown)} }}"


def _of_tuples(
    patterns: Sequence[Pattern], streams: Mapping[Any, Any], attributes: Iterable[str]
) -> PatternCounts:
    from ...semantics.model.tuples import TYPE

    types: dict[Any, dict[str, int]] = {name: {} for name in streams}
    there: set[str] = set()
    for name, stream in streams.items():
        rows = 0
        for batch in stream.batches():
            for each in batch.column(TYPE).value_counts().to_pylist():
                known = types[name]
                known[each["values"]] = known.get(each["values"], 0) + each["counts"]
            there.update(
                column for column in batch.schema.names
                if batch.column(column).null_count < batch.num_rows
            )
            rows += batch.num_rows
            if rows >= MAX_ITEMS:
                break
    counts = []
    for name, stream, event in patterns:
        on = [each for each in streams if stream in (None, str(each))]
        matched = sum(types[each].get(event, 0) for each in on)
        near = sorted(set().union(*(types[each] for each in on)))
        absent = () if matched else (f"the type {event}{nearest(event, near)}",)
        items = sum(sum(types[each].values()) for each in on)
        counts.append(PatternCount(name, ", ".join(map(str, on)), items, matched, absent))
    notes = tuple(
        f"no tuple has the attribute '{name}'{nearest(name, sorted(there - {TYPE}))}"
        for name in attributes if there and name not in there
    )
    return PatternCounts(counts, notes)
