"""Comparing what was expected with what was reported, at a level that both have.

Where the definitions return a set, an answer that is reported again is `repeated`; in a bag it
counts as often as it is reported. Blank nodes compare up to one bijection across the whole result.
What an answer leaves open (a window, a rank) is not compared. docs/comparison.md lists all that is
forgiven.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from .blank_nodes import alignments
from .levels import Answer, Content, Level, blank_nodes, rename

# From the finest to the coarsest; each can be derived from those before it.
_REFINEMENT: tuple[Level, ...] = ("pair", "solutions", "bag", "row")

@dataclass(frozen=True, slots=True)
class Difference:
    """What was expected and not reported, what was not expected, what was reported too often."""

    missing: tuple[Answer, ...] = ()
    unexpected: tuple[Answer, ...] = ()
    repeated: tuple[Answer, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.missing or self.unexpected or self.repeated)


def common_level(asked: Level, reported: Level) -> Level:
    """The finest level at which both can be compared.

    >>> common_level("pair", "row")
    'row'
    """
    if asked in _REFINEMENT and reported in _REFINEMENT:
        return max(asked, reported, key=_REFINEMENT.index)
    return asked


def times_listed(listed: Iterable[Hashable]) -> int:
    """How often a written set lists what it lists most often: once, unless something repeats."""
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
    """The difference at this level; empty iff the actual answers are the expected ones.

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
        repeated=tuple(
            c
            for key, group in reported_by.items() if len(group) > 1
            for c in _repeated(wanted_by.get(key, nothing), group, projected)
        ),
    )


def _repeated(
    wanted: Sequence[Answer], reported: Sequence[Answer], projected: bool
) -> Iterator[Answer]:
    """The answers that were reported too often, among those of one time and content.

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
    """Whether one leaves open what the other tells: it may stand for several such answers."""
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
    """A maximum matching of answers that agree, right index -> left index.

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
    return len(difference.missing) + len(difference.unexpected) + len(difference.repeated)
