"""Prefixes that texts need not declare."""

from __future__ import annotations

from collections.abc import Mapping

from ..model.errors import StreamError

PROV = "http://www.w3.org/ns/prov#"

PREDECLARED = {"prov": PROV, "xsd": "http://www.w3.org/2001/XMLSchema#"}


def declarations(prefixes: Mapping[str, str]) -> str:
    """Return one line a prefix in Turtle's syntax, `PREDECLARED` among them.

    Raises StreamError for a prefix or an IRI that Turtle could not declare.
    """
    lines = []
    for prefix, iri in {**PREDECLARED, **prefixes}.items():
        if any(character in '<>"{}|^`\\' or character <= " " for character in iri):
            raise StreamError(f"prefix '{prefix}:' stands for '{iri}', which is not an IRI")
        if any(character in ":<>#" or character <= " " for character in prefix):
            raise StreamError(f"'{prefix}:' cannot be a prefix")
        lines.append(f"@prefix {prefix}: <{iri}> .\n")
    return "".join(lines)
