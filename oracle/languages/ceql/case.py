"""A CEQL query with its streams and readings, as generators and the shrinker handle it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rdflib.term import URIRef

from ....semantics.ceql.syntax.readings import Readings
from ....semantics.ceql.syntax.results import ComplexEvent
from ....semantics.ceql.syntax.tree import CeqlQuery
from ....semantics.model.tuples import EventTuple, merged
from ...cases.shown import ShownAsCase
from ..readings import non_default

if TYPE_CHECKING:
    from ....semantics.ceql.later_language import Choice
    from ...cases.reading import Case

Streams = Mapping[str, tuple[EventTuple, ...]]


@dataclass(frozen=True, repr=False)
class CeqlCase(ShownAsCase):
    """What a CEQL query is asked on: ⟦Q⟧(S), S merged from named streams, under some readings."""

    query: CeqlQuery
    streams: Streams
    readings: Readings = field(default=Readings())

    def merged(self) -> list[EventTuple]:
        """S"""
        return list(merged(self.streams, self.query.streams))

    def denotation(self) -> frozenset[ComplexEvent]:
        """What the definitions say; where they leave a choice, the first of what is right."""
        from ....semantics.ceql.later_language import evaluate

        return evaluate(self.query, self.merged(), self.readings)

    def choices(self) -> tuple[Choice, ...]:
        """What the definitions say, with what they leave open."""
        from ....semantics.ceql.later_language import choices

        return choices(self.query, self.merged(), self.readings)

    def matches(self) -> Iterator[ComplexEvent]:
        """What the production engine emits, in its order."""
        from .language import LANGUAGE

        return LANGUAGE.run(
            self.query,
            streams={URIRef(name): stream for name, stream in self.streams.items()},
            kb={},
            readings=self.readings,
            evaluation={},
        )

    def case(self) -> Case:
        """The same as a conformance case, without an expectation; the streams are CSV."""
        from ...cases.reading import Case
        from ...cases.tuple_sources import table_of

        return Case(
            language="ceql",
            query=self.query,
            streams={URIRef(name): table_of(s, name) for name, s in self.streams.items()},
            readings=non_default(self.readings),
        )

    @classmethod
    def of(cls, case: Case) -> CeqlCase:
        """The data of a CEQL conformance case; raises what is wrong with its texts."""
        task = case.task()
        return cls(
            query=task.tree,
            streams={str(name): tuple(stream) for name, stream in task.streams.items()},
            readings=Readings.of(case.readings),
        )
