"""The beginnings of a SPAseq sequence, and of each one queries that demand less."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from rdflib.term import Variable

from ....semantics.model.pretty_printing import text_of
from ....semantics.model.trees import changed, find
from ....semantics.rdf.syntax.tree import GroupGraphPattern
from ....semantics.rdf.syntax.variables import possible_variables, self_contained, within
from ....semantics.spaseq.syntax.readings import Readings
from ....semantics.spaseq.syntax.tree import (
    Atom,
    Definition,
    Extent,
    Negation,
    OptionalEvent,
    Reference,
    SequenceExpression,
    SpaseqQuery,
)
from ..base import TOGETHER, Beginning, Relaxed

UNBOUNDED = 1 << 62
"""An extent of a window that holds every event."""


def beginnings(query: SpaseqQuery, readings: Readings) -> list[Beginning]:
    """Return the beginnings of the sequence, the shortest first; the last one is the sequence.

    A negation or an optional event belongs to the element behind it.
    """
    sequence, found = query.sequence, []
    atoms = [sequence.first, *(step.atom for step in sequence.steps)]
    begun = 0  # the number of elements of the beginning before
    for number, last in enumerate(atoms):
        if isinstance(last, Negation | OptionalEvent) and number + 1 < len(atoms):
            continue
        before = replace(sequence, steps=sequence.steps[: begun - 1]) if begun else None
        added = SequenceExpression(atoms[begun], sequence.steps[begun:number])
        of = replace(sequence, steps=sequence.steps[:number])
        found.append(Beginning(
            "" if before is None else text_of(before), text_of(added),
            _beginning(query, of), tuple(_relaxed(query, before, of, last, readings)),
        ))
        begun = number + 1
    return found


def _beginning(query: SpaseqQuery, sequence: SequenceExpression) -> SpaseqQuery:
    """Return a query of a sequence alone, without the conditions on what it does not bind."""
    definitions = [query.definition(name) for name in _names(sequence)]
    bound = _bound(definitions)
    return replace(
        query, select=None, select_positions=(), sequence=sequence,
        definitions=tuple(replace(d, pattern=within(d.pattern, bound)) for d in definitions),
    )


def _relaxed(
    query: SpaseqQuery, before: SequenceExpression | None, sequence: SequenceExpression,
    last: Atom, readings: Readings,
) -> Iterator[Relaxed]:
    own = _beginning(query, sequence)
    everywhere = replace(own, within=Extent(UNBOUNDED, query.within.unit), slide=None)
    anytime = replace(readings, window="match")
    yield Relaxed("not in one window (WITHIN)", everywhere, anytime)
    if before is None:
        return
    earlier = _bound([query.definition(name) for name in _names(before)])
    shared = sorted(earlier & _bound([query.definition(name) for name in _names(last)]))
    others = {v: Variable(f"{v}_of_its_own") for v in shared}

    def separate(query: SpaseqQuery) -> SpaseqQuery:
        return _with_last(query, last, lambda pattern: changed(
            pattern, lambda part: others.get(part, part) if isinstance(part, Variable) else part
        ))

    def unconditioned(query: SpaseqQuery) -> SpaseqQuery:
        return replace(query, definitions=tuple(
            replace(d, pattern=self_contained(d.pattern)) for d in query.definitions
        ))

    if shared:
        same = " and ".join(f"?{v}" for v in shared)
        yield Relaxed(f"not with the same {same}", separate(own), readings)
    alone = unconditioned(own)
    if alone != own:
        but = "a FILTER on variables of several patterns is never true"
        yield Relaxed(but, alone, readings)
    yield Relaxed(TOGETHER, separate(unconditioned(everywhere)), anytime)


def _with_last(
    query: SpaseqQuery, last: Atom, change: Callable[[GroupGraphPattern], GroupGraphPattern]
) -> SpaseqQuery:
    """Return the query with the patterns of its last element changed there, and not elsewhere."""
    taken = {each.name for each in query.definitions}
    names: dict[str, str] = {}
    for name in _names(last):
        new = name
        while new in taken:
            new += "_"
        names[name] = new
        taken.add(new)
    last = changed(last, lambda part: (
        replace(part, name=names[part.name]) if isinstance(part, Reference) else part
    ))
    made = [
        replace(query.definition(name), name=new, pattern=change(query.definition(name).pattern))
        for name, new in names.items()
    ]
    *steps, step = query.sequence.steps
    sequence = replace(query.sequence, steps=(*steps, replace(step, atom=last)))
    used = set(_names(sequence))
    kept = [each for each in query.definitions if each.name in used]
    return replace(query, sequence=sequence, definitions=(*kept, *made))


def _names(part: object) -> list[str]:
    return list(dict.fromkeys(each.name for each in find(part, Reference)))


def _bound(definitions: list[Definition]) -> frozenset[Variable]:
    return frozenset().union(*(possible_variables(each.pattern) for each in definitions))
