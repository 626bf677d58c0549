"""Parts of results as JSON objects: terms as in SPARQL 1.1 Query Results JSON.

    Term  <-> {"type": "uri" | "bnode" | "literal", "value": …, "datatype": …, "xml:lang": …}
    tuple <-> [TERM, …]     (a value that collects several)

τ is an integer: on dateTime streams, microseconds since 1970-01-01T00:00:00Z, for which also the
dateTime is read, and written by `denota run`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from reprlib import Repr
from typing import Any, TypeAlias

from rdflib.term import BNode, Literal, URIRef, Variable

from ...semantics.model.errors import DenotaError
from ...semantics.model.mappings import SolutionMapping, Value
from ...semantics.model.terms import Term, literal, variable
from ...semantics.model.time import parse_datetime

_LANGUAGE = re.compile(r"[a-zA-Z]+(?:-[a-zA-Z0-9]+)*")  # Turtle's LANGTAG

JsonObject: TypeAlias = dict[str, Any]


class ResultError(DenotaError):
    """A result object that does not follow the result format."""


def term_to_json(term: Term) -> JsonObject:
    """Return the TERM of an RDF term (SPARQL 1.1 Query Results JSON, 3.2.2).

    >>> term_to_json(URIRef("http://example.org/a"))
    {'type': 'uri', 'value': 'http://example.org/a'}
    """
    if isinstance(term, URIRef):
        return {"type": "uri", "value": str(term)}
    if isinstance(term, BNode):
        return {"type": "bnode", "value": str(term)}
    written: JsonObject = {"type": "literal", "value": str(term)}
    if term.language is not None:
        written["xml:lang"] = term.language
    elif term.datatype is not None:
        written["datatype"] = str(term.datatype)
    return written


def term_from_json(written: object) -> Term:
    """Return the RDF term of a TERM; raises ResultError if it is none."""
    if not isinstance(written, Mapping) or not isinstance(written.get("value"), str):
        raise ResultError(f'not a term: {brief(written)} (expected {{"type": …, "value": …}})')
    kind, value = written.get("type"), written["value"]
    if kind == "uri":
        return URIRef(value)
    if kind == "bnode":
        return BNode(value)
    if kind in ("literal", "typed-literal"):
        datatype, tag = written.get("datatype"), written.get("xml:lang")
        if not isinstance(datatype, str | None):
            raise ResultError(f"a datatype is an IRI, not {brief(datatype)}")
        if not isinstance(tag, str | None) or (tag is not None and not _LANGUAGE.fullmatch(tag)):
            raise ResultError(f"not a language tag: {brief(tag) or 'an empty text'}")
        return literal(value, datatype, tag)
    raise ResultError(f"a term's type is uri, bnode or literal, not {brief(kind)}")


def value_to_json(value: Value) -> JsonObject | list[JsonObject]:
    """Return the TERM, or the array of TERMs of a collected value."""
    if isinstance(value, tuple):
        return [term_to_json(term) for term in value]
    return term_to_json(value)


def value_from_json(written: object) -> Value:
    """Return the inverse of `value_to_json`."""
    if isinstance(written, list):
        return tuple(term_from_json(term) for term in written)
    return term_from_json(written)


def mapping_to_json(mu: SolutionMapping, order: Sequence[Variable] = ()) -> JsonObject:
    """{"h": TERM, …}: the variables of `order` first, in that order, then the others by name."""
    first = [v for v in order if v in mu]
    rest = sorted(v for v in mu if v not in first)
    return {str(v): value_to_json(mu[v]) for v in (*first, *rest)}


def mapping_from_json(written: object) -> SolutionMapping:
    """Return the inverse of `mapping_to_json`; a variable that is null or absent is unbound."""
    if not isinstance(written, Mapping):
        raise ResultError(f"not a solution: {brief(written)} (expected an object)")
    return SolutionMapping(
        {_variable(name): value_from_json(value)
         for name, value in written.items() if value is not None}
    )


def _variable(name: object) -> Variable:
    try:
        return variable(str(name))
    except DenotaError as error:
        raise ResultError(error.message) from None


def result_fields(written: object) -> Mapping[str, object]:
    """Return the result object as a mapping."""
    if not isinstance(written, Mapping):
        raise ResultError(f"not a result: {brief(written)} (expected an object)")
    return written


def instant_from_json(written: object) -> int:
    """τ."""
    if isinstance(written, int) and not isinstance(written, bool):
        return written
    if isinstance(written, str):
        try:
            return parse_datetime(written)
        except DenotaError as error:
            raise ResultError(error.message) from None
    if written is None:
        raise ResultError("the result has no time")
    raise ResultError(f"a time is an integer or a dateTime, not {brief(written)}")


def window_from_json(written: object) -> tuple[int, int] | None:
    """[b, e], or None for a result without a window."""
    if written is None:
        return None
    if isinstance(written, (list, tuple)) and len(written) == 2:
        return instant_from_json(written[0]), instant_from_json(written[1])
    raise ResultError(f"a window is a pair of integers, not {brief(written)}")


def sort_key(mu: SolutionMapping) -> list[tuple[str, str]]:
    """Return an order of solutions that is the same on every run."""
    return sorted((str(v), _text(value)) for v, value in mu.items())


def _text(value: Value) -> str:
    # Not by n3(): the IRI() of a query makes what is no IRI, which n3 refuses to write.
    if isinstance(value, tuple):
        return " ".join(map(_text, value))
    if isinstance(value, Literal):
        return f'"{value}" {value.datatype or ""} {value.language or ""}'
    return str(value)


def brief(value: object, most: int = 60) -> str:
    """Return a value as it fits into a message: text as it is, anything else as Python shows it."""
    if isinstance(value, str):
        text = " ".join(value[: 4 * most].split())
    else:
        shortened = Repr()
        shortened.maxstring = shortened.maxother = shortened.maxlong = most
        shortened.maxlist = shortened.maxdict = most // 4
        text = shortened.repr(value)
    return text if len(text) <= most else text[: most - 1] + "…"
