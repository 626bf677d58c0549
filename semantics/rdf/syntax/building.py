"""From lark's parse trees to syntax trees: what the builders of all languages have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedInput, VisitError
from lark.tree import Meta

from ...model.errors import DenotaError, Position, QueryError
from .errors import syntax_error

BuilderT = TypeVar("BuilderT", bound="type[Builder]")


class Builder(Transformer[Token, Any]):
    """Turns a parse tree into a syntax tree: a method a rule, one instance a text.

    Rules of which a construct takes just what they have are told by `builds` instead.
    """

    def __init__(self, *, source: str | None = None) -> None:
        super().__init__(visit_tokens=False)  # there are no rules for single tokens
        self.source = source

    def prepared(self, text: str) -> str:
        """The text that the parser is to see."""
        return text

    def error(self, message: str, place: Meta | Token | Position | None = None) -> QueryError:
        """A QueryError at this place of this source."""
        position = place if isinstance(place, Position) else at(place)
        return QueryError(
            message, source=self.source, line=position.line, column=position.column
        )

    def explain(self, error: UnexpectedInput, parser: Lark, text: str) -> QueryError:
        """What lark's error says in plain words; a language adds what its users get wrong."""
        return syntax_error(error, parser, text, self.source)


def builds(constructs: Mapping[str, Callable[..., Any]]) -> Callable[[BuilderT], BuilderT]:
    """Says of rules what they build: a construct of their parts in turn, and of their place.

    A construct of one tuple takes all parts as it. Tokens become strings; those for which no field
    is left (the sign of an operator) go. `tuple` and `list` take the parts as they are.
    """

    def add(builder: BuilderT) -> BuilderT:
        for rule, construct in constructs.items():
            setattr(builder, rule, v_args(meta=True)(_build(construct)))
        return builder

    return add


def _build(construct: Callable[..., Any]) -> Callable[[Builder, Meta, list[Any]], Any]:
    if not is_dataclass(construct):
        return lambda self, meta, parts: construct(parts)
    make: Callable[..., Any] = construct
    named = [field for field in fields(construct) if field.name != "position"]
    placed = len(named) < len(fields(construct))
    all_in_one = len(named) == 1 and str(named[0].type).startswith("tuple[")

    def build(self: Builder, meta: Meta, parts: list[Any]) -> Any:
        if len(parts) > len(named) and not all_in_one:
            parts = [part for part in parts if not isinstance(part, Token)]
        parts = [str(part) if isinstance(part, Token) else part for part in parts]
        place = {"position": at(meta)} if placed else {}
        return make(tuple(parts), **place) if all_in_one else make(*parts, **place)

    return build


def parse_text(parser: Lark, builder: Builder, text: str, start: str) -> Any:
    """Parse `text` from the rule `start` and build its tree; every failure is a DenotaError."""
    text = builder.prepared(text)
    try:
        return builder.transform(parser.parse(text, start=start))
    except UnexpectedInput as error:
        raise builder.explain(error, parser, text) from None
    except VisitError as error:
        if isinstance(error.orig_exc, DenotaError):
            raise error.orig_exc from None
        raise error.orig_exc from error
    except RecursionError:
        raise QueryError("the query is nested too deeply", source=builder.source) from None


def at(place: Meta | Token | None) -> Position:
    """Where a token or a rule's first token stands."""
    line, column = getattr(place, "line", None), getattr(place, "column", None)
    return Position(line or 0, column or 0)
