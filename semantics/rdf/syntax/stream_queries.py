"""The syntax that the languages of windows over RDF streams share, beside SPARQL's patterns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lark import Token, v_args
from lark.tree import Meta
from rdflib.term import URIRef

from ...model.errors import Position
from ...model.stream_operator import StreamOperator
from . import tree as s
from .parse import NO_PROLOGUE, STREAM_PREFIXES, PatternTransformer
from .tree_builder import at


@dataclass(frozen=True, slots=True)
class Registered:
    """REGISTER … AS; an operator in the query form says the same."""

    operator: StreamOperator | None
    position: Position
    output: URIRef | None = None


class StreamQueryBuilder(PatternTransformer):
    """Adds REGISTER and the stream operators, which may be said twice, but not differently."""

    predeclared = STREAM_PREFIXES

    def __init__(
        self, text: str = "", *, prologue: s.Prologue = NO_PROLOGUE, source: str | None = None
    ) -> None:
        super().__init__(text, prologue=prologue, source=source)
        self._registered: list[Registered] = []

    @v_args(meta=True)
    def register(self, meta: Meta, children: Sequence[Any]) -> Registered:
        operator, *output = children
        registered = Registered(operator, at(meta), output[0] if output else None)
        self._registered.append(registered)
        return registered

    def registered(self, children: Sequence[Token]) -> StreamOperator | None:
        word = children[0].upper()
        return StreamOperator(word) if word in StreamOperator.__members__ else None

    def stream_operator(self, children: Sequence[Token]) -> StreamOperator:
        operator = StreamOperator(children[0].upper())
        self._registered.append(Registered(operator, at(children[0])))
        return operator

    @property
    def output(self) -> URIRef | None:
        """The name that REGISTER gives."""
        return next((each.output for each in self._registered if each.output is not None), None)

    def single_operator(self) -> StreamOperator | None:
        """Return the stream operator, if one is named; two are an error."""
        named = [each for each in self._registered if each.operator is not None]
        for other in named[1:]:
            if other.operator is not named[0].operator:
                raise self.error(
                    f"the query is {named[0].operator} and {other.operator} at once", other.position
                )
        return named[0].operator if named else None
