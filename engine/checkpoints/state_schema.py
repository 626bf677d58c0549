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
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import Any, TypeVar

from ...semantics.model.errors import Impossible

C = TypeVar("C", bound=type)
Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Declaration:
    """The declaration of a class's fields, including those of its base classes."""

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
        """True if no checkpoint can make such an object."""
        return bool(self.parts or self.same or self.compiled)


_OWN: dict[type, Declaration] = {}
_NAMED: dict[str, type] = {}
_WHOLE: dict[type, Declaration] = {}


def stateful(
    *, kept: Names = (), parts: Names = (), same: Names = (), compiled: Names = (),
    anew: Names = (),
) -> Callable[[C], C]:
    """Declare the fields of a class."""

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
    """Declare a class whose objects are values: an enumeration, or kept as a whole."""
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
    """Return the name of a class in a checkpoint: its place in the package, and its own name."""
    _, _, inside = cls.__module__.partition(".")
    return f"{inside}.{cls.__qualname__}"


def class_named(name: str) -> type | None:
    """Return the declared class of this name."""
    return _NAMED.get(name)


def is_stateful(cls: type) -> bool:
    return declaration_of(cls) is not None


def declaration_of(cls: type) -> Declaration | None:
    """Return the declaration of a class and of its base classes; None if there is none."""
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
    """Yield the fields that an object has now."""
    for cls in type(value).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                yield name
    yield from getattr(value, "__dict__", ())


def undeclared(value: Any) -> list[str]:
    """Return the fields of an object that its class does not declare."""
    declaration = declaration_of(type(value))
    known = declaration.fields if declaration is not None else frozenset()
    if isinstance(value, tuple):
        return []
    return sorted({*fields_of(value)} - known)
