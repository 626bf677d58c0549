"""YAML as a tree of nodes that know their places; every error is a CaseError."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from ...semantics.model.errors import CaseError, nearest
from ...semantics.streams.files.input_errors import input_errors
from .embedded_text import Text

DEEPEST = 100
"""Levels of nested lists and mappings."""
_TOO_DEEP = f"more than {DEEPEST} levels are nested"

MOST_NODES = 1_000_000
"""Of one document, where an alias counts as what it stands for."""


class Node:
    """A node of a YAML document, with the file's lines behind it."""

    __slots__ = ("_lines", "_node", "source")

    def __init__(self, node: Any, source: str, lines: list[str]) -> None:
        self._node = node
        self._lines = lines
        self.source = source

    def error(self, message: str) -> CaseError:
        """Return a CaseError at this node."""
        mark = self._node.start_mark
        return CaseError(message, source=self.source, line=mark.line + 1, column=mark.column + 1)

    def is_mapping(self) -> bool:
        return bool(self._node.id == "mapping")

    def is_sequence(self) -> bool:
        return bool(self._node.id == "sequence")

    def is_null(self) -> bool:
        """Return True if the node is empty (an empty value, `~`, `null`)."""
        return bool(self._node.tag == "tag:yaml.org,2002:null")

    def mapping(self, what: str, known: Iterable[str] | None = None) -> dict[str, Node]:
        """Return the entries of a mapping; with `known`, a key that is none of them is an error."""
        if self.is_null():
            return {}
        if not self.is_mapping():
            raise self.error(f"{what} must be a mapping, not {self._kind()}")
        entries: dict[str, Node] = {}
        for key_node, value_node in self._node.value:
            key, value = self._child(key_node), self._child(value_node)
            name = key.text("a key")
            if known is not None and name not in known:
                hint = nearest(name, known) or f" (it has: {', '.join(known)})"
                raise key.error(f"{what} has no field '{name}'{hint}")
            if name in entries:
                raise key.error(f"'{name}' stands here twice")
            entries[name] = value
        return entries

    def sequence(self, what: str) -> list[Node]:
        """Return the entries of a list."""
        if not self.is_sequence():
            raise self.error(f"{what} must be a list, not {self._kind()}")
        return [self._child(entry) for entry in self._node.value]

    def text(self, what: str) -> str:
        """Return the text of a scalar, as written."""
        if self.is_mapping() or self.is_sequence():
            raise self.error(f"{what} must be a text, not {self._kind()}")
        return str(self._node.value)

    def located(self, what: str) -> Text:
        """Return the text of a scalar with its place, so that errors inside it have one too."""
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


def loader_type() -> Any:
    """Return the loader of plain data, with libyaml (ten times faster) if it is installed."""
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(text: str | bytes, source: str) -> Node:
    """Return the one document of a YAML text; raises CaseError with line and column."""
    import yaml

    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = error.object[: error.start].count(b"\n") + 1
            raise CaseError("the file is not UTF-8", source=source, line=line) from error
    loader = loader_type()(text)
    with input_errors(source, what="not YAML", kind=CaseError):
        try:
            node = _composed(loader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line, column = (mark.line + 1, mark.column + 1) if mark is not None else (0, 0)
            problem = error.problem or error.context
            # PyYAML 6.0.4 has a limit of its own, which its scanner meets first: it reads ahead.
            if problem == "exceeded maximum nesting depth":
                problem = _TOO_DEEP
            raise CaseError(
                f"not YAML: {problem}", source=source, line=line, column=column
            ) from error
        except yaml.YAMLError as error:
            reason = getattr(error, "reason", None) or str(error).splitlines()[0]
            raise CaseError(f"not YAML: {reason}", source=source) from error
    if node is None:
        raise CaseError("the file is empty", source=source)
    return Node(node, source, text.splitlines())


def _composed(loader: Any) -> Any:
    """Return the node of the only document; None if there is none.

    As `yaml.compose`, whose recursion a deep document would end the interpreter with.
    """
    yaml: Any = import_module("yaml")  # its types do not know the marks of its C part
    sizes: dict[int, int] = {}  # of finished nodes, with what their aliases stand for
    anchors: dict[str, Any] = {}
    open_: list[tuple[Any, Any, list[Any]]] = []  # a node, its anchor, its children so far
    root = None
    while loader.check_event():
        event: Any = loader.get_event()
        if isinstance(event, yaml.DocumentStartEvent) and root is not None:
            raise _fault("there is a second document", event)
        anchor = None
        if isinstance(event, yaml.AliasEvent):
            node = anchors.get(event.anchor)
            if node is None:
                raise _fault(f"there is no anchor '{event.anchor}' before", event)
        elif isinstance(event, yaml.ScalarEvent):
            node = yaml.ScalarNode(
                _tag(loader, yaml.ScalarNode, event, event.value), event.value,
                event.start_mark, event.end_mark, style=event.style,
            )
            sizes[id(node)] = 1
            anchor = event.anchor
        elif isinstance(event, yaml.CollectionStartEvent):
            if len(open_) == DEEPEST:
                raise _fault(_TOO_DEEP, event)
            sequence = isinstance(event, yaml.SequenceStartEvent)
            kind = yaml.SequenceNode if sequence else yaml.MappingNode
            opened = kind(
                _tag(loader, kind, event, None), [], event.start_mark, None,
                flow_style=event.flow_style,
            )
            open_.append((opened, event.anchor, []))
            continue
        elif isinstance(event, yaml.CollectionEndEvent):
            node, anchor, children = open_.pop()
            node.end_mark = event.end_mark
            pairs = isinstance(event, yaml.MappingEndEvent)
            node.value = (
                list(zip(children[::2], children[1::2], strict=True)) if pairs else children
            )
            sizes[id(node)] = 1 + sum(sizes[id(child)] for child in children)
        else:
            continue
        if sizes[id(node)] > MOST_NODES:
            raise _fault(f"aliases make more than {MOST_NODES:,} nodes", event)
        if anchor is not None:
            anchors[anchor] = node
        if open_:
            open_[-1][2].append(node)
        else:
            root = node
    return root


def _tag(loader: Any, kind: type, event: Any, value: str | None) -> Any:
    if event.tag is None or event.tag == "!":
        return loader.resolve(kind, value, event.implicit)
    return event.tag


def _fault(message: str, event: Any) -> Exception:
    from yaml.composer import ComposerError

    return ComposerError(None, None, message, event.start_mark)
