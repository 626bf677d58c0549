"""CONSTRUCT rules of EP-SPARQL, alone and such that one asks for what another constructs."""

from __future__ import annotations

from collections.abc import Iterator

from rdflib.term import BNode

from .....semantics.epsparql.syntax.tree import Operator, Rule, TemporalPattern
from .....semantics.rdf.syntax import tree as s
from .....semantics.rdf.syntax.variables import in_scope
from ....inputs.choices import Choices
from ....inputs.vocabulary import (
    AMOUNTS,
    KNOWN,
    LINK,
    QUANTITY,
    RESOURCES,
    THINGS,
    name,
)
from .patterns import AMOUNTS_OF, MADE, Shape, block_of, group_of, rarely


def rules_of(choices: Choices, shape: Shape, operators: int | None = None) -> Iterator[Rule]:
    """A rule that constructs :k or :p, or two of which one asks for what the other constructs;
    with blank nodes only from what no rule constructs, unless its body has so many operators"""
    x, y, z = THINGS
    match choices.among("epsparql/rule", ("any",) * 4 + ("chain", "chain", "late chain", "blank")):
        case "blank":
            if operators is None:
                where = block_of(choices.among(*AMOUNTS_OF))
            else:
                where = group_of(choices, shape, 1, operators)
            yield Rule((s.TriplePattern(BNode("m"), name("made"), in_scope(where)[0]),), where)
        case "chain":
            yield Rule((s.TriplePattern(x, KNOWN, y),), block_of(s.TriplePattern(x, LINK, y)))
            yield Rule((s.TriplePattern(x, KNOWN, z),), _chain(choices))
        case "late chain":
            # Whatever is linked to a resource, to what is linked to that, and so on.
            asked = s.Exists(block_of(s.TriplePattern(z, KNOWN, x)))
            linked = s.TriplesBlock((s.TriplePattern(x, LINK, y),))
            where = s.GroupGraphPattern((linked, s.Filter(asked)))
            yield Rule(
                (s.TriplePattern(RESOURCES[0], KNOWN, y),),
                block_of(s.TriplePattern(RESOURCES[0], LINK, y)),
            )
            yield Rule((s.TriplePattern(x, KNOWN, y),), where)
        case _:
            yield _rule(choices, shape, operators)


def _chain(choices: Choices) -> s.GroupGraphPattern:
    """What is known of what is linked: a rule that goes on from what it constructs"""
    x, y, z = THINGS
    known, linked = s.TriplePattern(x, KNOWN, y), s.TriplePattern(y, LINK, z)
    match choices.among("epsparql/chain", ("join", "SEQ", "waits", "again")):
        case "SEQ":
            return s.GroupGraphPattern((TemporalPattern((block_of(known), block_of(linked))),))
        case "waits":
            amount = block_of(s.TriplePattern(x, QUANTITY, AMOUNTS[0]))
            sides = block_of(known, linked), amount
            return s.GroupGraphPattern((TemporalPattern(sides, Operator.EQUALSOPTIONAL),))
        case "again":
            return block_of(known, s.TriplePattern(y, KNOWN, z))
    return block_of(known, linked)


def _rule(choices: Choices, shape: Shape, operators: int | None) -> Rule:
    where = group_of(choices, shape, 1, operators)
    if rarely(choices, "rule exists"):
        known = s.TriplesBlock((s.TriplePattern(THINGS[2], KNOWN, choices.among("", THINGS[:2])),))
        asked = s.Filter(s.Exists(s.GroupGraphPattern((known,))))
        where = s.GroupGraphPattern((*where.elements, asked))
    things = [v for v in in_scope(where) if v in THINGS] or [THINGS[0]]
    targets: list[s.TermOrVariable] = [*reversed(things), RESOURCES[0]]
    target = choices.among("object made", targets)
    made = s.TriplePattern(choices.among("subject made", things), choices.among(*MADE), target)
    if rarely(choices, "template") and target in things:
        return Rule((made, s.TriplePattern(target, KNOWN, made.subject)), where)
    return Rule((made,), where)
