"""IRIs of a text as prefixed names."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .tree import Prologue


class Shortener:
    """Writes the IRIs of a printed query as prefixed names, where a prefix of its prologue fits."""

    _TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|<(?P<iri>[^<>"{}|^`\\\x00-\x20]*)>')
    _LOCAL = re.compile(r"(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)?")

    def __init__(self, prologue: Prologue) -> None:
        self._prefixes = prologue.prefixes

    def __call__(self, text: str) -> str:
        return self._TOKEN.sub(self._shorter, text)

    def _shorter(self, token: re.Match[str]) -> str:
        iri = token["iri"]
        for prefix, namespace in self._prefixes if iri is not None else ():
            if namespace and iri.startswith(namespace):
                local = iri.removeprefix(namespace)
                if self._LOCAL.fullmatch(local):
                    return f"{prefix}:{local}"
        return token[0]


def with_prologue(prologue: Prologue, lines: Iterable[str]) -> str:
    """The lines of a query below its prologue, their IRIs shortened by it."""
    declared = (f"PREFIX {prefix}: <{iri}>" for prefix, iri in prologue.prefixes)
    return "\n".join([*declared, *map(Shortener(prologue), lines)]) + "\n"
