"""Cases as data that show themselves as the text of the case, not as trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...semantics.model.errors import DenotaError
from ...semantics.model.shown import Printer, show

if TYPE_CHECKING:
    from .reading import Case


class ShownAsCase:
    """What `repr`, Hypothesis and IPython show is the query's text and the streams."""

    def case(self) -> Case:
        """The same as a conformance case."""
        raise NotImplementedError

    def _text(self) -> str:
        from .writing import case_text

        try:
            return case_text(self.case())
        except DenotaError as error:  # a generator may make what has no text
            return f"no case: {error}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}(\n{self._text()})"

    def _repr_pretty_(self, printer: Printer, cycle: bool) -> None:
        show(printer, type(self).__name__, self._text())
