"""Empty named graphs: `:g { }` states an item in which nothing is said.

An RDF graph may be empty (RDF 1.1 Concepts, 3), and an event of an empty graph still happens: it
stands between two others, and matches no pattern. Parsers report quads, so they pass over it; where
a time has no triples next to it, the text that was read tells whether there is an empty graph.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...model.terms import Term
from ..files.formats import Format
from .quads import QuadReader

_TRIG_TOKEN = re.compile(
    r'''(?P<skipped>\#[^\n]*
        | """(?:[^"\\]|\\.|"{1,2}(?!"))*""" | \'\'\'(?:[^'\\]|\\.|'{1,2}(?!'))*\'\'\'
        | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*')
      | (?P<token> <[^<>"{}|^`\s]*> | [{}] | [^\s{}<>"'\#]+ )''',
    re.VERBOSE | re.DOTALL,
)
_ENDS_OF_LONG_STRINGS = tuple(map(re.compile, ('"""', "'''")))
_ENDS_OF_TOKENS = tuple(map(re.compile, ('"+', "'+", ">", "\n")))


def states_empty_graph(reader: QuadReader, format: Format, name: Term) -> bool:
    """Does the text that was read since the item before the last state an empty graph so named?"""
    if format is not Format.TRIG:
        return False
    document = reader.document
    text = b"".join(document.recent).decode("utf-8", "replace")
    return any(
        reader.graph_named(written) == name
        for start in _token_starts(text, document.recent_from_line_start)
        for written in set(_emptied(text[start:]))
    )


def _token_starts(text: str, from_line_start: bool) -> Iterator[int]:
    """Where a token might begin, if the text begins inside of one: a string, an IRI, a comment."""
    yield 0
    for end in _ENDS_OF_LONG_STRINGS if from_line_start else _ENDS_OF_TOKENS:
        found = end.search(text)
        if found:
            yield found.end()


def _emptied(text: str) -> Iterator[str]:
    """The names, as written, before `{ }`."""
    name = opened = ""
    for match in _TRIG_TOKEN.finditer(text):
        token = match["token"]
        if token is None:
            continue
        if token == "}" and opened:
            yield opened
        opened = name if token == "{" else ""
        name = token
