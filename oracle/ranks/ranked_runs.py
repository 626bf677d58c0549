"""A run: cases with consecutive ranks and one query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rdflib.term import URIRef

from ..languages.enumeration import Enumeration
from ..languages.readings import non_default
from ..sweeps.corpus_cases import background_text
from ..sweeps.corpus_file import CorpusRow, json_text
from .numbered_streams import NumberedStreams


@dataclass(frozen=True)
class Run:
    """The cases from the rank `first` on that have one query, which differ in their streams.

    `number` is the first one's place in its block. `streams` are the streams of each as numbers:
    `given` makes what the data model has of them, `row` a text.
    """

    first: int
    number: int
    query: Any
    enumeration: Enumeration[Any, Any, Any]
    about: Any
    streams: NumberedStreams
    operators: int
    events: int

    def __len__(self) -> int:
        return len(self.streams)

    @property
    def language(self) -> str:
        """The name of the query's language."""
        return self.enumeration.language

    @property
    def readings(self) -> Any:
        """The readings of all cases."""
        return self.enumeration.readings

    @cached_property
    def beside(self) -> Mapping[str, Any]:
        """What all cases have beside query and streams, by `kb` and `evaluation`, if anything."""
        return self.enumeration.beside(self.about)

    @cached_property
    def text(self) -> str:
        """The query's text."""
        return self.enumeration.text(self.query)

    def given(self, i: int) -> Mapping[URIRef, tuple[Any, ...]]:
        """The streams of a case, as `Case.streams` has them; equal graphs are the same object."""
        return self.enumeration.items(self.about, self.streams[i])

    def row(self, i: int) -> CorpusRow:
        """A case as a row of a corpus."""
        enumeration = self.enumeration
        return CorpusRow(
            id=f"{enumeration.called}-{self.operators}-{self.events}-{self.number + i:07d}",
            language=self.language,
            query=self.text,
            prefixes=json_text(enumeration.prefixes),
            streams=enumeration.written(self.about, self.streams[i]),
            kb=self._background,
            readings=json_text(non_default(self.readings)),
            evaluate=json_text(self.beside.get("evaluation", {})),
            operators=self.operators,
            events=self.events,
        )

    @cached_property
    def _background(self) -> str:
        prefixes, graphs = self.enumeration.prefixes, self.beside.get("kb", {})
        return json_text({
            str(name): background_text(each, prefixes) for name, each in graphs.items()
        })
