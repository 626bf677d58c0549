"""The names that a query defines: each once, and none is used that is not defined."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TypeVar

from rdflib.term import URIRef

from ...model.errors import Position, QueryError, QueryWarning

ErrorAt = Callable[[str, Position], QueryError]
NameT = TypeVar("NameT", bound=str)


def defined_once(
    kind: str, named: Iterable[tuple[NameT, Position]], error: ErrorAt
) -> dict[NameT, Position]:
    """The names and where they are defined. Raises QueryError where one is defined again."""
    first: dict[NameT, Position] = {}
    for name, position in named:
        if name in first:
            shown = f"<{name}>" if isinstance(name, URIRef) else f"'{name}'"
            raise error(
                f"{kind} {shown} is defined twice, first in line {first[name].line}", position
            )
        first[name] = position
    return first


def refuse_unknown_window(
    name: URIRef, position: Position, defined: Collection[URIRef], error: ErrorAt
) -> None:
    """Raises QueryError where no window has the name."""
    if name not in defined:
        known = ", ".join(f"<{each}>" for each in defined)
        raise error(
            f"no FROM NAMED WINDOW clause defines the window <{name}>"
            + (f" (defined: {known})" if known else ""),
            position,
        )


def not_among(
    code: str, known: Collection[object] | None, named: Iterable[tuple[object, str, Position]]
) -> Iterator[QueryWarning]:
    """A warning (its text and place) for each name that is not known, if it is known which are."""
    for name, message, position in named:
        if known is not None and name not in known:
            yield QueryWarning(code, message, position)
