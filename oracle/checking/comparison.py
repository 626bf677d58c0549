"""Comparison of expected and reported results at a level that both have, up to blank nodes.

Blank nodes get colours that say how they occur; equal colours are candidates for each other. Where
colours leave a choice, one node of each side is singled out and the colours are refined again, so
that the bijection is found if there is one.

Where the definitions return a set, an answer that is reported again is `duplicate`; in a bag it
counts as often as it is reported. Blank nodes compare up to one bijection across the whole result.
What an answer leaves open (a window, a rank) is not compared. docs/comparison.md lists all that is
forgiven.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from rdflib.term import BNode

from ...semantics.model.mappings import SolutionMapping, Value
from .levels import Answer, Content, Level, blank_nodes, mappings, rename

Colours = dict[BNode, Hashable]

# Singling out seldom has to try a second candidate; the bound is against made-up monsters.
_MOST_ALIGNMENTS = 1000


def alignments(
    expected: Sequence[Answer], actual: Sequence[Answer]
) -> Iterator[dict[BNode, BNode]]:
    """Yield renamings of the actual blank nodes to the expected ones, the likeliest first.

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
    """Return colours that distinguish as much as repeated looks at the neighbourhood can."""
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


# From the finest to the coarsest; each can be derived from those before it.
_REFINEMENT: tuple[Level, ...] = ("pair", "solutions", "bag", "row")

@dataclass(frozen=True, slots=True)
class Difference:
    """The missing, the unexpected and the duplicate results."""

    missing: tuple[Answer, ...] = ()
    unexpected: tuple[Answer, ...] = ()
    duplicate: tuple[Answer, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.missing or self.unexpected or self.duplicate)


def common_level(asked: Level, reported: Level) -> Level:
    """Return the finest level at which both can be compared.

    >>> common_level("pair", "row")
    'row'
    """
    if asked in _REFINEMENT and reported in _REFINEMENT:
        return max(asked, reported, key=_REFINEMENT.index)
    return asked


def times_listed(listed: Iterable[Hashable]) -> int:
    """Return the maximum number of copies in a written set: one, unless a result repeats."""
    if isinstance(listed, (frozenset, set)):
        return 1
    return max(Counter(listed).values(), default=1)


def compare(
    expected: Iterable[Answer],
    actual: Iterable[Answer],
    level: Level,
    *,
    sets: Collection[Level] = ("pair", "positions"),
) -> Difference:
    """Return the difference at this level; empty iff the actual answers are the expected ones.

    `sets` are the levels at which the language's definitions return a set.
    """
    wanted, reported = list(expected), list(actual)
    difference_of: Callable[[Sequence[Answer], Sequence[Answer]], Difference]
    if level in sets:
        difference_of = partial(_set_difference, projected=False)
    elif level == "row":
        difference_of = partial(_set_difference, projected=True)
    else:
        difference_of = _bag_difference
    difference = difference_of(wanted, reported)
    if not difference or not any(map(blank_nodes, wanted)) or not any(map(blank_nodes, reported)):
        return difference
    best = difference
    for renaming in alignments(wanted, reported):
        renamed = difference_of(wanted, [rename(answer, renaming) for answer in reported])
        if not renamed:
            return renamed
        if _size(renamed) < _size(best):
            best = renamed
    return best


def _set_difference(
    wanted: Sequence[Answer], reported: Sequence[Answer], *, projected: bool
) -> Difference:
    """`projected` says that one and the same answer may stand for several of the definitions'."""
    wanted_by, reported_by = _grouped(wanted), _grouped(reported)
    nothing: list[Answer] = []
    return Difference(
        missing=tuple(
            w for w in dict.fromkeys(wanted)
            if not any(w.agrees(c) for c in reported_by.get((w.time, w.content), nothing))
        ),
        unexpected=tuple(
            c for c in dict.fromkeys(reported)
            if not any(c.agrees(w) for w in wanted_by.get((c.time, c.content), nothing))
        ),
        duplicate=tuple(
            c
            for key, group in reported_by.items() if len(group) > 1
            for c in _repeated(wanted_by.get(key, nothing), group, projected)
        ),
    )


def _repeated(
    wanted: Sequence[Answer], reported: Sequence[Answer], projected: bool
) -> Iterator[Answer]:
    """Yield the answers that were returned too often, among those of one time and content.

    A complete one is reported once. One that leaves something open, or is a row, is reported at
    most as often as answers were expected that it may stand for.
    """
    matched = _matching(wanted, reported)
    seen: set[Answer] = set()
    for j, c in enumerate(reported):
        again = c in seen
        seen.add(c)
        if again and not projected and None not in c.open:
            yield c
        elif j not in matched:
            agreeing = [w for w in wanted if c.agrees(w)]
            if agreeing and (again or not any(_more_open(w, c) for w in agreeing)):
                yield c


def _more_open(one: Answer, other: Answer) -> bool:
    """Return True if one answer leaves open a field of the other: it may stand for several."""
    return any(
        mine is None and theirs is not None
        for mine, theirs in zip(one.open, other.open, strict=True)
    )


def _bag_difference(wanted: Sequence[Answer], reported: Sequence[Answer]) -> Difference:
    wanted_by, reported_by = _grouped(wanted), _grouped(reported)
    missing: list[Answer] = []
    unexpected: list[Answer] = []
    for key in dict.fromkeys((*wanted_by, *reported_by)):
        left, right = wanted_by.get(key, []), reported_by.get(key, [])
        partner = _matching(left, right)
        matched = set(partner.values())
        missing.extend(w for i, w in enumerate(left) if i not in matched)
        unexpected.extend(c for j, c in enumerate(right) if j not in partner)
    return Difference(tuple(missing), tuple(unexpected))


def _matching(left: Sequence[Answer], right: Sequence[Answer]) -> dict[int, int]:
    """Return a maximum matching of answers that agree, right index -> left index.

    Two that are the same and leave nothing open belong together: what agrees with one of them and
    what agrees with the other agree. The others are matched by augmenting paths.
    """
    partner: dict[int, int] = {}
    same: dict[Answer, deque[int]] = defaultdict(deque)
    for j, candidate in enumerate(right):
        if None not in candidate.open:
            same[candidate].append(j)
    alone = []
    for i, answer in enumerate(left):
        if same.get(answer):
            partner[same[answer].popleft()] = i
        else:
            alone.append(i)
    rest = [j for j in range(len(right)) if j not in partner]

    def place(i: int, tried: set[int]) -> bool:
        for j in rest:
            if j not in tried and left[i].agrees(right[j]):
                tried.add(j)
                if j not in partner or place(partner[j], tried):
                    partner[j] = i
                    return True
        return False

    for i in alone:
        place(i, set())
    return partner


def _grouped(answers: Iterable[Answer]) -> dict[tuple[Hashable, Content], list[Answer]]:
    groups: dict[tuple[Hashable, Content], list[Answer]] = defaultdict(list)
    for answer in answers:
        groups[answer.time, answer.content].append(answer)
    return groups


def _size(difference: Difference) -> int:
    return len(difference.missing) + len(difference.unexpected) + len(difference.duplicate)
