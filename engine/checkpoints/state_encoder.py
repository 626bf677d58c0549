"""Encoding of a running engine's state: an object graph as plain data, each shared object once.

The data are `{"places": …, "values": …, "objects": …}`, fit for JSON, and arrays apart:

* a *place* is an object that compiling makes again, found by the way that leads to it: its class,
  its `same` fields and its `kept` fields;
* *values* are immutable, and of equal ones one is there: `["tuple", …]`, `["set", …]` (frozen),
  `["iri", text]`, `["blank", text]`, `["literal", lexical, datatype, language]`,
  `["variable", name]`, `["scalar", dtype, number]`, `["decimal", text]`, `["enum", class, name]`,
  `["of", class, …]`; each refers to earlier ones only;
* *objects* can change: `["list", …]`, `["dict", key, value, …]`, `["set", …]`, `["deque", …]`,
  `["counter", key, value, …]`, `["lists", key, value, …]` (a dictionary of lists),
  `["array", dtype, shape, begin, end]` (bytes of the arrays), `["of", class, …]`.

Numbers, truth values, null and strings stand for themselves; `[n]` refers to value n, `[n, 0]` to
object n, `[n, 1]` to place n.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any

import numpy as np
from rdflib.term import BNode, Literal, URIRef, Variable

from ...semantics.model.errors import Impossible
from .state_schema import declaration_of, is_stateful, name_of, undeclared

Plain = Any
"""A value that JSON can represent."""

_ATOMS = frozenset({int, str, float, bool, type(None)})
_CONTAINERS: dict[type, str] = {list: "list", deque: "deque", set: "set"}
_MAPPINGS: dict[type, str] = {dict: "dict", Counter: "counter", defaultdict: "lists"}


@dataclass(frozen=True, slots=True)
class SavedGraph:
    """The data, and the bytes of all arrays, one behind the other."""

    data: dict[str, Plain]
    arrays: bytes


def places_of(root: Any) -> list[Any]:
    """Return the objects that compiling makes and that have state, or to which state may refer.

    In the order in which `parts` lead to them from the root on.
    """
    found: dict[int, Any] = {}
    waiting = [root]
    while waiting:
        each = waiting.pop()
        if isinstance(each, (list, tuple)) and not is_stateful(type(each)):
            waiting.extend(reversed(each))
        elif isinstance(each, dict) and not is_stateful(type(each)):
            waiting.extend(reversed(each.values()))
        elif is_stateful(type(each)) and id(each) not in found:
            found[id(each)] = each
            declaration = declaration_of(type(each))
            assert declaration is not None
            waiting.extend(getattr(each, name) for name in reversed(declaration.parts))
        elif each is not None and not is_stateful(type(each)):
            raise Impossible(f"a part of the engine declares no state: {type(each).__qualname__}")
    return list(found.values())


def saved(root: Any, apart: Sequence[Any] = ()) -> SavedGraph:
    """Return the state of an engine; objects that are `apart` are only referred to."""
    return _Saving(root, apart).graph()


class _Saving:
    def __init__(self, root: Any, apart: Sequence[Any]) -> None:
        self._places = places_of(root)
        self._apart = [id(each) for each in apart]
        self._known: dict[int, list[int]] = {
            id(place): [number, 1] for number, place in enumerate(self._places)
        }
        self._held: list[Any] = []  # an id() is one's own for as long as it is held
        self._values: list[Plain] = []
        self._numbers: dict[str, int] = {}
        self._objects: list[Any] = []
        self._arrays: list[bytes] = []
        self._bytes = 0

    def graph(self) -> SavedGraph:
        places = [self._place(place) for place in self._places]
        objects: list[Plain] = []
        while len(objects) < len(self._objects):  # writing one finds others
            objects.append(self._object(self._objects[len(objects)]))
        data = {"places": places, "values": self._values, "objects": objects}
        return SavedGraph(data, b"".join(self._arrays))

    def _place(self, place: Any) -> Plain:
        declaration = declaration_of(type(place))
        assert declaration is not None
        self._check(place)
        complete = getattr(type(place), "complete", None)
        if complete is not None:
            complete(place)
        if id(place) in self._apart:
            return [name_of(type(place)), [], []]
        return [
            name_of(type(place)),
            [self._reference(_unordered(getattr(place, name))) for name in declaration.same],
            [self._reference(getattr(place, name)) for name in declaration.kept],
        ]

    def _check(self, value: Any) -> None:
        forgotten = undeclared(value)
        if forgotten:
            raise Impossible(
                f"{type(value).__qualname__} does not say whether it is state: {forgotten[0]}"
            )

    # --- references ------------------------------------------------------------------------------

    def _reference(self, value: Any) -> Plain:
        """Return the reference to a value; its immutable parts are written before."""
        if type(value) in _ATOMS:
            return value
        known = self._known.get(id(value))
        if known is None:
            self._meet(value)
            known = self._known[id(value)]
        return known

    def _meet(self, value: Any) -> None:
        stack = [value]
        while stack:
            top = stack[-1]
            if type(top) in _ATOMS or id(top) in self._known:
                stack.pop()
                continue
            inside = _inside(top)
            if inside is None:
                self._known[id(top)] = [len(self._objects), 0]
                self._objects.append(top)
                stack.pop()
                continue
            missing = [
                each for each in inside
                if type(each) not in _ATOMS and id(each) not in self._known
            ]
            if missing:
                stack.extend(reversed(missing))
                continue
            self._known[id(top)] = self._numbered(self._value(top, inside))
            self._held.append(top)
            stack.pop()

    def _numbered(self, value: Plain) -> list[int]:
        """Return the numbers of values; equal ones are one, whatever their identity."""
        number = self._numbers.setdefault(repr(value), len(self._values))
        if number == len(self._values):
            self._values.append(value)
        return [number]

    def _references(self, values: Any) -> list[Plain]:
        return [self._reference(each) for each in values]

    # --- what is written -------------------------------------------------------------------------

    def _value(self, value: Any, inside: list[Any]) -> Plain:
        match value:
            case Variable():
                return ["variable", str(value)]
            case URIRef():
                return ["iri", str(value)]
            case BNode():
                return ["blank", str(value)]
            case Literal():
                datatype = value._datatype
                return [
                    "literal", str(value), None if datatype is None else str(datatype),
                    value._language,
                ]
            case Enum():
                return ["enum", name_of(type(value)), value.name]
            case np.generic():
                return ["scalar", value.dtype.newbyteorder("<").str, value.item()]
            case Decimal():
                return ["decimal", str(value)]
        if type(value) is frozenset:
            return ["set", *self._references(inside)]
        if type(value) is tuple:
            return ["tuple", *self._references(inside)]
        return ["of", name_of(type(value)), *self._references(inside)]

    def _object(self, value: Any) -> Plain:
        kind = type(value)
        if kind in _CONTAINERS:
            return [_CONTAINERS[kind], *self._references(ordered(value))]
        if kind in _MAPPINGS:
            if kind is defaultdict and value.default_factory is not list:
                raise Impossible("a dictionary of no lists cannot be saved")
            return [_MAPPINGS[kind], *self._references(_flat(value))]
        if kind is np.ndarray:
            return self._array(value)
        declaration = declaration_of(kind)
        if declaration is None:
            raise Impossible(f"{kind.__qualname__} declares no state")
        if declaration.made_by_compiling:
            raise Impossible(f"{kind.__qualname__} is compiled, and no part of the engine")
        self._check(value)
        return [
            "of", name_of(kind), *self._references(getattr(value, n) for n in declaration.kept)
        ]

    def _array(self, array: Any) -> Plain:
        if array.dtype.hasobject:
            raise Impossible("an array of objects cannot be saved")
        little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
        written = little.tobytes()
        begin = self._bytes
        self._arrays.append(written)
        self._bytes += len(written)
        return ["array", little.dtype.str, list(array.shape), begin, self._bytes]


def _inside(value: Any) -> list[Any] | None:
    """Return the parts of an immutable value; None for a mutable one."""
    kind = type(value)
    if kind is tuple:
        return list(value)
    if kind is frozenset:
        return ordered(value)
    if isinstance(value, (str, Enum, np.generic, Decimal)):
        return []
    declaration = declaration_of(kind)
    if declaration is None or declaration.made_by_compiling:
        return None
    if isinstance(value, tuple):
        return list(value)
    parameters = getattr(kind, "__dataclass_params__", None)
    if parameters is not None and parameters.frozen and parameters.eq:
        return [getattr(value, name) for name in declaration.kept]
    return None


def ordered(values: Any) -> list[Any]:
    """Return the members of a set in an order that does not depend on how it came about, if there
    is one; of a list, in its own."""
    if not isinstance(values, (set, frozenset)):
        return list(values)
    try:
        return sorted(values, key=_place_in_order)
    except TypeError:
        return list(values)


def _place_in_order(value: Any) -> Any:
    """Return the sort key of a set's member; raise TypeError if it has none of its own."""
    kind = type(value)
    if kind is int:
        return "int", value
    if kind is tuple:
        return "tuple", tuple([_place_in_order(each) for each in value])
    if kind is frozenset:
        return "set", sorted(map(_place_in_order, value))
    if isinstance(value, Literal):
        return kind.__name__, str(value), str(value._datatype), str(value._language)
    if isinstance(value, str):
        return kind.__name__, str(value)
    if kind in _ATOMS:
        return kind.__name__, repr(value)
    inside = _inside(value)
    if inside is None:
        raise TypeError
    return kind.__name__, tuple([_place_in_order(each) for each in inside])


def _unordered(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _flat(mapping: Any) -> Iterator[Any]:
    for key, value in mapping.items():
        yield key
        yield value
