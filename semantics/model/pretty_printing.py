"""Constructs as text, and values that are displayed so.

Hypothesis and IPython ask a value for `_repr_pretty_`, notebooks for `_repr_html_`. `repr` stays
the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import singledispatch
from html import escape
from string import Formatter
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias

from .printable import printable

if TYPE_CHECKING:
    from typing_extensions import TypeVar  # with a default; type checkers bundle it

    ResultT_co = TypeVar("ResultT_co", default=Any, covariant=True)
    EvaluatedT_co = TypeVar("EvaluatedT_co", default=Any, covariant=True)
else:
    from typing import TypeVar

    ResultT_co = TypeVar("ResultT_co", covariant=True)
    EvaluatedT_co = TypeVar("EvaluatedT_co", covariant=True)

Write: TypeAlias = Callable[[Any], str]

ATOM = 9
"""The precedence of a construct that never needs brackets."""

_levels: dict[type, int] = {}


class Printer(Protocol):
    """The printer that Hypothesis and IPython pass to `_repr_pretty_`."""

    def text(self, obj: str) -> None: ...

    def break_(self) -> None: ...

    def begin_group(self, indent: int = 0, open: str = "") -> None: ...

    def end_group(self, dedent: int = 0, close: str = "") -> None: ...


@singledispatch
def text_of(value: object) -> str:
    """Return the text of a value; printers of classes are registered here."""
    return repr(value)


text_of.register(str)(str)
text_of.register(int)(str)


def preformatted(text: str) -> str:
    """Return a text as HTML, line by line; characters that are not plainly seen as escapes."""
    return f"<pre>{escape(printable(text.rstrip(), keep=chr(10)))}</pre>"


def show_lines(printer: Printer, text: str) -> None:
    """Print the lines of a text where Hypothesis or IPython show a value."""
    for number, line in enumerate(text.splitlines()):
        if number:
            printer.break_()
        printer.text(printable(line))


@singledispatch
def html_of(value: object) -> str:
    """Return the HTML of a value: its text, unless its class is registered with more."""
    return preformatted(text_of(value))


def inside(value: object, level: int) -> str:
    """Return the text of an operand, in brackets if it binds more loosely than `level`."""
    binds = next((_levels[kind] for kind in type(value).__mro__ if kind in _levels), ATOM)
    return text_of(value) if binds >= level else f"({text_of(value)})"


def binds(levels: Mapping[type, int]) -> None:
    """Register the precedence of constructs: the greater, the tighter."""
    _levels.update(levels)


def written(templates: Mapping[type, str], **by_name: Write) -> None:
    """Register the text of constructs: each by a template over its fields.

    `{field}` is the text of a field; `{field!3}` puts it in brackets if it binds more loosely than
    3; `{field!n}` is written by the function that is called `n` here. `{field:text}` are the parts
    of a tuple with `text` between them, `text` for a truth, and for all else, if there is
    something, `text` and the field.
    """
    for kind, template in templates.items():
        text_of.register(kind)(_writer(template, by_name))


def _writer(template: str, by_name: Mapping[str, Write]) -> Write:
    pieces: list[tuple[str, str | None, Write]] = []
    for before, field, between, conversion in Formatter().parse(template):
        if conversion in by_name:
            write = by_name[conversion or ""]
        else:
            write = _field_writer(between or "", int(conversion) if conversion else 0)
        pieces.append((before, field, write))

    def text(tree: Any) -> str:
        return "".join(
            before if field is None else before + write(getattr(tree, field))
            for before, field, write in pieces
        )

    return text


def _field_writer(between: str, level: int) -> Write:
    def write(value: Any) -> str:
        if value is None or isinstance(value, bool):
            return between if value else ""
        if isinstance(value, tuple):
            return between.join([inside(part, level) for part in value])
        return between + inside(value, level)

    return write


class ShownAsText:
    """A base class that shows an object as Name(text), with the text's lines indented."""

    __slots__ = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # IPython prefers the `__repr__` of a dataclass to what a class inherits.
        setattr(cls, "_repr_pretty_", ShownAsText._repr_pretty_)  # noqa: B010

    def _repr_html_(self) -> str:
        return html_of(self)

    def _repr_pretty_(self, printer: Printer, cycle: bool) -> None:
        printer.begin_group(4, f"{type(self).__name__}(")
        for line in text_of(self).rstrip().splitlines():
            printer.break_()
            printer.text(line)
        printer.end_group(4)
        printer.break_()
        printer.text(")")


class ParsedQuery(ShownAsText, Generic[ResultT_co, EvaluatedT_co]):
    """A query's syntax tree, for type checkers with the types of a result and of all results."""

    __slots__ = ()
