"""The schema of a running engine's state: the fields of each class, by role.

Every class whose objects a running query consists of says of each of its fields what a checkpoint
does with it:

* `kept`: its value is state, and is saved;
* `parts`: it leads to further objects that compiling the query makes again and that have state, or
  to which state refers: they are found again by the way that leads to them;
* `same`: compiling makes it again, and state makes sense only if it is then equal;
* `compiled`: compiling makes it again;
* `anew`: it is found out again when it is needed.

A dataclass or named tuple without declarations is kept as a whole. An object with `compiled`,
`parts` or `same` fields is never made by a checkpoint, only by compiling. An object that may need
its `anew` fields filled has a method `resumed`, which is called when its state is there; one whose
`kept` fields may leave something out that can be found out has a method `complete`, which is called
before it is saved.

    @stateful(kept=("_groups", "_removed"), compiled=("_key",))
    class Waiting: …

A query is reset to its state before the first item, without compiling it again. What is put back is
what its classes declare: fields that are `kept`, and those found out `anew`. A field gets the value
that it had, and a container the content, since compiled functions may know the container by itself.
Terms keep their ids: a dictionary of a query that is rewound only grows, which no result shows.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import partial
from typing import Any, TypeVar

from ...semantics.model.errors import Impossible
from .state_encoder import places_of
from .streaming_query import StreamingQuery

C = TypeVar("C", bound=type)
Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a class says of its fields, those of the classes that it is derived from included."""

    kept: Names = ()
    parts: Names = ()
    same: Names = ()
    compiled: Names = ()
    anew: Names = ()

    @property
    def fields(self) -> frozenset[str]:
        return frozenset((*self.kept, *self.parts, *self.same, *self.compiled, *self.anew))

    @property
    def made_by_compiling(self) -> bool:
        """Whether no checkpoint can make such an object."""
        return bool(self.parts or self.same or self.compiled)


_OWN: dict[type, Declaration] = {}
_NAMED: dict[str, type] = {}
_WHOLE: dict[type, Declaration] = {}


def stateful(
    *, kept: Names = (), parts: Names = (), same: Names = (), compiled: Names = (),
    anew: Names = (),
) -> Callable[[C], C]:
    """Declares the fields of a class."""

    def declare(cls: C) -> C:
        own = Declaration(kept, parts, same, compiled, anew)
        if not own.fields:
            own = Declaration(kept=_all_fields(cls))
        _OWN[cls] = own
        known = _NAMED.setdefault(name_of(cls), cls)
        if known is not cls and known.__qualname__ != cls.__qualname__:
            raise Impossible(f"two classes are called {name_of(cls)}")
        return cls

    return declare


def value_class(cls: C) -> C:
    """Declares a class whose objects are values: an enumeration, or kept as a whole."""
    return stateful()(cls) if not issubclass(cls, Enum) else _enumeration(cls)


def _enumeration(cls: C) -> C:
    _NAMED[name_of(cls)] = cls
    return cls


def _all_fields(cls: type) -> Names:
    named = getattr(cls, "_fields", None)
    if named is not None:
        return tuple(named)
    return tuple(field.name for field in fields(cls)) if is_dataclass(cls) else ()


def name_of(cls: type) -> str:
    """What a class is called in a checkpoint: where it stands inside the package, and its name."""
    _, _, inside = cls.__module__.partition(".")
    return f"{inside}.{cls.__qualname__}"


def class_named(name: str) -> type | None:
    """The declared class of this name."""
    return _NAMED.get(name)


def is_stateful(cls: type) -> bool:
    return declaration_of(cls) is not None


def declaration_of(cls: type) -> Declaration | None:
    """What a class and those that it is derived from declare; None if nobody does."""
    found = _WHOLE.get(cls)
    if found is None:
        own = [_OWN[each] for each in reversed(cls.__mro__) if each in _OWN]
        if not own:
            return None
        found = _WHOLE[cls] = Declaration(*(
            tuple(dict.fromkeys(name for each in own for name in getattr(each, part)))
            for part in ("kept", "parts", "same", "compiled", "anew")
        ))
    return found


def fields_of(value: Any) -> Iterator[str]:
    """The fields that an object has now."""
    for cls in type(value).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                yield name
    yield from getattr(value, "__dict__", ())


def undeclared(value: Any) -> list[str]:
    """The fields of an object that its class says nothing of."""
    declaration = declaration_of(type(value))
    known = declaration.fields if declaration is not None else frozenset()
    if isinstance(value, tuple):
        return []
    return sorted({*fields_of(value)} - known)


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
        """The query as it was when this was made.

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
        """The fields of an object that has state."""
        declaration = declaration_of(type(holder))
        assert declaration is not None
        for name in (*declaration.kept, *declaration.anew):
            if isinstance(holder, tuple) or not hasattr(holder, name):
                continue
            value = getattr(holder, name)
            self._fields.append((holder, name, value))
            self._meet(value)

    def _meet(self, value: Any) -> None:
        """What of a value can change."""
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
