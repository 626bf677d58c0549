"""Values that show themselves as text where people look: falsifying examples, notebooks.

Hypothesis and IPython ask a value for `_repr_pretty_`. `repr` stays what it is, the tree.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol


class Printer(Protocol):
    """What Hypothesis and IPython hand to `_repr_pretty_`."""

    def text(self, obj: str) -> None: ...

    def break_(self) -> None: ...

    def begin_group(self, indent: int = 0, open: str = "") -> None: ...

    def end_group(self, dedent: int = 0, close: str = "") -> None: ...


class ShownAsText(ABC):
    """A syntax tree that shows itself as its text."""

    __slots__ = ()

    @abstractmethod
    def _text(self) -> str: ...

    def _repr_pretty_(self, printer: Printer, cycle: bool) -> None:
        show(printer, type(self).__name__, self._text())


def show(printer: Printer, name: str, text: str) -> None:
    """Name(text), the lines of the text below one another and indented."""
    printer.begin_group(4, f"{name}(")
    for line in text.rstrip().splitlines():
        printer.break_()
        printer.text(line)
    printer.end_group(4)
    printer.break_()
    printer.text(")")
