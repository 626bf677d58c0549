"""Grammars, compiled once, and the builders of syntax trees that all languages share.

A language's `grammar.lark` may import rules and terminals of another by the path below `semantics`:
`%import rdf.syntax.grammar (prologue, group_graph_pattern, iri, var, WS, COMMENT)`. Names that are
not listed there arrive as `rdf__syntax__grammar__name`; `PatternTransformer` knows them under
either name. What is ignored between tokens is not imported: say `%ignore WS` and `%ignore COMMENT`
again.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from lark import Lark, Token, Transformer, Tree, v_args
from lark import __version__ as lark_version
from lark.exceptions import UnexpectedInput, VisitError
from lark.tree import Meta

from ...model.errors import DenotaError, Position, QueryError
from ...model.trees import directly_inside
from .errors import syntax_error

SEMANTICS = Path(__file__).parents[2]


@cache
def load_grammar(name: str, start: tuple[str, ...]) -> Lark:
    """Return the LALR parser of a grammar file below `semantics`: "rdf/syntax/grammar.lark"."""
    return Lark.open(
        str(SEMANTICS / name),
        start=list(start),
        parser="lalr",
        lexer="contextual",
        propagate_positions=True,
        maybe_placeholders=False,
        import_paths=[str(SEMANTICS)],
        cache=_cache_file(name, start),
    )


def _cache_file(name: str, start: tuple[str, ...]) -> str | bool:
    """Return the path of the compiled tables in the user's cache folder; False if there is none.

    Lark itself compares the content of the grammar and of all it imports, and rebuilds.
    """
    root = os.environ.get("XDG_CACHE_HOME")
    try:
        folder = (Path(root) if root else Path.home() / ".cache") / "denota"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return False
    if not os.access(folder, os.W_OK):
        return False
    version = f"python{sys.version_info.major}.{sys.version_info.minor}-lark{lark_version}"
    subject = name.removesuffix(".lark").replace("/", "-")
    return str(folder / f"{subject}-{'-'.join(start)}-{version}.tables")


BuilderT = TypeVar("BuilderT", bound="type[Builder]")


class Builder(Transformer[Token, Any]):
    """Turns a parse tree into a syntax tree: a method a rule, one instance a text.

    Rules of which a construct takes just what they have are told by `builds` instead.
    """

    def __init__(self, *, source: str | None = None) -> None:
        super().__init__(visit_tokens=False)  # there are no rules for single tokens
        self.source = source

    def prepared(self, text: str) -> str:
        """Return the text that the parser is to see."""
        return text

    def error(self, message: str, place: Meta | Token | Position | None = None) -> QueryError:
        """Return a QueryError at this place of this source."""
        position = place if isinstance(place, Position) else at(place)
        return QueryError(
            message, source=self.source, line=position.line, column=position.column
        )

    def explain(self, error: UnexpectedInput, parser: Lark, text: str) -> QueryError:
        """Return lark's error in plain words; a language adds its users' common errors."""
        return syntax_error(error, parser, text, self.source)


def builds(constructs: Mapping[str, Callable[..., Any]]) -> Callable[[BuilderT], BuilderT]:
    """Return a decorator: rules build a construct of their parts in turn, and of their place.

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
    """Parse `text` from the rule `start` and build its tree; every failure is a DenotaError.

    Evaluators, compilers and printers recur over trees. A tree that they could not walk within
    Python's limit of recursion is refused here, and nowhere else.
    """
    text = builder.prepared(text)
    collects = gc.isenabled()
    gc.disable()  # all that is made is kept: a collection in between finds nothing, and costs 30 %
    try:
        parsed = parser.parse(text, start=start)
        if (watch := WATCHED.get()) is not None:
            watch(parser, start, parsed)
        _check_depth(parsed, _children_of_parse_tree, _MAX_PARSE_DEPTH, builder)
        built = builder.transform(parsed)
    except UnexpectedInput as error:
        raise builder.explain(error, parser, text) from None
    except VisitError as error:
        if isinstance(error.orig_exc, DenotaError):
            raise error.orig_exc from None
        raise error.orig_exc from error
    finally:
        if collects:
            gc.enable()
    _check_depth(built, _parts_of_tree, _MAX_DEPTH, builder)
    return built


WATCHED: ContextVar[Callable[[Lark, str, Tree[Token]], object] | None] = ContextVar(
    "watched", default=None
)
"""Called with each parser, the rule that it began with, and the parse tree; None: nobody is."""

_MAX_PARSE_DEPTH = 300
_MAX_DEPTH = 200
"""Levels of a syntax tree, in which a group counts twice. The deepest call over such a tree takes
some 640 of the 1,000 frames that Python allows, so that 350 are left to the caller."""


def _check_depth(
    root: Any, inside: Callable[[Any], tuple[int, Any, Iterable[Any]]], most: int, builder: Builder
) -> None:
    """Raise a QueryError at the first part that has more than `most` levels around it.

    `inside` returns the levels that a part counts for, its place and the parts directly in it.
    """
    waiting: list[tuple[Any, int, Any]] = [(root, 0, None)]
    while waiting:
        part, depth, place = waiting.pop()
        levels, own, parts = inside(part)
        depth += levels
        place = own or place
        if depth > most:
            raise builder.error("the query is nested too deeply", place)
        waiting.extend([(each, depth, place) for each in reversed([*parts])])


def _children_of_parse_tree(part: Any) -> tuple[int, Any, Iterable[Any]]:
    if not isinstance(part, Tree):
        return 0, None, ()
    return 1, None if part.meta.empty else part.meta, part.children


def _parts_of_tree(part: Any) -> tuple[int, Any, Iterable[Any]]:
    if is_dataclass(part):
        place = getattr(part, "position", None)
        levels: int = getattr(part, "LEVELS", 1)
        return levels, place if place and place.line else None, directly_inside(part)
    return 0, None, part if isinstance(part, tuple | list) else ()


def at(place: Meta | Token | None) -> Position:
    """Return the position of a token or of a rule's first token."""
    line, column = getattr(place, "line", None), getattr(place, "column", None)
    return Position(line or 0, column or 0)
