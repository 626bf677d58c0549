"""Reset of a streaming query to its state before the first item, without compiling it again.

What is put back is what its classes declare: fields that are `kept`, and those found out `anew`. A
field gets the value that it had, and a container the content, since compiled functions may know the
container by itself. Terms keep their ids: a dictionary of a query that is rewound only grows, which
no result shows.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Any

from .state_encoder import places_of
from .state_schema import declaration_of
from .streaming_query import StreamingQuery

_LISTS = (list, deque)
_MAPPINGS = (dict, Counter, defaultdict)
_PLAIN = (str, int, float, type(None), Enum)


class NotResettable(Exception):
    """Something that is remembered cannot be put back."""


class StateReset:
    """A compiled query, and all that it remembers now."""

    def __init__(self, running: StreamingQuery) -> None:
        self.running = running
        self._parameters = running.compile_parameters()
        self._fields: list[tuple[Any, str, Any]] = []
        self._containers: list[tuple[Any, Callable[[Any], None] | None, Any]] = []
        self._met: dict[int, Any] = {}
        apart = {id(each) for each in running.dictionaries}
        places = places_of(running)
        self._met.update((id(place), place) for place in places)
        for place in places:
            if id(place) not in apart:
                self._remember(place)

    def reset(self) -> StreamingQuery:
        """Return the query as it was when this was made.

        Raises NotRewindable for one that has compiled itself anew meanwhile.
        """
        if self.running.compile_parameters() != self._parameters:
            raise NotResettable("the query has been compiled anew")
        for holder, name, value in self._fields:
            object.__setattr__(holder, name, value)
        for container, fill, content in self._containers:
            if container:
                container.clear()
            if fill is not None:
                fill(content)
        return self.running

    # --- what is remembered -----------------------------------------------------------------------

    def _remember(self, holder: Any) -> None:
        """Save the fields of an object that has state."""
        declaration = declaration_of(type(holder))
        assert declaration is not None
        for name in (*declaration.kept, *declaration.anew):
            if isinstance(holder, tuple) or not hasattr(holder, name):
                continue
            value = getattr(holder, name)
            self._fields.append((holder, name, value))
            self._meet(value)

    def _meet(self, value: Any) -> None:
        """Record the mutable parts of a value."""
        kind = type(value)
        if id(value) in self._met or isinstance(value, _PLAIN):
            return
        self._met[id(value)] = value  # an id() is one's own for as long as it is held
        if kind in _LISTS:
            self._fill(value, value.extend, list(value), value)
        elif kind is set:
            self._fill(value, value.update, set(value), value)
        elif kind in _MAPPINGS:
            # Not `update`: a Counter would add.
            inside = (*value.keys(), *value.values())
            self._fill(value, partial(_fill_mapping, value), dict(value), inside)
        elif kind in (tuple, frozenset):
            for each in value:
                self._meet(each)
        elif declaration_of(kind) is not None:
            self._remember(value)
        else:
            raise NotResettable(f"{kind.__qualname__} cannot be put back")

    def _fill(
        self, container: Any, fill: Callable[[Any], None], content: Any, inside: Any
    ) -> None:
        self._containers.append((container, fill if content else None, content))
        for each in inside:
            self._meet(each)


def _fill_mapping(mapping: Any, content: Any) -> None:
    for key, value in content.items():
        mapping[key] = value
