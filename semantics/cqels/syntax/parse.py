"""The parser from text to CQELS-CEP's syntax tree.

Square brackets hold a nested test of a path, or a blank node: `elt[elt]` and `?s :p [ :q ?o ]` look
alike to a parser that sees one token ahead. What tells them apart is what stands after the closing
bracket: a test is followed by the rest of its path or by the object, a blank node ends its triple.
Brackets of a test are replaced, one character by one, so that every place in the text stays what it
was.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

from lark import Lark, Token, v_args
from lark.exceptions import UnexpectedInput
from lark.tree import Meta
from rdflib.term import Literal, URIRef, Variable

from ...model.errors import Position, QueryError
from ...model.time import duration_at
from ...model.trees import find
from ...rdf.syntax.scoping import check_group
from ...rdf.syntax.stream_queries import StreamQueryBuilder
from ...rdf.syntax.tree import (
    Axis,
    AxisPath,
    Filter,
    GroupGraphPattern,
    NestedPath,
    NodeTest,
    Path,
    Projection,
    TriplePattern,
)
from ...rdf.syntax.tree_builder import at, builds, load_grammar, parse_text
from .analysis import refuse_what_has_no_meaning
from .tree import (
    AllWindow,
    CqelsQuery,
    NowWindow,
    PatternElement,
    RangeWindow,
    Span,
    TripleSequence,
    TriplesWindow,
    WindowClause,
    WindowElement,
    WindowFunction,
    WindowPattern,
    WindowSequence,
)

OPEN, CLOSE = "\x01", "\x02"

_TOKEN = re.compile(
    r"""(?P<space>\s+|\#[^\n\r]*)
    |\"\"\"(?:[^"\\]|\\.|"(?!""))*\"\"\"|'''(?:[^'\\]|\\.|'(?!''))*'''
    |"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'
    |<[^<>"{}|^`\\\x00-\x20]*>
    |[?$]\w+
    |(?:[\w:%]|[-.](?=[\w:%-])|\\.)+
    |.""",
    re.VERBOSE | re.DOTALL,
)
_IN_PATHS = ("/", "|", "^", "!")
_AFTER_ELEMENT = ("/", "|", "+", "*", "?", "[", "(")


def marked(text: str) -> str:
    """Return the text with the brackets of nested tests replaced by OPEN and CLOSE."""
    if "[" not in text:
        return text
    places = _Brackets(text).tests
    if not places:
        return text
    characters = list(text)
    for begin, end in places:
        characters[begin], characters[end] = OPEN, CLOSE
    return "".join(characters)


def unmarked(text: str) -> str:
    """Return the text as it was written."""
    return text.replace(OPEN, "[").replace(CLOSE, "]")


class _Brackets:
    """The tokens of a text, with every bracket's partner."""

    def __init__(self, text: str) -> None:
        matches = [match for match in _TOKEN.finditer(text) if match["space"] is None]
        self.tokens = [match[0] for match in matches]
        self.offsets = [match.start() for match in matches]
        self.partner: dict[int, int] = {}
        self.enclosing: dict[int, int] = {}
        waiting: list[int] = []
        for place, token in enumerate(self.tokens):
            if token in ("[", "("):
                if waiting:
                    self.enclosing[place] = waiting[-1]
                waiting.append(place)
            elif token in ("]", ")") and waiting:
                opening = waiting.pop()
                if self.tokens[opening] + token in ("[]", "()"):
                    self.partner[opening] = place

    @cached_property
    def tests(self) -> list[tuple[int, int]]:
        """The offsets of the brackets of every test."""
        return [
            (self.offsets[place], self.offsets[self.partner[place]])
            for place in self.partner
            if self.tokens[place] == "[" and self.is_test(place)
        ]

    def token(self, place: int) -> str:
        return self.tokens[place] if 0 <= place < len(self.tokens) else ""

    def is_test(self, place: int) -> bool:
        before, end = self.token(place - 1), self.partner.get(place)
        if end is None or end == place + 1:
            return False
        # Where a verb must stand, no blank node can.
        if before in ("/", "|", "^", ";", "[") or before.endswith("::"):
            return True
        if before == "(":
            return self.is_group(place - 1) and self.goes_on(end, place)
        return before not in ("", ".", ",", "{", "}", "!") and self.goes_on(end, place)

    def is_group(self, place: int) -> bool:
        """Return True if a round bracket groups a path; else it is a collection or expression."""
        before, end = self.token(place - 1), self.partner.get(place)
        if end is None or before in (".", ",", "{", "}"):
            return False
        return before in _IN_PATHS or self.goes_on(end, place)

    def goes_on(self, end: int, opening: int) -> bool:
        """Return True if a path continues after its bracket at `end`, or its object follows."""
        after = self.token(end + 1)
        if after in ("]", ")"):
            outer = self.enclosing.get(opening)
            if outer is None:
                return False
            return self.is_test(outer) if after == "]" else self.is_group(outer)
        return after in _AFTER_ELEMENT or _is_term(after)


def _is_term(token: str) -> bool:
    if token[:1] in ("<", '"', "'", "?", "$", "-", "+"):
        return len(token) > 1
    if ":" in token or token[:1].isdigit():
        return True
    return token.lower() in ("true", "false")


def parse(text: str, *, source: str | None = "<query>") -> CqelsQuery:
    """Return the tree of a CQELS-CEP query (section 3.1).

    Raises QueryError, with line and column, for what does not follow the grammar, for windows that
    are unknown or given twice, and for a sequence with more than one negated element.
    """
    parser = load_grammar("cqels/syntax/grammar.lark", ("query",))
    builder = _Builder(text, source=source)
    return cast(CqelsQuery, parse_text(parser, builder, marked(text), "query"))


@dataclass(frozen=True, slots=True)
class _Form:
    """SELECT or CONSTRUCT."""

    select: tuple[Projection, ...] | None
    distinct: bool = False
    template: tuple[TriplePattern, ...] | None = None


@builds({
    "window_clause": WindowClause, "now_window": NowWindow, "all_window": AllWindow,
    "node_test": NodeTest, "bare_object": list,
})
class _Builder(StreamQueryBuilder):
    """Adds the rules of CQELS-CEP to those of graph patterns."""

    def __init__(self, text: str = "", *, source: str | None = None) -> None:
        super().__init__(text, source=source)
        self._inline: list[WindowClause] = []

    def explain(self, error: UnexpectedInput, parser: Lark, text: str) -> QueryError:
        explained = super().explain(error, parser, text)
        message = unmarked(explained.message)
        for name, shown in (("test", "'['"), ("end", "']'")):
            message = message.replace(f" {name},", f" {shown},").replace(
                f" {name} or", f" {shown} or"
            )
        return QueryError(
            message, source=self.source, line=explained.line, column=explained.column
        )

    def query(self, children: Sequence[Any]) -> CqelsQuery:
        clauses = list(filter(_is_clause, children))
        prologue, *_, form, where = (c for c in children if not _is_clause(c))
        query = CqelsQuery(
            form.select,
            tuple(c for c in clauses if isinstance(c, WindowClause)) + tuple(self._inline),
            where,
            tuple(iri for named, iri in _graphs(clauses) if not named),
            tuple(iri for named, iri in _graphs(clauses) if named),
            form.distinct,
            prologue,
            form.template,
            self.single_operator(),
            self.output,
        )
        refuse_what_has_no_meaning(query, self.error)
        return query

    def select(self, children: Sequence[Any]) -> _Form:
        items = tuple(c for c in children if isinstance(c, Projection))
        distinct = any(str(c) in ("DISTINCT", "REDUCED") for c in children)
        return _Form(items or None, distinct)

    def construct(self, children: Sequence[Any]) -> _Form:
        template = children[-1]
        variables = dict.fromkeys(find(template, Variable))
        return _Form(tuple(map(Projection, variables)), template=template)

    # --- windows ----------------------------------------------------------------------------

    def range_window(self, children: Sequence[Any]) -> WindowFunction:
        width, *slide = children
        if not slide:
            return RangeWindow(width)
        beta = width if isinstance(slide[0], Token) else slide[0]
        if beta.kind is not width.kind:
            raise self.error("RANGE and SLIDE need the same unit", beta.position)
        if beta.value <= 0:
            raise self.error("a window must slide by more than 0", beta.position)
        return RangeWindow(width, replace(beta, position=width.position) if beta is width else beta)

    def triples_window(self, children: Sequence[Token]) -> WindowFunction:
        size, _ = duration_at(children, self.source, at(children[0]))
        if size <= 0:
            raise self.error("a window must hold more than 0 triples", children[0])
        return TriplesWindow(size)

    @v_args(meta=True)
    def span(self, meta: Meta, children: Sequence[Token | Literal]) -> Span:
        place = at(meta)
        value, kind = duration_at(children, self.source, place)
        if value < 0:
            raise self.error("a window cannot be shorter than 0", place)
        return Span(value, kind, place)

    @v_args(meta=True)
    def window_pattern(self, meta: Meta, children: Sequence[Any]) -> WindowPattern:
        name, *inline, body = children
        if inline:
            stream, function = inline
            self._inline.append(WindowClause(name, stream, function, at(meta)))
        return WindowPattern(name, body, at(meta))

    # --- sequences --------------------------------------------------------------------------

    @v_args(meta=True)
    def triple_sequence(self, meta: Meta, children: Sequence[Any]) -> TripleSequence:
        elements = tuple(child for child in children if isinstance(child, PatternElement))
        filters = tuple(child for child in children if isinstance(child, Filter))
        self._refuse_negations(elements, at(meta))
        return TripleSequence(elements, filters)

    @v_args(meta=True)
    def pattern_element(self, meta: Meta, children: Sequence[Any]) -> PatternElement:
        *negation, pattern = children
        return PatternElement(pattern, bool(negation), at(meta))

    @v_args(meta=True)
    def bare_pattern(self, meta: Meta, children: Sequence[Any]) -> GroupGraphPattern:
        group = GroupGraphPattern((self.triples_block(children),))
        check_group(group, self.error, at(meta))
        return group

    @v_args(meta=True)
    def bare_triples(self, meta: Meta, children: Sequence[Any]) -> Any:
        return self.triples_same_subject_path(meta, children)

    @v_args(meta=True)
    def bare_properties(self, meta: Meta, children: Sequence[Any]) -> Any:
        return self.property_list_path_not_empty(meta, children)

    @v_args(meta=True)
    def window_sequence(self, meta: Meta, children: Sequence[WindowElement]) -> WindowSequence:
        self._refuse_negations(children, at(meta))
        return WindowSequence(tuple(children), at(meta))

    @v_args(meta=True)
    def window_element(self, meta: Meta, children: Sequence[Any]) -> WindowElement:
        *negation, name = children
        return WindowElement(name, bool(negation), at(meta))

    def _refuse_negations(
        self, elements: Sequence[PatternElement] | Sequence[WindowElement], place: Position
    ) -> None:
        """Section 3.2: at most one element of a sequence is negated; one at least is not."""
        negated = [element for element in elements if element.negated]
        if len(negated) > 1:
            raise self.error(
                "a sequence has at most one negated element, this is the second",
                negated[1].position,
            )
        if len(negated) == len(elements):
            raise self.error("a sequence needs an element that is not negated", place)

    # --- paths ------------------------------------------------------------------------------

    def nested_path(self, children: Sequence[Any]) -> Path:
        path, test, *object_ = children
        return NestedPath(path, NodeTest(test, object_[0]) if object_ else test)

    def axis_path(self, children: Sequence[Any]) -> Path:
        first = children[0]
        if isinstance(first, Token):
            axis, inverse = _axis(first)
            return AxisPath(axis, inverse)
        return cast(Path, first)

    def labelled_axis(self, children: Sequence[Any]) -> Path:
        axis, inverse = _axis(children[0])
        label = children[1]
        if isinstance(label, Token):  # a bare name, as the paper has them: of the prefix ':'
            label = self.iri([label.update(value=f":{label}")])
        return AxisPath(axis, inverse, label=label)

    def nested_axis(self, children: Sequence[Any]) -> Path:
        axis, inverse = _axis(children[0])
        return AxisPath(axis, inverse, nested=children[1])


def _is_clause(child: object) -> bool:
    return isinstance(child, WindowClause | tuple)


def _graphs(clauses: Sequence[Any]) -> list[tuple[bool, URIRef]]:
    return [clause for clause in clauses if not isinstance(clause, WindowClause)]


def _axis(token: Token) -> tuple[Axis, bool]:
    written = str(token).removesuffix("::")
    name = written.rstrip("^-1⁻¹")
    return Axis(name), name != written
