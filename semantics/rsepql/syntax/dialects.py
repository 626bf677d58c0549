"""The window syntax of C-SPARQL, CQELS and SPARQLstream, and timestamp(), as RSEP-QL.

{ ?x :p ?y . ?y :q ?z . FILTER (f:timestamp(?x, :p, ?y) < f:timestamp(?y, :q, ?z)) }

becomes { MATCH { EVENT w { ?x :p ?y } SEQN EVENT w { ?y :q ?z } } }. That is how the paper reads
the idiom. It is not what the function returns in general: (9) keeps the last events of each
pattern, the function is asked about every solution (docs/relations.md has the smallest streams on
which they differ).

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
from dataclasses import replace
from functools import reduce
from typing import Literal, NamedTuple, TypeAlias

from rdflib.term import URIRef

from ...model.errors import DenotaError, QueryError, UnsupportedError
from ...rdf.syntax.tree import (
    And,
    Comparison,
    Element,
    Expression,
    Filter,
    FunctionCall,
    GroupGraphPattern,
    TermOrVariable,
    TriplePattern,
    TriplesBlock,
)
from ...rdf.syntax.variables import conjuncts, subexpressions
from .parse import parse
from .tree import Event, EventPattern, MatchPattern, RsepqlQuery, Sequence, SequenceOperator

Triple: TypeAlias = tuple[TermOrVariable, TermOrVariable, TermOrVariable]
WINDOW = URIRef("urn:denota:window:1")


def timestamps_as_sequences(query: RsepqlQuery) -> RsepqlQuery:
    """Return the query with a sequence of events for its WHERE conditions on timestamp().

    The conditions must put triple patterns of the group into one order, each before the next.
    Raises QueryError for a triple pattern that is not in the group, UnsupportedError for what is no
    such order and for timestamp() anywhere else.
    """
    where = query.form.where
    if where is None:
        return query
    pairs: list[tuple[Triple, Triple]] = []
    kept: list[Element] = []
    for element in where.elements:
        if isinstance(element, Filter):
            rest = []
            for conjunct in conjuncts(element.condition):
                pair = _order(conjunct)
                if pair is not None:
                    pairs.append(pair)
                elif any(map(_is_timestamp, subexpressions(conjunct))):
                    raise UnsupportedError(
                        "timestamp() is understood in a comparison of two of them (timestamp(…) <"
                        " timestamp(…)) only",
                        line=element.position.line, column=element.position.column,
                    )
                else:
                    rest.append(conjunct)
            if rest:
                condition = rest[0] if len(rest) == 1 else And(tuple(rest))
                kept.append(replace(element, condition=condition))
        else:
            kept.append(element)
    if not pairs:
        return query
    if len(query.windows) != 1:
        raise UnsupportedError("timestamp() is understood over one window only")
    window = query.windows[0]
    name = window.name or WINDOW
    ordered = _chain(pairs)
    events: list[EventPattern] = [
        Event(name, GroupGraphPattern((TriplesBlock((_taken(triple, kept),)),)))
        for triple in ordered
    ]
    match = MatchPattern(
        reduce(lambda e1, e2: Sequence(SequenceOperator.NAIVE, e1, e2), events)
    )
    group = GroupGraphPattern((match, *kept))
    return replace(
        query,
        form=replace(query.form, where=group),
        windows=(replace(window, name=name),),
    )


def _order(condition: Expression) -> tuple[Triple, Triple] | None:
    """Return the triple pattern that comes earlier, and the later one."""
    if not isinstance(condition, Comparison) or condition.operator not in ("<", ">"):
        return None
    left, right = condition.left, condition.right
    if not (_is_timestamp(left) and _is_timestamp(right)):
        return None
    earlier, later = _triple(left), _triple(right)
    return (earlier, later) if condition.operator == "<" else (later, earlier)


def _is_timestamp(expression: Expression) -> bool:
    return isinstance(expression, FunctionCall) and str(expression.function).endswith(
        ("#timestamp", "/timestamp", ":timestamp")
    )


def _triple(call: Expression) -> Triple:
    assert isinstance(call, FunctionCall)
    terms = call.arguments
    if len(terms) != 3 or not all(isinstance(term, TermOrVariable) for term in terms):
        raise QueryError("timestamp() takes the three terms of a triple pattern")
    subject, predicate, object_ = terms
    return subject, predicate, object_  # type: ignore[return-value]


def _chain(pairs: list[tuple[Triple, Triple]]) -> list[Triple]:
    """Return the triple patterns in their order, which must be total; each pair is a step."""
    following = dict(pairs)
    first = [earlier for earlier in following if earlier not in following.values()]
    unique = len(following) == len(pairs) == len(set(following.values()))
    if len(first) != 1 or not unique:
        raise UnsupportedError(
            "the conditions on timestamp() must put triple patterns into one order, each before the"
            " next"
        )
    ordered = [first[0]]
    while ordered[-1] in following:
        ordered.append(following[ordered[-1]])
    return ordered


def _taken(triple: Triple, elements: list[Element]) -> TriplePattern:
    """Take a triple pattern out of the group; an empty block goes with it."""
    for place, element in enumerate(elements):
        if not isinstance(element, TriplesBlock):
            continue
        for pattern in element.triples:
            if (pattern.subject, pattern.predicate, pattern.object) == triple:
                left = tuple(other for other in element.triples if other is not pattern)
                elements[place : place + 1] = [TriplesBlock(left)] if left else []
                return pattern
    shown = " ".join(term.n3() for term in triple)
    raise QueryError(f"timestamp({shown}): there is no such triple pattern beside the FILTER")


Dialect: TypeAlias = Literal["rsepql", "csparql", "sparqlstream", "cqels"]


class Translation(NamedTuple):
    """The dialect of a text, and the same query in RSEP-QL."""

    dialect: Dialect
    text: str


class Understood(NamedTuple):
    """The dialect of a text, and its tree in RSEP-QL."""

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
    """Return the tree of a query in RSEP-QL or one of the engines' languages. Raises QueryError."""
    dialect, translated = to_rsepql(text)
    query = parse(translated, source=source)
    if dialect != "csparql":
        return Understood(dialect, query)
    try:
        return Understood(dialect, timestamps_as_sequences(query))
    except DenotaError as error:
        raise error.at(source, error.line, error.column) from None


def to_rsepql(text: str) -> Translation:
    """Return the query in RSEP-QL; a text that has none of the engines' clauses is left as it is.

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
    """Return the matches that begin outside comments, strings and IRIs."""
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
