"""How the definitions come to a pair: ⟦Ψ0 •1 Ψ1 …⟧ once more, keeping what each pair came from.

The evaluation is that of `semantics.spaseq`, called piece by piece; nothing is defined anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from rdflib.term import Variable

from .....semantics.model.mappings import EMPTY_MAPPING, Solutions
from .....semantics.spaseq.absence import guarded
from .....semantics.spaseq.chains import Chain, Following
from .....semantics.spaseq.context import Context
from .....semantics.spaseq.deferral import (
    NO_CONDITIONS,
    Join,
    OwingPairs,
    OwingSolutions,
    Pairs,
    TimedSolutions,
    heading,
    join_under,
)
from .....semantics.spaseq.denotation import bop, selected
from .....semantics.spaseq.iterations import iteration
from .....semantics.spaseq.syntax.scope import variables
from .....semantics.spaseq.syntax.tree import Atom, KleenePlus, Operand, Operator


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A pair (τ, X) of ⟦σ • Ψ⟧ and one way in which it comes about.

    `match` is the pair of ⟦Ψ⟧ that was joined with `before`, a pair of ⟦σ⟧ (or an earlier iteration
    of Ψ); at the head of the sequence `before` and `operator` are None. `iteration` counts from 1
    for a Kleene plus and is 0 otherwise.
    """

    pair: TimedSolutions
    psi: Operand
    match: OwingSolutions
    before: Node | None = None
    operator: Operator | None = None
    link: Following | None = None
    iteration: int = 0


@dataclass(frozen=True, slots=True)
class Element:
    """Ψ of a sequence, with all that evaluating it takes.

    `local` holds the variables that each iteration of a Kleene plus binds anew.
    """

    atom: Atom
    psi: Operand
    matches: OwingPairs
    joined: Join
    local: frozenset[Variable]
    link: Following | None = None

    @property
    def operator(self) -> Operator | None:
        """How it follows; None at the head."""
        return self.link.operator if self.link is not None else None


def elements(chain: Chain, context: Context) -> list[Element]:
    """The elements of a sequence, from left to right."""
    found = []
    bindable: frozenset[Variable] = frozenset()
    for atom, link in _atoms(chain):
        psi = atom.operand if isinstance(atom, KleenePlus) else atom
        local: frozenset[Variable] = frozenset()
        joined: Join = join_under
        if isinstance(atom, KleenePlus):
            local = variables(psi, context.bindable) - bindable
            joined = iteration(context.readings.kleene, local)
            if context.readings.kleene == "join":
                local = frozenset()
        found.append(Element(atom, psi, bop(psi, context), joined, local, link))
        bindable |= variables(psi, context.bindable)
    return found


def _atoms(chain: Chain) -> Iterator[tuple[Atom, Following | None]]:
    """Ψ0, Ψ1, … of Ψ0 •1 Ψ1 …, each with how it follows."""
    if isinstance(chain, Following):
        yield from _atoms(chain.sigma)
        yield chain.psi, chain
    else:
        yield chain, None


def levels(parts: list[Element], context: Context) -> Iterator[list[Node]]:
    """The pairs of ⟦Ψ0⟧, of ⟦Ψ0 •1 Ψ1⟧, and so on, each with one derivation, in time order."""
    nodes = _head(parts[0], context)
    yield nodes
    for part in parts[1:]:
        nodes = _followed(nodes, part, context)
        yield nodes


def _head(part: Element, context: Context) -> list[Node]:
    first: Solutions = frozenset({EMPTY_MAPPING})
    kleene = isinstance(part.atom, KleenePlus)
    begun = []
    for match in part.matches:
        for time, left in heading(frozenset({match})):
            omega = part.joined(first, left, NO_CONDITIONS) if kleene else left
            alone = OwingSolutions(time, left)
            begun.append(Node(TimedSolutions(time, omega), part.psi, alone, iteration=int(kleene)))
    if not kleene:
        return _in_order(begun)
    return _repeated(begun, lambda node: _next(node, Operator.NEXT, part, context))


def _followed(past: list[Node], part: Element, context: Context) -> list[Node]:
    assert part.link is not None
    found = []
    for before in past:
        for node in _next(before, part.link.operator, part, context, link=part.link):
            joined: Pairs = frozenset({node.pair})
            for left in _guarded(before, part.link, joined, context):
                found.append(
                    Node(left, node.psi, node.match, before, node.operator, part.link,
                         int(isinstance(part.atom, KleenePlus)))
                )
    if not isinstance(part.atom, KleenePlus):
        return _in_order(found)
    return _repeated(found, lambda node: _next(node, Operator.STRICT, part, context))


def _guarded(before: Node, link: Following, joined: Pairs, context: Context) -> Pairs:
    """What the negations in between leave of pairs that follow a node."""
    return guarded(frozenset({before.pair}), link.absent, lambda _: joined, context)


def _next(
    before: Node, operator: Operator, part: Element, context: Context, link: Following | None = None
) -> Iterator[Node]:
    past: Pairs = frozenset({before.pair})
    for pair in selected(operator, past, part.matches, part.joined, context.streamset):
        match = next(
            match for match in part.matches
            if match.time == pair.time
            and part.joined(before.pair.omega, match.omega, match.conditions) == pair.omega
        )
        yield Node(pair, part.psi, match, before, operator, link, before.iteration + 1)


def _repeated(first: Iterable[Node], again: Callable[[Node], Iterator[Node]]) -> list[Node]:
    found = {node.pair: node for node in _in_order(first)}
    waiting = list(found.values())
    while waiting:
        for node in again(waiting.pop(0)):
            if node.pair not in found:
                found[node.pair] = node
                waiting.append(node)
    return _in_order(found.values())


def _in_order(nodes: Iterable[Node]) -> list[Node]:
    unique: dict[TimedSolutions, Node] = {}
    for node in nodes:
        unique.setdefault(node.pair, node)
    return sorted(unique.values(), key=lambda node: node.pair.time)
