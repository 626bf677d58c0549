"""The number of items that each pattern of a query matches alone.

Of a sequence it is the longest prefix that has matches, and why it has no continuation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any

from ...semantics.model.errors import DenotaError, nearest
from ..languages.base import Beginning, Pattern
from ..languages.registry import Language, Query, has, part_of
from .plurals import counted

MAX_ITEMS = 100_000
"""The number of items of a stream that are counted."""
MAX_NAMES = 10_000
"""The number of names of items that are stored for suggestions."""


@dataclass(frozen=True)
class PatternCount:
    """The number of the stream's items that a pattern matches alone, without the other patterns.

    Attributes:
        absent: the names in the pattern that no item has, each with the closest name of an item.
        condition: a FILTER that is true for no item.
        unfiltered: the number of items that the pattern matches without its FILTERs.
        branches: the counts of the branches of UNION.
    """

    pattern: str
    stream: str
    items: int
    matched: int
    absent: tuple[str, ...] = ()
    condition: str = ""
    unfiltered: int = 0
    branches: tuple[PatternCount, ...] = ()

    @property
    def unmatched(self) -> list[PatternCount]:
        """The branches that never matched, or else the pattern itself if it never matched."""
        return [each for each in self.branches if not each.matched] or [self] * (not self.matched)

    def __str__(self) -> str:
        """Return why the pattern never matched."""
        if self.condition:
            items = f"{counted(self.unfiltered, 'item')} match{'es' * (self.unfiltered == 1)}"
            return f"{self.pattern}: {items} the pattern, none satisfies {self.condition}"
        items = f"{counted(self.items, 'item')} on {self.stream}" if self.items else (
            f"no items on {self.stream}"
        )
        named = f", none has {', '.join(self.absent)}" * bool(self.absent and self.items)
        return f"{self.pattern} never matched: {items}{named}"


@dataclass(frozen=True)
class PatternCounts:
    """The counts of a query's patterns, in their order.

    Attributes:
        notes: the attributes, namespaces and names in the query that no item has.
        broken: the point at which the sequence breaks off, if each pattern matches alone.
    """

    patterns: Sequence[PatternCount] = ()
    notes: Sequence[str] = field(default=())
    broken: str = ""

    def __str__(self) -> str:
        if not self.patterns:
            return "no statistics: the query has no patterns that are matched with items"
        first = ", ".join(
            f"{each.pattern}: {counted(each.matched, 'item') if not n else f'{each.matched:,}'}"
            + (f" ({', '.join(f'{b.pattern}: {b.matched:,}' for b in each.branches)})"
               if each.branches else "")
            for n, each in enumerate(self.patterns)
        )
        unmatched = [str(one) for each in self.patterns for one in each.unmatched]
        return "; ".join(filter(None, (first, *unmatched, self.broken, *self.notes)))

    def without_results(self) -> str:
        """Return the text for a query without results; note whether each pattern matches alone."""
        known = self.notes or self.broken
        together = self.patterns and not known and all(e.matched for e in self.patterns)
        alone = "; each matches alone, but they do not match together"
        return f"{self}{alone * bool(together)}"


def pattern_counts(
    language: Language, query: Query, streams: Mapping[Any, Iterable[Any]], kb: Mapping[Any, Any],
    readings: Any, evaluation: Mapping[str, Any],
) -> PatternCounts:
    """Match the patterns with the first 100,000 items of each stream, by the oracle."""
    patterns, read = _patterns(language, query), _read(language, query, streams)
    others = {key: () for key in streams if key not in read}
    if language.items == "tuples":
        counts = _of_tuples(patterns, read, _attributes(language, query))
        first = {key: tuple(islice(each, MAX_EVENTS + 1)) for key, each in read.items()}
    else:
        every = {key: iter(each) for key, each in streams.items()}
        first = {key: tuple(islice(each, MAX_EVENTS + 1)) for key, each in every.items()}
        read = {key: chain(first[key], every[key]) for key in read}
        called = {str(iri): name for name, iri in language.stream_names(query).items()}
        prefixes = language.prefixes(query)
        names = GraphNames(patterns, query, kb, prefixes)
        counts = _of_graphs(patterns, read, kb, called, prefixes, names)
    needed = [
        count.matched for count, each in zip(counts.patterns, patterns, strict=True)
        if not each.optional
    ]
    if not patterns or not all(needed):
        return counts
    broken = sequence_break(language, query, {**others, **first}, kb, readings, evaluation)
    return replace(counts, broken=broken)


def graph_names(language: Language, query: Query, kb: Mapping[Any, Any]) -> GraphNames:
    """Return the names that a query requires of items, before any item."""
    return GraphNames(_patterns(language, query), query, kb, language.prefixes(query))


def absent_names(
    language: Language, query: Query, streams: Mapping[Any, Iterable[Any]], kb: Mapping[Any, Any],
    *, likely: bool = False,
) -> Sequence[str]:
    """Return the notes on namespaces and names in the query that no item has.

    Args:
        likely: omit names that are not similar to any name of an item.
    """
    names = graph_names(language, query, kb)
    for each in _read(language, query, streams).values():
        items = iter(each)
        for item in islice(items, MAX_ITEMS):
            names.see(item.graph)
        if next(items, None) is not None:
            return ()
    return names.absent(likely=likely)


def _patterns(language: Any, query: Query) -> list[Pattern]:
    return list(language.patterns(query)) if hasattr(language, "patterns") else []


def _attributes(language: Any, query: Query) -> Sequence[str]:
    return language.attributes(query) if hasattr(language, "attributes") else ()


def _read(
    language: Language, query: Query, streams: Mapping[Any, Iterable[Any]]
) -> dict[Any, Iterable[Any]]:
    """Return the streams that the query reads."""
    named = language.streams_read(query)
    names = {*map(str, streams if named is None else named)}
    return {key: each for key, each in streams.items() if str(key) in names}


def _of_graphs(
    patterns: Sequence[Pattern], streams: Mapping[Any, Iterable[Any]], kb: Mapping[Any, Any],
    called: Mapping[str, str], prefixes: Mapping[str, str], names: GraphNames,
) -> PatternCounts:
    from ..cases.rdf_text import shortened

    background = {iri: graph for iri, graph in kb.items() if isinstance(graph, frozenset)}
    wholes = [_Tally(each, background) for each in patterns]
    tallies = [each for whole in wholes for each in (whole, *whole.branches(prefixes))]
    items = dict.fromkeys(streams, 0)
    predicates: dict[Any, set[str]] = {stream: set() for stream in streams}
    for stream, each in streams.items():
        for item in islice(each, MAX_ITEMS):
            items[stream] += 1
            names.see(item.graph)
            terms = {part for triple in item.graph for part in triple}
            predicates[stream].update(shortened(p, prefixes) for _, p, _ in item.graph)
            for tally in tallies:
                if tally.pattern.stream in (None, stream):
                    tally.see(item.graph, terms)

    def counted_of(tally: _Tally) -> PatternCount:
        name, stream = tally.pattern[:2]
        on = [s for s in streams if stream in (None, s)] or [stream]
        known = sorted(set().union(*(predicates.get(s, set()) for s in on)))
        unseen = sorted(shortened(term, prefixes) for term in tally.absent)
        near = tuple(name + nearest(name, known) for name in unseen)
        shown = ", ".join(called.get(str(s), f"<{s}>") for s in on)
        number = sum(items.get(s, 0) for s in on)
        branches = tuple(counted_of(each) for each in tallies if each.whole is tally)
        return PatternCount(
            name, shown, number, tally.matched, near, tally.false_condition(prefixes),
            tally.unfiltered, branches,
        )

    whole = all(number < MAX_ITEMS for number in items.values())
    reported = {iri for tally in tallies if not tally.matched for iri in tally.absent}
    return PatternCounts([*map(counted_of, wholes)], names.absent(reported) if whole else ())


class _Tally:
    """The number of items that a pattern matches, and of those that only its FILTERs reject.

    Attributes:
        absent: the IRIs that no item has had.
        whole: the tally of the pattern that contains this branch.
    """

    def __init__(
        self, pattern: Pattern, background: Mapping[Any, Any], whole: _Tally | None = None
    ) -> None:
        from ...semantics.rdf.syntax import tree as s
        from ...semantics.rdf.syntax.variables import self_contained

        self.pattern, self.whole, self._background = pattern, whole, background
        self._group = self_contained(pattern.part) if whole is None else pattern.part
        self._wanted = set(_constants(self._group))
        self.absent = set(_mentioned(pattern.part, s.NamedGraphPattern, s.OptionalPattern))
        self._conditions = [*_conditions(self._group)]
        self._without = _with_conditions(self._group, ())
        self._with_one = [_with_conditions(self._group, (each,)) for each in self._conditions]
        self._satisfied = [0] * len(self._conditions)
        self.matched = self.unfiltered = 0

    def branches(self, prefixes: Mapping[str, str]) -> Iterator[_Tally]:
        """Yield a tally of the pattern with each branch of its UNIONs alone."""
        from ...semantics.rdf.syntax import tree as s

        elements = self._group.elements
        for n, each in enumerate(elements):
            if isinstance(each, s.UnionPattern) and len(each.alternatives) > 1:
                for branch in each.alternatives:
                    alone = (s.UnionPattern((branch,)),)
                    part = branch if len(elements) == 1 else s.GroupGraphPattern(
                        (*elements[:n], *alone, *elements[n + 1 :])
                    )
                    own = Pattern(pattern_text(branch, prefixes), self.pattern.stream, part)
                    yield _Tally(own, self._background, self)

    def see(self, graph: Any, terms: set[Any]) -> None:
        """Count an item, whose graph has these terms."""
        from ...semantics.rdf.evaluation import solutions

        self.absent -= terms
        if not self._wanted <= terms and not self._background:
            return

        def matches(group: Any) -> bool:
            return bool(solutions(group, graph, self._background))

        if matches(self._group):
            self.matched += 1
        elif self._conditions and not self.matched and matches(self._without):
            self.unfiltered += 1
            for n, group in enumerate(self._with_one):
                self._satisfied[n] += matches(group)

    def false_condition(self, prefixes: Mapping[str, str]) -> str:
        """Return the FILTER that is never true; "" if no FILTER is the reason."""
        from ...semantics.model.pretty_printing import text_of
        from ...semantics.rdf.syntax.printing import Shortener
        from ...semantics.rdf.syntax.tree import Prologue

        if self.matched or not self.unfiltered:
            return ""
        never = [
            each for each, number in zip(self._conditions, self._satisfied, strict=True)
            if not number
        ]
        text = " and ".join(map(text_of, never[:1] or self._conditions))
        return Shortener(Prologue(prefixes=tuple(prefixes.items())))(text)


def _conditions(group: Any) -> Iterator[Any]:
    """Yield the FILTERs of a group and of the groups that it joins."""
    from ...semantics.rdf.syntax import tree as s

    for each in group.elements:
        if isinstance(each, s.Filter):
            yield each
        elif isinstance(each, s.UnionPattern) and len(each.alternatives) == 1:
            yield from _conditions(each.alternatives[0])


def _with_conditions(group: Any, kept: Sequence[Any]) -> Any:
    """Return the group with only these of its `_conditions`."""
    from ...semantics.rdf.syntax import tree as s

    elements = []
    for each in group.elements:
        if isinstance(each, s.UnionPattern) and len(each.alternatives) == 1:
            elements.append(s.UnionPattern((_with_conditions(each.alternatives[0], kept),)))
        elif not isinstance(each, s.Filter) or any(each is one for one in kept):
            elements.append(each)
    return s.GroupGraphPattern(tuple(elements))


class GraphNames:
    """The IRIs that a query requires of items, and those of items and background graphs.

    At most 10,000 other names of items are stored, for suggestions.

    Attributes:
        unread: the number of watched streams that have not been read to the end.
    """

    def __init__(
        self, patterns: Sequence[Pattern], query: Query, kb: Mapping[Any, Any],
        prefixes: Mapping[str, str],
    ) -> None:
        from rdflib.term import URIRef, Variable

        from ...semantics.model.trees import find, outermost
        from ...semantics.rdf.syntax import tree as s

        self._prefixes = prefixes
        groups = tuple(outermost(query, s.GroupGraphPattern))
        but = (s.MinusPattern, s.Filter)
        graphs = tuple(find(groups, s.NamedGraphPattern, but=but))
        loose = [  # an item need not have each of their IRIs
            *find(groups, s.OptionalPattern, but=(*but, s.NamedGraphPattern)),
            *(each for each in find(groups, s.TriplePattern, but=but)
              if not isinstance(each.predicate, URIRef | Variable)),
        ]
        demanded = [iri for each in patterns for iri in _constants(each.part)]
        parts = tuple(each.part for each in patterns)
        on_items = [*_mentioned((*loose, *parts), s.NamedGraphPattern)]
        on_graphs = [*_mentioned(graphs)]
        self._named = dict.fromkeys(map(_namespace, (*demanded, *on_items, *on_graphs)))
        self._unseen = {
            **dict.fromkeys(on_graphs, "background graph"), **dict.fromkeys(on_items, "item"),
        }
        self._present: set[str] = set()
        self._predicates: set[Any] = set()
        self._any_item = False
        self.unread = 0
        for graph in kb.values():  # an item may be joined with it, or entailed by it
            for state in [graph] if isinstance(graph, frozenset) else [g for _, g in graph.changes]:
                self._note(state)
        # The template of a rule counts as well.
        self._note(
            (each.subject, each.predicate, each.object)
            for each in find(query, s.TriplePattern, but=s.GroupGraphPattern)
        )

    def see(self, graph: Iterable[Iterable[Any]]) -> None:
        """Record the graph of an item."""
        self._any_item = True
        self._note(graph)

    def watching(self, stream: Any) -> Any:
        """Return the stream, with its items recorded as they are read."""
        self.unread += 1
        from ...semantics.streams.live.reader import LiveStream

        if isinstance(stream, LiveStream):
            return stream.watched(self._look, self._end)
        return self._watched(stream)

    def _watched(self, stream: Iterable[Any]) -> Iterator[Any]:
        items = iter(stream)
        for item in items:
            self._look(item)
            yield item
            if self._is_complete:
                yield from items
        self._end()

    def _look(self, element: Any) -> None:
        if not self._is_complete and hasattr(element, "graph"):
            self.see(element.graph)

    @property
    def _is_complete(self) -> bool:
        return not self._unseen and self._named.keys() <= self._present

    def _end(self) -> None:
        self.unread -= 1

    def _note(self, graph: Iterable[Iterable[Any]]) -> None:
        from rdflib.term import URIRef

        for triple in graph:
            iris = [each for each in triple if isinstance(each, URIRef)]
            for iri in iris:
                space = _namespace(iri)
                if len(self._present) < MAX_NAMES or space in self._named:
                    self._present.add(space)
                self._unseen.pop(iri, None)
            if len(self._predicates) < MAX_NAMES:
                self._predicates.update(iris[1:2])

    def absent(self, reported: Iterable[Any] = (), *, likely: bool = False) -> tuple[str, ...]:
        """Return a note for each namespace and name in the query that is absent from the items.

        Args:
            reported: names that are reported elsewhere; they are omitted.
        """
        from ..cases.rdf_text import shortened

        if not self._any_item or self.unread:
            return ()
        present = sorted(self._present)
        names = sorted(shortened(each, self._prefixes) for each in self._predicates)
        notes = [
            f"no item has an IRI of the namespace '{each}'{nearest(each, present)}"
            for each in self._named if each not in self._present
        ]
        for iri, holder in self._unseen.items():
            if _namespace(iri) in self._present and iri not in reported:
                name = shortened(iri, self._prefixes)
                if (near := nearest(name, names)) or not likely:
                    notes.append(f"no {holder} has '{name}'{near}")
        return tuple(notes)


def _namespace(iri: str) -> str:
    """Return an IRI up to its last `#`, `/` or `:`."""
    return iri[: max(iri.rfind(mark) for mark in "#/:") + 1]


def _constants(group: Any) -> Iterator[Any]:
    """Yield the IRIs that an item must have for the pattern to match."""
    from rdflib.term import URIRef

    from ...semantics.rdf.syntax import tree as s

    for element in group.elements:
        if isinstance(element, s.TriplesBlock):
            for triple in element.triples:
                for part in (triple.subject, triple.predicate, triple.object):
                    if isinstance(part, URIRef):
                        yield part


def _mentioned(tree: Any, *elsewhere: type) -> Iterator[Any]:
    """Yield the IRIs of triple patterns and paths, except those that must be absent."""
    from rdflib.namespace import RDF, RDFS
    from rdflib.term import URIRef

    from ...semantics.model.trees import find
    from ...semantics.rdf.syntax import tree as s

    but = (s.MinusPattern, s.Filter, s.NegatedPropertySet, *elsewhere)
    triples = [(t.subject, t.predicate, t.object) for t in find(tree, s.TriplePattern, but=but)]
    for iri in find(tuple(triples), URIRef, but=but):
        if _namespace(iri) not in (str(RDF), str(RDFS)):  # entailed, perhaps
            yield iri


def pattern_text(group: Any, prefixes: Mapping[str, str]) -> str:
    """Return the triple patterns of a group, or of each branch of its UNION, on one line."""
    from rdflib.term import BNode, Literal, URIRef, Variable

    from ...semantics.model.trees import find
    from ...semantics.rdf.syntax import tree as s
    from ..cases.rdf_text import shortened

    def text(part: Any) -> str:
        if isinstance(part, Variable):
            return f"?{part}"
        is_term = isinstance(part, URIRef | BNode | Literal)
        return shortened(part, prefixes) if is_term else "…"

    match group:
        case s.GroupGraphPattern((s.UnionPattern(alternatives),)):
            return " UNION ".join(pattern_text(each, prefixes) for each in alternatives)
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
    present: set[str] = set()
    for name, stream in streams.items():
        rows = 0
        for batch in stream.batches():
            for each in batch.column(TYPE).value_counts().to_pylist():
                known = types[name]
                known[each["values"]] = known.get(each["values"], 0) + each["counts"]
            present.update(
                column for column in batch.schema.names
                if batch.column(column).null_count < batch.num_rows
            )
            rows += batch.num_rows
            if rows >= MAX_ITEMS:
                break
    counts = []
    for name, stream, event, _ in patterns:
        on = [each for each in streams if stream in (None, str(each))]
        matched = sum(types[each].get(event, 0) for each in on)
        near = sorted(set().union(*(types[each] for each in on)))
        absent = () if matched else (f"the type {event}{nearest(event, near)}",)
        items = sum(sum(types[each].values()) for each in on)
        counts.append(PatternCount(name, ", ".join(map(str, on)), items, matched, absent))
    notes = tuple(
        f"attribute '{name}' does not occur in the input{nearest(name, sorted(present - {TYPE}))}"
        for name in attributes if present and name not in present
    )
    return PatternCounts(counts, notes)


MAX_EVENTS = 2_000
"""The number of items on which prefixes are evaluated; longer input is skipped."""
MAX_MATCHES = 1_000
"""The number of matches of a prefix that are counted."""


def sequence_break(
    language: Language, query: Query, streams: Mapping[Any, tuple[Any, ...]],
    kb: Mapping[Any, Any], readings: Any, evaluation: Mapping[str, Any],
) -> str:
    """Return where a sequence breaks off, by the production engine; "" if it does not.

    Also return "" for a language without `beginnings`, and for more than 2,000 items.
    """
    if not has(language.name, "beginnings") or sum(map(len, streams.values())) > MAX_EVENTS:
        return ""

    listed = {"at": evaluation["at"]} if "at" in evaluation else {}

    def found(
        own: Query, own_readings: Any, most: int = 1, *, at: Mapping[str, Any] = evaluation
    ) -> int:
        results = language.run(
            own, streams=streams, kb=kb, readings=own_readings, evaluation=at
        )
        rows = (row for each in results for row in language.flat_rows(each, own, own_readings))
        return sum(1 for _ in islice(rows, most))

    def broken(beginnings: Sequence[Beginning]) -> str:
        each = next((each for each in beginnings if not found(each.query, readings)), None)
        if each is None:
            return ""
        parts = [(one,) for one in each.operands] if each.inside else [each.operands]
        if inside := "; ".join(filter(None, map(broken, parts))):
            return f"{each.inside}: {inside}" if each.inside else inside
        number = 0  # the matches of a single pattern are counted elsewhere
        if each.before and each.operands and each.operands[0].operands:
            number = found(each.operands[0].query, readings, MAX_MATCHES)
        reason = next((
            but for but, own, its, anytime in each.relaxed
            if found(own, its, at=listed if anytime else evaluation)
        ), "")
        if not reason and listed and found(each.query, readings, at={}):
            reason = "not at the given times of evaluation"
        return _break_text(each, number, reason)

    try:
        return broken(part_of(language.name, "beginnings").beginnings(query, readings))
    except DenotaError:  # a part of a query may be invalid alone
        return ""


def _break_text(beginning: Beginning, number: int, reason: str) -> str:
    """Return a sentence on a prefix with `number` matches, 0 if unknown."""
    before, last = beginning.before, beginning.last
    if not before:
        return f"{last} never matches" if not reason else f"{last} matches, but {reason}"
    if number:
        times = f"{number:,} match{'es' * (number != 1)}"
        before += f" ({'at least ' * (number == MAX_MATCHES)}{times})"
    if beginning.apart:
        return f"{before} and {last} match, but {reason or beginning.apart}"
    follows = f"{last} follows, but {reason}" if reason else f"no {last} follows"
    return f"the sequence breaks off after {before}: {follows}"
