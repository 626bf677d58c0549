"""Bijections between the blank nodes of two results, by colour refinement.

Blank nodes get colours that say how they occur; equal colours are candidates for each other. Where
colours leave a choice, one node of each side is singled out and the colours are refined again, so
that the bijection is found if there is one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import islice

from rdflib.term import BNode

from ...semantics.model.mappings import SolutionMapping, Value
from .levels import Answer, blank_nodes, mappings

Colours = dict[BNode, Hashable]

# Singling out seldom has to try a second candidate; the bound is against made-up monsters.
_MOST_ALIGNMENTS = 1000


def alignments(
    expected: Sequence[Answer], actual: Sequence[Answer]
) -> Iterator[dict[BNode, BNode]]:
    """Renamings of the actual blank nodes to the expected ones, the likeliest first.

    If some bijection makes the results equal, one of the renamings does (within a bound on their
    number); otherwise the first pairs up what can be paired, for a readable difference.
    """
    wanted = {node for answer in expected for node in blank_nodes(answer)}
    reported = {node for answer in actual for node in blank_nodes(answer)}
    yield from islice(
        _search(expected, actual, dict.fromkeys(wanted, 0), dict.fromkeys(reported, 0)),
        _MOST_ALIGNMENTS,
    )


def _search(
    expected: Sequence[Answer], actual: Sequence[Answer], wanted: Colours, reported: Colours
) -> Iterator[dict[BNode, BNode]]:
    wanted, reported = _refined(expected, wanted), _refined(actual, reported)
    wanted_classes, reported_classes = _classes(wanted), _classes(reported)
    if _sizes(wanted_classes) != _sizes(reported_classes):  # no bijection keeps the colours
        yield _paired(wanted_classes, reported_classes)
        return
    ambiguous = [colour for colour, nodes in wanted_classes.items() if len(nodes) > 1]
    if not ambiguous:
        yield _paired(wanted_classes, reported_classes)
        return
    choice = min(ambiguous, key=lambda colour: len(wanted_classes[colour]))
    singled = wanted_classes[choice][0]
    for candidate in reported_classes[choice]:
        mark = ("singled out", choice)
        yield from _search(
            expected, actual, {**wanted, singled: mark}, {**reported, candidate: mark}
        )


def _paired(
    wanted: Mapping[Hashable, Sequence[BNode]], reported: Mapping[Hashable, Sequence[BNode]]
) -> dict[BNode, BNode]:
    renaming: dict[BNode, BNode] = {}
    for colour, nodes in reported.items():
        renaming.update(zip(nodes, wanted.get(colour, ()), strict=False))
    left = [node for nodes in wanted.values() for node in nodes if node not in renaming.values()]
    for nodes in reported.values():
        for node in nodes:
            if node not in renaming:
                # No counterpart of its colour: take any, or a label that nothing else has.
                renaming[node] = left.pop() if left else BNode(f"{node}-unmatched")
    return renaming


def _refined(answers: Sequence[Answer], colours: Colours) -> Colours:
    """Colours that distinguish as much as repeated looks at the neighbourhood can."""
    for _ in range(len(colours) + 1):
        occurrences: dict[BNode, set[Hashable]] = defaultdict(set)
        for answer in answers:
            nodes = blank_nodes(answer)
            if not nodes:
                continue
            looks = [(mu, _look(mu, colours)) for mu in mappings(answer)]
            # The time as text: -1 and -2 have one hash.
            whole = hash((repr(answer.time), frozenset(look for _, look in looks)))
            for mu, look in looks:
                for variable, value in mu.items():
                    for place, term in enumerate(value if isinstance(value, tuple) else (value,)):
                        if isinstance(term, BNode):
                            occurrences[term].add((whole, look, str(variable), place))
        finer: Colours = {
            node: hash((colour, frozenset(occurrences[node]))) for node, colour in colours.items()
        }
        if len(set(finer.values())) == len(set(colours.values())):
            return finer
        colours = finer
    return colours


def _look(mu: SolutionMapping, colours: Colours) -> int:
    return hash(frozenset((variable, _shade(value, colours)) for variable, value in mu.items()))


def _shade(value: Value, colours: Colours) -> Hashable:
    if isinstance(value, tuple):
        return tuple(_shade(term, colours) for term in value)
    return ("blank", colours[value]) if isinstance(value, BNode) else value


def _classes(colours: Colours) -> dict[Hashable, list[BNode]]:
    classes: dict[Hashable, list[BNode]] = defaultdict(list)
    for node, colour in sorted(colours.items()):
        classes[colour].append(node)
    return classes


def _sizes(classes: Mapping[Hashable, Sequence[BNode]]) -> dict[Hashable, int]:
    return {colour: len(nodes) for colour, nodes in classes.items()}
