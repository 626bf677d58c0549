"""C-SPARQL's, CQELS's and SPARQLstream's ways to write windows, as RSEP-QL.

    C-SPARQL      FROM STREAM <s> [RANGE 10s STEP 2s]               the windows' content is a part
                  FROM STREAM <s> [RANGE 10s TUMBLING]              of the default graph
                  FROM STREAM <s> [RANGE TRIPLES 10]
    SPARQLstream  FROM NAMED STREAM <s> [NOW - 10 S SLIDE 2 S]      the same
                  FROM STREAM <s> [FROM NOW - 10 S TO NOW STEP 2 S]
    CQELS         STREAM <s> [RANGE 10s SLIDE 2s] { … }             within WHERE: the block looks
                  STREAM <s> [TRIPLES 10] { … }                     at its window only

C-SPARQL's REGISTER QUERY name [COMPUTED EVERY …] AS is passed over, and its timestamp() becomes
SEQ^n (`timestamps`). Only the clauses are rewritten,
each on its own line, so that the lines of error messages stay those of the text. A CQELS window
[NOW] is one time unit; [TRIPLES n] and [RANGE TRIPLES n] count items, not triples: they are the
same thing where an item is a triple, as it is for these engines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from ...model.errors import DenotaError
from .parse import parse
from .timestamps import timestamps_as_sequences
from .tree import RsepqlQuery

Dialect: TypeAlias = Literal["rsepql", "csparql", "sparqlstream", "cqels"]


class Translation(NamedTuple):
    """Whose language a text was in, and the same query in RSEP-QL."""

    dialect: Dialect
    text: str


class Understood(NamedTuple):
    """Whose language a text was in, and its tree in RSEP-QL."""

    dialect: Dialect
    query: RsepqlQuery


_IRI = r"(?P<iri><[^<>\"{}|^`\\\s]*>|[\w.-]*:[\w.-]*)"
_WINDOW = r"\[(?P<window>[^\]]*)\]"
_FROM_STREAM = re.compile(rf"\bFROM\s+(?P<named>NAMED\s+)?STREAM\s+{_IRI}\s*{_WINDOW}",
                          re.IGNORECASE)
_STREAM = re.compile(rf"(?<!ON )\bSTREAM\s+{_IRI}\s*{_WINDOW}\s*(?=\{{)", re.IGNORECASE)
_WHERE = re.compile(r"\bWHERE\s*\{", re.IGNORECASE)
_REGISTER = re.compile(
    r"\bREGISTER\s+(?P<kind>QUERY|STREAM)\s+\S+\s+(?:COMPUTED\s+EVERY\s+\w+\s+)?AS\b",
    re.IGNORECASE,
)
_HIDDEN = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"'
    r"|'''(?:[^'\\]|\\.|'(?!''))*'''|'(?:[^'\\\n]|\\.)*'"
    r"|<[^<>\"{}|^`\\\s]*>|\#[^\n]*",
    re.DOTALL,
)
_NOW = re.compile(
    r"(?:FROM\s+)?NOW\s*-\s*(?P<range>[\w.]+(?:\s+[A-Za-z]+?)?)(?:\s+TO\s+NOW(?:\s*-\s*0\s*\w*)?)?"
    r"(?:\s+(?:SLIDE|STEP)\s+(?P<step>.+))?",
    re.IGNORECASE,
)
_RANGE = re.compile(
    r"RANGE\s+(?P<range>.+?)(?:\s+(?:SLIDE|STEP)\s+(?P<step>.+)|\s+(?P<tumbling>TUMBLING))?",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"(?:RANGE\s+)?TRIPLES\s+(?P<size>\d+)(?:\s+(?:SLIDE|STEP)\s+(?P<step>\d+))?", re.IGNORECASE
)


def parse_dialect(text: str, *, source: str | None = "<query>") -> Understood:
    """The tree of a query in RSEP-QL or one of the engines' languages. Raises QueryError."""
    dialect, translated = to_rsepql(text)
    query = parse(translated, source=source)
    if dialect != "csparql":
        return Understood(dialect, query)
    try:
        return Understood(dialect, timestamps_as_sequences(query))
    except DenotaError as error:
        raise error.at(source, error.line, error.column) from None


def to_rsepql(text: str) -> Translation:
    """The query in RSEP-QL; a text that has none of the engines' clauses is left as it is.

    >>> to_rsepql("SELECT * FROM STREAM <urn:s> [RANGE 4s STEP 4s] WHERE { ?a ?b ?c }").text
    'SELECT * FROM WINDOW ON <urn:s> [RANGE 4s STEP 4s] WHERE { ?a ?b ?c }'
    """
    blanked = _blanked(text)
    from_streams = list(_visible(_FROM_STREAM, text, blanked))
    if from_streams:
        named = any(match["named"] or "NOW" in match["window"].upper() for match in from_streams)
        text = _without_register(_replaced(text, [(m, _dataset_clause(m)) for m in from_streams]))
        return Translation("sparqlstream" if named else "csparql", text)
    blocks = list(_visible(_STREAM, text, blanked))
    if blocks:
        return Translation("cqels", _cqels(text, blanked, blocks))
    return Translation("rsepql", text)


def _visible(pattern: re.Pattern[str], text: str, blanked: str) -> Iterator[re.Match[str]]:
    """The matches that begin outside comments, strings and IRIs."""
    return (m for m in pattern.finditer(text) if not blanked[m.start()].isspace())


def _blanked(text: str) -> str:
    return _HIDDEN.sub(lambda hidden: " " * len(hidden[0]), text)


def _dataset_clause(match: re.Match[str]) -> str:
    lines = "\n" * match[0].count("\n")
    return f"FROM WINDOW ON {match['iri']} {_function(match['window'])}{lines}"


def _cqels(text: str, blanked: str, blocks: list[re.Match[str]]) -> str:
    clauses = []
    replacements = []
    for number, match in enumerate(blocks, start=1):
        name = f"<urn:denota:window:{number}>"
        clauses.append(
            f"FROM NAMED WINDOW {name} ON {match['iri']} {_function(match['window'])} "
        )
        lines = "\n" * match[0].count("\n")
        replacements.append((match, f"WINDOW {name} {lines}"))
    where = next(_visible(_WHERE, text, blanked), None)
    text = _replaced(text, replacements)
    # Every block stands within WHERE, so what stands before it has not moved.
    place = where.start() if where is not None else 0
    return text[:place] + "".join(clauses) + text[place:]


def _function(window: str) -> str:
    written = " ".join(window.split())
    upper = written.upper()
    if upper == "ALL":
        return "[ALL]"
    if upper == "NOW":
        return "[RANGE 1 STEP 1]"
    counted = _COUNTED.fullmatch(written)
    if counted is not None:
        step = f" STEP {counted['step']}" if counted["step"] else ""
        return f"[ELEMENTS {counted['size']}{step}]"
    for pattern in (_NOW, _RANGE):
        found = pattern.fullmatch(written)
        if found is not None:
            parts = found.groupdict()
            step = parts["range"] if parts.get("tumbling") else parts["step"]
            return f"[RANGE {parts['range']}{f' STEP {step}' if step else ''}]"
    return f"[{window}]"


def _without_register(text: str) -> str:
    return _REGISTER.sub(lambda match: "\n" * match[0].count("\n"), text, count=1)


def _replaced(text: str, replacements: list[tuple[re.Match[str], str]]) -> str:
    for match, replacement in sorted(replacements, key=lambda entry: -entry[0].start()):
        text = text[: match.start()] + replacement + text[match.end() :]
    return text
