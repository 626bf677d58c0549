"""Decoding of a running engine's state into an engine that has been compiled again.

Data are looked at as what a stranger may have written: only declared classes are made, no code of
theirs is run but `resumed`, and whatever does not fit is a `DamagedState`.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Sequence
from decimal import Decimal
from enum import Enum
from math import prod
from typing import Any

import numpy as np
from rdflib.term import BNode, URIRef, Variable

from ...semantics.model.terms import literal
from .state_encoder import Plain, SavedGraph, _unordered, places_of
from .state_schema import class_named, declaration_of, name_of

_SHELLS: dict[str, Callable[[], Any]] = {
    "list": list, "deque": deque, "set": set, "dict": dict, "counter": Counter,
    "lists": lambda: defaultdict(list),
}
_TYPES = {kind: type(make()) for kind, make in _SHELLS.items()}
_DTYPES = frozenset({"|b1", "|u1", "|i1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8"})


class DamagedState(Exception):
    """The data are no state of this engine."""


def restored(root: Any, graph: SavedGraph, apart: Sequence[Any] = ()) -> None:
    """Restore the saved state of an engine in a freshly compiled one.

    What is `apart` has its state already.
    """
    try:
        _Restoring(root, graph, apart).restore()
    except DamagedState:
        raise
    except Exception as error:  # forged data may fail in any way where they are used
        raise DamagedState(f"{type(error).__name__}: {error}") from error


class _Restoring:
    def __init__(self, root: Any, graph: SavedGraph, apart: Sequence[Any]) -> None:
        self._places = places_of(root)
        self._apart = [id(each) for each in apart]
        self._written: list[Plain] = graph.data["places"]
        self._objects: list[Plain] = graph.data["objects"]
        self._arrays = graph.arrays
        self._values_written: list[Plain] = graph.data["values"]
        self._values: list[Any] = []
        self._made: list[Any] = []

    def restore(self) -> None:
        classes = [written[0] for written in self._written]
        if classes != [name_of(type(place)) for place in self._places]:
            raise DamagedState("it is the state of an engine that consists of other parts")
        self._made = [self._shell(written) for written in self._objects]
        states = [
            (place, same, kept)
            for place, (_, same, kept) in zip(self._places, self._written, strict=True)
            if id(place) not in self._apart
        ]
        self._adopt(states)
        for written in self._values_written:
            self._values.append(self._value(*written))
        for made, written in zip(self._made, self._objects, strict=True):
            self._fill(made, *written)
        for place, same, kept in states:
            self._take_up(place, same, kept)
        for each in (*self._made, *(place for place, _, _ in states)):
            resumed = getattr(type(each), "resumed", None)
            if resumed is not None and declaration_of(type(each)) is not None:
                resumed(each)

    # --- what objects there are ------------------------------------------------------------------

    def _shell(self, written: Plain) -> Any:
        """Return an object without its content."""
        kind = written[0]
        if kind in _SHELLS:
            return _SHELLS[kind]()
        if kind == "array":
            return self._array(*written[1:])
        if kind != "of":
            raise DamagedState(f"there is no kind of object '{kind}'")
        cls = _made_by_checkpoints(written[1])
        return object.__new__(cls)

    def _array(self, dtype: str, shape: Sequence[int], begin: int, end: int) -> Any:
        if dtype not in _DTYPES or not 0 <= begin <= end <= len(self._arrays):
            raise DamagedState("an array is not there")
        size = prod(shape)
        kind = np.dtype(dtype)
        if size * kind.itemsize != end - begin or min(shape, default=0) < 0:
            raise DamagedState("an array has another size than it says")
        flat = np.frombuffer(self._arrays, kind, size, begin) if size else np.zeros(0, kind)
        return flat.reshape(shape).astype(kind.newbyteorder("="))  # a copy, which can be written

    def _adopt(self, states: list[tuple[Any, list[Plain], list[Plain]]]) -> None:
        """Fill a container that compiled functions may refer to, instead of replacing it."""
        adopted: set[int] = set()
        for place, _, kept in states:
            declaration = declaration_of(type(place))
            assert declaration is not None
            for name, reference in zip(declaration.kept, kept, strict=True):
                own = getattr(place, name, None)
                if not _to_object(reference):
                    continue
                number = reference[0]
                kind = self._objects[number][0]
                if (
                    kind in _TYPES and type(own) is _TYPES[kind] and number not in adopted
                    and own is not None
                ):
                    own.clear()
                    self._made[number] = own
                    adopted.add(number)
                elif isinstance(own, np.ndarray):
                    self._check_array(own, self._made[number], name)

    def _check_array(self, own: Any, given: Any, name: str) -> None:
        fits = isinstance(given, np.ndarray) and given.dtype == own.dtype and (
            given.ndim == own.ndim
        )
        if not fits:
            raise DamagedState(f"'{name}' is no such array")

    # --- what is in them -------------------------------------------------------------------------

    def _value(self, kind: str, *inside: Plain) -> Any:
        match kind, inside:
            case "tuple", _:
                return tuple(self._all(inside))
            case "set", _:
                return frozenset(self._all(inside))
            case "iri", (str(text),):
                return URIRef(text)
            case "blank", (str(text),):
                return BNode(text)
            case "variable", (str(text),):
                return Variable(text)
            case "literal", (str(lexical), str() | None as datatype, str() | None as language):
                return literal(lexical, datatype, language)
            case "scalar", (str(dtype), bool() | int() | float() as number):
                if dtype not in _DTYPES:
                    raise DamagedState(f"there are no numbers '{dtype}'")
                return np.dtype(dtype).type(number)
            case "decimal", (str(text),):
                return Decimal(text)
            case "enum", (str(name), str(member)):
                cls = class_named(name)
                if cls is None or not issubclass(cls, Enum):
                    raise DamagedState(f"there is no enumeration '{name}'")
                return cls[member]
            case "of", (str(name), *fields):
                return self._frozen(_made_by_checkpoints(name), self._all(fields))
        raise DamagedState(f"there is no kind of value '{kind}'")

    def _frozen(self, cls: type, fields: list[Any]) -> Any:
        if issubclass(cls, tuple):
            if len(fields) != len(cls._fields):  # type: ignore[attr-defined]
                raise DamagedState(f"a {cls.__qualname__} has other fields")
            return tuple.__new__(cls, fields)
        made = object.__new__(cls)
        self._set(made, fields)
        return made

    def _set(self, made: Any, values: Sequence[Any]) -> None:
        declaration = declaration_of(type(made))
        assert declaration is not None
        for name, value in zip(declaration.kept, values, strict=True):
            object.__setattr__(made, name, value)

    def _fill(self, made: Any, kind: str, *inside: Plain) -> None:
        match kind:
            case "list" | "deque":
                made.extend(self._all(inside))
            case "set":
                made.update(self._all(inside))
            case "dict" | "counter" | "lists":
                found = self._all(inside)
                # Not `update`: a Counter would add.
                for key, value in zip(found[::2], found[1::2], strict=True):
                    made[key] = value
            case "of":
                self._set(made, self._all(inside[1:]))

    def _take_up(self, place: Any, same: list[Plain], kept: list[Plain]) -> None:
        declaration = declaration_of(type(place))
        assert declaration is not None
        for name, reference in zip(declaration.same, same, strict=True):
            if self._one(reference) != _unordered(getattr(place, name)):
                raise DamagedState(f"the query is compiled otherwise: its '{name}' differ")
        self._set(place, self._all(kept))

    def _all(self, references: Sequence[Plain]) -> list[Any]:
        return [self._one(each) if type(each) is list else _atom(each) for each in references]

    def _one(self, reference: Plain) -> Any:
        match reference:
            case [int(number)]:
                return self._values[_counted(number)]
            case [int(number), 0]:
                return self._made[_counted(number)]
            case [int(number), 1]:
                return self._places[_counted(number)]
        return _atom(reference)


def _to_object(reference: Plain) -> bool:
    return isinstance(reference, list) and len(reference) == 2 and reference[1] == 0


def _counted(number: int) -> int:
    if number < 0:
        raise DamagedState("nothing is counted from the end")
    return number


def _atom(written: Plain) -> Any:
    if isinstance(written, (list, dict)):
        raise DamagedState("that is no reference")
    return written


def _made_by_checkpoints(name: str) -> type:
    """Return a class whose objects are state as a whole."""
    cls = class_named(name)
    declaration = None if cls is None else declaration_of(cls)
    if cls is None or declaration is None or declaration.made_by_compiling:
        raise DamagedState(f"no object of a class '{name}' is state")
    return cls
