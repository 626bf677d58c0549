"""YAML as a tree of nodes that know where they stand; every complaint is a CaseError."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from ..semantics.errors import CaseError
from .texts import Text


class Node:
    """A node of a YAML document, with the file's lines behind it."""

    __slots__ = ("_lines", "_node", "source")

    def __init__(self, node: Any, source: str, lines: list[str]) -> None:
        self._node = node
        self._lines = lines
        self.source = source

    def error(self, message: str) -> CaseError:
        """A CaseError at this node."""
        mark = self._node.start_mark
        return CaseError(message, source=self.source, line=mark.line + 1, column=mark.column + 1)

    def is_mapping(self) -> bool:
        return bool(self._node.id == "mapping")

    def is_sequence(self) -> bool:
        return bool(self._node.id == "sequence")

    def is_null(self) -> bool:
        """Whether nothing stands here (an empty value, `~`, `null`)."""
        return bool(self._node.tag == "tag:yaml.org,2002:null")

    def mapping(self, what: str, known: Iterable[str] | None = None) -> dict[str, Node]:
        """The entries of a mapping; with `known`, a key that is none of them is an error."""
        if self.is_null():
            return {}
        if not self.is_mapping():
            raise self.error(f"{what} must be a mapping, not {self._kind()}")
        entries: dict[str, Node] = {}
        for key_node, value_node in self._node.value:
            key, value = self._child(key_node), self._child(value_node)
            name = key.text("a key")
            if known is not None and name not in known:
                close = get_close_matches(name, list(known), n=1)
                listed = f" (it has: {', '.join(known)})"
                hint = f", did you mean '{close[0]}'?" if close else listed
                raise key.error(f"{what} has no field '{name}'{hint}")
            if name in entries:
                raise key.error(f"'{name}' stands here twice")
            entries[name] = value
        return entries

    def sequence(self, what: str) -> list[Node]:
        """The entries of a list."""
        if not self.is_sequence():
            raise self.error(f"{what} must be a list, not {self._kind()}")
        return [self._child(entry) for entry in self._node.value]

    def text(self, what: str) -> str:
        """The text of a scalar, as written."""
        if self.is_mapping() or self.is_sequence():
            raise self.error(f"{what} must be a text, not {self._kind()}")
        return str(self._node.value)

    def located(self, what: str) -> Text:
        """The text of a scalar with its place, so that errors inside it have one too."""
        text = self.text(what)
        mark = self._node.start_mark
        if self._node.style == "|":
            # Its lines are the file's, indented: the first follows the line of the `|`.
            return Text(text, self.source, mark.line + 1, self._indentation(mark.line + 1))
        return Text(text, self.source, mark.line, mark.column, exact=False)

    def _indentation(self, line: int) -> int:
        for text in self._lines[line:]:
            if text.strip():
                return len(text) - len(text.lstrip(" "))
        return 0

    def _child(self, node: Any) -> Node:
        return Node(node, self.source, self._lines)

    def _kind(self) -> str:
        kinds = {"mapping": "a mapping", "sequence": "a list", "scalar": "a text"}
        return "nothing" if self.is_null() else kinds.get(self._node.id, "something else")


def read_yaml(text: str | bytes, source: str) -> Node:
    """The one document of a YAML text; raises CaseError with line and column."""
    import yaml

    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = error.object[: error.start].count(b"\n") + 1
            raise CaseError("the file is not UTF-8", source=source, line=line) from error
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        node = yaml.compose(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = f"not YAML: {error.problem or error.context}"
        if mark is None:
            raise CaseError(message, source=source) from error
        raise CaseError(
            message, source=source, line=mark.line + 1, column=mark.column + 1
        ) from error
    except yaml.YAMLError as error:
        reason = getattr(error, "reason", None) or str(error).splitlines()[0]
        raise CaseError(f"not YAML: {reason}", source=source) from error
    if node is None:
        raise CaseError("the file is empty", source=source)
    return Node(node, source, text.splitlines())
