"""Solution mappings (SPAseq Def. 5, after Pérez, Arenas and Gutierrez).

A mapping is a partial function from variables to RDF terms; it is
immutable and hashable, so that Ω can be a plain `frozenset`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from rdflib.term import Variable

from .terms import Term

# `kleene=collect` binds a variable to the tuple of its values, one an iteration.
Value: TypeAlias = Term | tuple[Term, ...]


class SolutionMapping(Mapping[Variable, Value]):
    """μ : V ⇀ T, a partial function from variables to terms."""

    __slots__ = ("_bindings", "_hash")

    def __init__(self, bindings: Mapping[Variable, Value] | Iterable[tuple[Variable, Value]] = ()):
        self._bindings: dict[Variable, Value] = dict(bindings)
        self._hash: int | None = None

    def __getitem__(self, variable: Variable) -> Value:
        return self._bindings[variable]

    def __iter__(self) -> Iterator[Variable]:
        return iter(self._bindings)

    def __len__(self) -> int:
        return len(self._bindings)

    def __contains__(self, variable: object) -> bool:
        return variable in self._bindings

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._bindings.items()))
        return self._hash

    def __eq__(self, other: object) -> bool:
        if isinstance(other, SolutionMapping):
            return self._bindings == other._bindings
        return NotImplemented

    def __repr__(self) -> str:
        inner = ", ".join(f"?{v} ↦ {_show(t)}" for v, t in sorted(self._bindings.items()))
        return f"{{{inner}}}"

    def __reduce__(self) -> tuple[object, ...]:
        return SolutionMapping, (self._bindings,)

    def compatible(self, other: SolutionMapping) -> bool:
        """μ1 ~ μ2: they agree on every shared variable."""
        ours, theirs = self._bindings, other._bindings
        if len(theirs) < len(ours):
            ours, theirs = theirs, ours
        for variable, value in ours.items():
            other_value = theirs.get(variable, value)
            # Terms are slow to compare, and often the same object.
            if other_value is not value and other_value != value:
                return False
        return True

    def merge(self, other: SolutionMapping) -> SolutionMapping:
        """μ1 ∪ μ2, for compatible mappings."""
        if not other._bindings:
            return self
        if not self._bindings:
            return other
        return SolutionMapping({**self._bindings, **other._bindings})

    def project(self, variables: Iterable[Variable]) -> SolutionMapping:
        """π_V(μ): the restriction of μ to V."""
        keep = variables if isinstance(variables, (set, frozenset)) else frozenset(variables)
        kept = {v: t for v, t in self._bindings.items() if v in keep}
        return self if len(kept) == len(self._bindings) else SolutionMapping(kept)

    def without(self, variables: Iterable[Variable]) -> SolutionMapping:
        """π_¬V(μ): μ without the variables of V."""
        drop = variables if isinstance(variables, (set, frozenset)) else frozenset(variables)
        left = {v: t for v, t in self._bindings.items() if v not in drop}
        return self if len(left) == len(self._bindings) else SolutionMapping(left)


def _show(value: Value) -> str:
    if isinstance(value, tuple):
        return "(" + " ".join(term.n3() for term in value) + ")"
    return value.n3()


Solutions: TypeAlias = frozenset[SolutionMapping]

EMPTY_MAPPING = SolutionMapping()
