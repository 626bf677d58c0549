"""The I/O-deterministic automaton of a query, state by state as events ask for it (CORE 4.4).

A state is a set of VCEA states, so that each set of positions is one run; under a selection
strategy it says in addition where the rivals of its runs are. Acceptance lies on transitions:
what they lead to keeps only VCEA states from which a run can go on.

Rivals (Grez et al., TODS 2021, on sets of states): a run is compared with every other run that
reads the stream, also those that started before it or will start after it. `same` are those that
have marked the same positions so far, `ahead` those that win as things stand, `behind` those that
lose as things stand and may still win.

* NEXT: the first difference decides, so who is ahead stays ahead and who is behind is forgotten.
* LAST: each difference decides anew.
* MAX: ahead is who has marked all that the run has, and more; who has missed a position that the
  run has marked is forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from ....semantics.ceql.syntax.tree import Strategy
from ...checkpoints.declared import stateful
from .conditions import Test
from .vcea import UNMARKED, Labels, Vcea

States: TypeAlias = int
"""A set of states of the VCEA, as bits."""

Symbol: TypeAlias = int
"""A set of transitions of the VCEA that an event satisfies, numbered."""


@stateful()
class Run(NamedTuple):
    """A deterministic state: where the runs with one set of positions are, and their rivals.

    `phase` is STRICT's: 0 before the first marked position, 1 right after a marked one, 2 later.
    """

    own: States
    same: States = 0
    ahead: States = 0
    behind: States = 0
    phase: int = 0


class Step(NamedTuple):
    """A transition of the deterministic automaton; without a target the run ends here."""

    marking: bool
    labels: Labels
    target: Run | None
    accepting: bool


_START: States = 1


@stateful(
    compiled=("vcea", "strategy", "rivalry", "final", "alive", "_asking"),
    anew=("_by_symbol", "_moving"),
)
class Determinisation:
    """Transitions of the deterministic automaton, computed from sets of VCEA states."""

    def __init__(self, vcea: Vcea, strategy: Strategy, *, labelled: bool) -> None:
        self.vcea = vcea
        self.strategy = strategy
        self.rivalry = strategy in (Strategy.NEXT, Strategy.LAST, Strategy.MAX)
        self.final = sum(1 << q for q in vcea.final)
        self.alive = 0
        self._asking: dict[Test, list[tuple[Labels, States, States]]] = {}
        for t in vcea.transitions:
            self.alive |= 1 << t.source
            marks = t.labels if labelled or not t.labels else _SOME
            self._asking.setdefault(t.test, []).append((marks, 1 << t.source, 1 << t.target))
        self._by_symbol: list[dict[Labels, dict[States, States]]] = []
        self._moving: list[States] = []  # by symbol: those that do not just skip such an event

    @property
    def tests(self) -> list[Test]:
        """The distinct tests of the VCEA's transitions."""
        return list(self._asking)

    def forget_symbols(self) -> None:
        """Have no symbols, as at first."""
        self._by_symbol.clear()
        self._moving.clear()

    def is_run(self, run: object) -> bool:
        """Whether this is a run whose sets have no states but the VCEA's."""
        known = self.alive | self.final | _START
        return isinstance(run, Run) and run.phase in (0, 1, 2) and all(
            type(each) is int and each >= 0 and not each & ~known for each in run[:-1]
        )

    def add_symbol(self, satisfied: Iterable[Test]) -> Symbol:
        """The next symbol: of events that satisfy exactly these of the VCEA's tests."""
        moves: dict[Labels, dict[States, States]] = {}
        for test in satisfied:
            for labels, source, target in self._asking[test]:
                targets = moves.setdefault(labels, {})
                targets[source] = targets.get(source, 0) | target
        self._by_symbol.append(moves)
        staying = sum(q for q, reached in moves.get(UNMARKED, {}).items() if q == reached)
        for labels, targets in moves.items():
            if labels != UNMARKED:
                staying &= ~sum(targets)
        self._moving.append(~staying)
        return len(self._by_symbol) - 1

    # --- contexts: what a run that starts now is compared with ---

    @property
    def first_context(self) -> Run:
        """Nothing has been read."""
        return Run(_START, _START)

    def next_context(self, context: Run, symbol: Symbol) -> Run:
        """What an event makes of the runs that a later one is compared with."""
        if not self.rivalry:
            return context
        same = self._skipping(context.same, symbol)
        ahead = (
            self._marking(context.same | context.ahead, symbol)
            | self._skipping(context.ahead, symbol)
        ) & self.alive
        return Run(_START, same & self.alive & ~ahead | _START, ahead)

    # --- transitions ---

    def steps(self, run: Run, symbol: Symbol) -> Iterator[Step]:
        """The transitions of a run, or of a context: then they start a run."""
        for labels, moves in self._by_symbol[symbol].items():
            marking = labels != UNMARKED
            own = _moved(run.own, moves)
            if own == 0:
                continue
            phase = run.phase
            if self.strategy is Strategy.STRICT:
                if marking and phase == 2:
                    continue
                phase = 1 if marking else (0 if phase == 0 else 2)
            same = ahead = behind = 0
            if self.rivalry:
                same, ahead, behind = self._rivals(run, symbol, marking)
            accepting = bool(own & self.final) and not ahead & self.final
            own &= self.alive
            ahead &= self.alive
            same &= self.alive & ~ahead
            behind &= self.alive & ~ahead & ~same
            target = Run(own, same, ahead, behind, phase) if own else None
            if target is not None or accepting:
                yield Step(marking, labels, target, accepting)

    def passes_by(self, run: Run, symbol: Symbol) -> bool:
        """Whether the runs skip such events and stay as they are: one transition, by which."""
        if self.rivalry or self.strategy is Strategy.STRICT:
            return False
        return not run.own & (self._moving[symbol] | self.final)

    def _rivals(self, run: Run, symbol: Symbol, marking: bool) -> tuple[States, States, States]:
        """`same`, `ahead` and `behind` after an event that the run marks, or skips."""

        def mark(states: States) -> States:
            return self._marking(states, symbol)

        def skip(states: States) -> States:
            return self._skipping(states, symbol)

        same, ahead, behind = run.same, run.ahead, run.behind
        match self.strategy, marking:
            case Strategy.NEXT, True:
                return mark(same), mark(ahead) | skip(ahead), 0
            case Strategy.NEXT, False:
                return skip(same), mark(same | ahead) | skip(ahead), 0
            case Strategy.LAST, True:
                return mark(same), mark(ahead), mark(behind) | skip(same | ahead | behind)
            case Strategy.LAST, False:
                return skip(same), mark(same | ahead | behind) | skip(ahead), skip(behind)
            case _, True:
                return mark(same), mark(ahead), 0
            case _, False:
                return skip(same), mark(same | ahead) | skip(ahead), 0

    def _marking(self, states: States, symbol: Symbol) -> States:
        reached = 0
        for labels, moves in self._by_symbol[symbol].items():
            if labels != UNMARKED:
                reached |= _moved(states, moves)
        return reached

    def _skipping(self, states: States, symbol: Symbol) -> States:
        """Without marking the event; a run that has not started may start later."""
        moves = self._by_symbol[symbol].get(UNMARKED, {})
        return _moved(states, moves) | states & _START


_SOME: Labels = frozenset({"●"})


def _moved(states: States, moves: dict[States, States]) -> States:
    reached = 0
    while states:
        one = states & -states
        reached |= moves.get(one, 0)
        states ^= one
    return reached
