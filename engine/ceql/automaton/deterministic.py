"""The I/O-deterministic automaton of a query, built on demand (CORE 4.4), as tables for kernels.

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

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import NamedTuple, TypeAlias

import numpy as np

from ....semantics.ceql.syntax.tree import CeqlQuery, Strategy
from ....semantics.model.errors import Impossible
from ...checkpoints.state_schema import stateful
from ...tuning import IN_USE
from ..kernels.dense import CONTEXT_MISSED, DenseTables
from ..kernels.sparse import DROP, MARK, REPORT, START_MARK, START_SKIP, SparseTables
from ..kernels.tables import NOWHERE
from ..kernels.tecs import Words
from .vcea import UNMARKED, Labels, Test, Vcea, compile_formula, skipping_stays

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
        """Return True for a run whose sets contain only states of the VCEA."""
        known = self.alive | self.final | _START
        return isinstance(run, Run) and run.phase in (0, 1, 2) and all(
            type(each) is int and each >= 0 and not each & ~known for each in run[:-1]
        )

    def add_symbol(self, satisfied: Iterable[Test]) -> Symbol:
        """Return the next symbol: of events that satisfy exactly these of the VCEA's tests."""
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
        """Return the context after an event: the runs that later runs are compared with."""
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
        """Yield the transitions of a run, or of a context: then they start a run."""
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
        """Return True if the runs skip such events by a single transition and stay unchanged."""
        if self.rivalry or self.strategy is Strategy.STRICT:
            return False
        return not run.own & (self._moving[symbol] | self.final)

    def _rivals(self, run: Run, symbol: Symbol, marking: bool) -> tuple[States, States, States]:
        """Return `same`, `ahead` and `behind` after an event that the run marks, or skips."""

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
        """Return the states of unmarked steps; a run that has not started may start later."""
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


_NOWHERE = int(NOWHERE)


@stateful()
class Move(NamedTuple):
    """A transition between numbered states; no target: the run ends here."""

    marking: bool
    label: int
    target: int | None
    accepting: bool


@stateful(
    kept=(
        "labels", "states", "contexts", "moves", "starts", "sparse", "_staying", "_explored",
        "_symbols",
    ),
    parts=("_source",), compiled=("vcea", "tests"),
    anew=(
        "_label_numbers", "_state_numbers", "_context_numbers", "_sparse_tables", "_dense_tables",
        "_dense",
    ),
)
class Automaton:
    """Numbers deterministic states, contexts, symbols and labels; learns transitions on a miss.

    `tests` are the distinct tests of the VCEA's transitions: a symbol says which of them hold.
    """

    def __init__(
        self, query: CeqlQuery, *, labelled: bool, strategy: Strategy | None = None
    ) -> None:
        self.vcea = compile_formula(query.projected)
        self._source = Determinisation(self.vcea, strategy or query.strategy, labelled=labelled)
        self.tests = self._source.tests
        self.labels: list[Labels] = [UNMARKED]
        self._label_numbers: dict[Labels, int] = {UNMARKED: 0}
        self.states: list[Run] = []
        self._staying: list[tuple[Move, ...]] = []
        self._explored: list[int] = []  # by state: how many symbols
        self._state_numbers: dict[Run, int] = {}
        self.contexts: list[Run] = [self._source.first_context]
        self._context_numbers: dict[Run, int] = {self.contexts[0]: 0}
        self._symbols: dict[tuple[bool, ...], int] = {}
        self.moves: dict[tuple[int, int], tuple[Move, ...]] = {}
        self.starts: dict[tuple[int, int], tuple[int, tuple[Move, ...]]] = {}
        self.sparse = (
            not self._source.rivalry
            and self._source.strategy is not Strategy.STRICT
            and skipping_stays(self.vcea)
        )
        """True if the sparse loop may be used.

        Then a ∘-transition never changes state, and the automaton is small enough to be
        determinised as soon as a symbol occurs.
        """
        self._sparse_tables: SparseTables | None = None
        self._dense_tables: DenseTables | None = None
        self._dense: _Dense | None = None  # made when it is first asked for

    def resumed(self) -> None:
        """Find out again what follows from the state.

        Raises ValueError if transitions do not fit the states: kernels check no bounds.
        """
        self._source.forget_symbols()
        for truths in self._symbols:
            self._source.add_symbol(compress(self.tests, truths))
        self._label_numbers = {labels: number for number, labels in enumerate(self.labels)}
        self._state_numbers = {run: number for number, run in enumerate(self.states)}
        self._context_numbers = {run: number for number, run in enumerate(self.contexts)}
        labels, states, contexts = len(self.labels), len(self.states), len(self.contexts)
        moves = [each for several in self.moves.values() for each in several]
        moves += [each for several in self._staying for each in several]
        moves += [each for _, several in self.starts.values() for each in several]
        fits = (
            [*self._symbols.values()] == [*range(self.symbols)]
            and all(map(self._source.is_run, (*self.states, *self.contexts)))
            and all(len(truths) == len(self.tests) for truths in self._symbols)
            and len(self._staying) == len(self._explored) == states
            and all(0 <= explored <= self.symbols for explored in self._explored)
            and all(
                is_number(state, states) and is_number(symbol, self.symbols)
                for state, symbol in self.moves
            )
            and all(
                is_number(context, contexts) and is_number(symbol, self.symbols)
                and is_number(following, contexts)
                for (context, symbol), (following, _) in self.starts.items()
            )
            and all((0, symbol) in self.starts for symbol in range(self.symbols))
            and all(
                is_number(each.label, labels)
                and (each.target is None or is_number(each.target, states))
                and type(each.marking) is type(each.accepting) is bool
                for each in moves
            )
        )
        if not fits:
            raise ValueError("the transitions of an automaton do not fit its states")

    @property
    def symbols(self) -> int:
        return len(self._symbols)

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that valuations may bind."""
        return tuple(sorted({name for t in self.vcea.transitions for name in t.labels}))

    # --- learning ---

    def symbol(self, truths: Sequence[bool]) -> int:
        """Return the number of the symbol of events for which exactly these tests hold."""
        key = tuple(truths)
        if key not in self._symbols:
            number = self._source.add_symbol(compress(self.tests, key))
            self._symbols[key] = number
            self._changed()
            self.learn_start(0, number)
            self._explore()
        return self._symbols[key]

    def learn(self, state: int, symbol: int) -> None:
        """Determinise what the kernels missed: a state, or a context if CONTEXT_MISSED is added."""
        if state >= CONTEXT_MISSED:
            self.learn_start(state - int(CONTEXT_MISSED), symbol)
            return
        if self._source.passes_by(self.states[state], symbol):
            moves = self._staying[state]
        else:
            steps = self._source.steps(self.states[state], symbol)
            moves = tuple(self._move(step) for step in steps)
        self.moves[state, symbol] = moves
        if self._dense is not None:
            self._dense.learn(state, symbol, moves)
        if self.sparse and any(not m.marking and m.target not in (None, state) for m in moves):
            raise Impossible(f"state {state} changes at an event that it skips")
        self._changed()

    def learn_start(self, context: int, symbol: int) -> None:
        following = self._source.next_context(self.contexts[context], symbol)
        if following not in self._context_numbers:
            self._context_numbers[following] = len(self.contexts)
            self.contexts.append(following)
        moves = tuple(
            self._move(step) for step in self._source.steps(self.contexts[context], symbol)
        )
        number = self._context_numbers[following]
        self.starts[context, symbol] = (number, moves)
        if self._dense is not None:
            self._dense.learn_start(context, symbol, number, moves)
        self._changed()

    def _explore(self) -> None:
        """Determinise everything that can be reached; if it is much, wait for what is asked for."""
        if not self.sparse:
            return
        state = 0
        while state < len(self.states):  # learning makes more
            run = self.states[state]
            for symbol in range(self._explored[state], self.symbols):
                if len(self.moves) >= IN_USE.explored:
                    self.sparse = False
                    return
                if not self._source.passes_by(run, symbol):
                    self.learn(state, symbol)
            self._explored[state] = self.symbols
            state += 1

    def _move(self, step: Step) -> Move:
        target = None
        if step.target is not None:
            target = self._state_numbers.get(step.target)
            if target is None:
                target = self._state_numbers[step.target] = len(self.states)
                self.states.append(step.target)
                self._staying.append((Move(False, 0, target, False),))
                self._explored.append(0)
        if step.labels not in self._label_numbers:
            self._label_numbers[step.labels] = len(self.labels)
            self.labels.append(step.labels)
        return Move(step.marking, self._label_numbers[step.labels], target, step.accepting)

    def _changed(self) -> None:
        self._sparse_tables = self._dense_tables = None

    # --- tables ---

    def sparse_tables(self) -> SparseTables:
        if self._sparse_tables is None:
            self._sparse_tables = self._make_sparse()
        return self._sparse_tables

    def _make_sparse(self) -> SparseTables:
        offsets: list[int] = []
        program: list[int] = []
        most = largest = 0
        for symbol in range(self.symbols):
            begin = len(program)
            offsets.append(begin)
            reads: list[int] = []
            drops: list[int] = []
            gains: dict[int | None, int] = {}
            for move in self.starts[0, symbol][1]:
                kind = START_MARK if move.marking else START_SKIP
                reads += _instruction(kind, 0, move)
                gains[move.target] = gains.get(move.target, 0) + 1
            for state in range(len(self.states)):
                moves = self.moves.get((state, symbol))
                if moves is None:  # it passes by
                    continue
                stays = False
                for move in moves:
                    if move.marking:
                        reads += _instruction(MARK, state, move)
                        gains[move.target] = gains.get(move.target, 0) + 1
                        continue
                    stays = move.target == state
                    if move.accepting:
                        reads += _instruction(REPORT, state, move)
                if not stays:
                    drops += [int(DROP), state, 0, _NOWHERE, 0]
            program += reads + drops
            largest = max(largest, *(n for t, n in gains.items() if t is not None), 0)
            most = max(most, (len(program) - begin) // 5)
        offsets.append(len(program))
        return SparseTables(_words(offsets), _words(program), most, largest)

    def dense_tables(self) -> DenseTables:
        if self._dense is None:
            self._dense = _Dense()
            for (state, symbol), moves in self.moves.items():
                self._dense.learn(state, symbol, moves)
            for (context, symbol), (following, moves) in self.starts.items():
                self._dense.learn_start(context, symbol, following, moves)
        if self._dense_tables is None:
            self._dense_tables = self._dense.tables(self)
        return self._dense_tables


class _Dense:
    """The tables of the dense loop, which grow with what is learned."""

    def __init__(self) -> None:
        self.rows = np.full((8, 8, 2), NOWHERE)
        self.start_rows = np.full((8, 8, 2), NOWHERE)
        self.next_contexts = np.full((8, 8), NOWHERE)
        self.transitions = np.zeros(64, np.uint64)
        self.used = 0
        self.largest = 0
        self.first = 0

    def learn(self, state: int, symbol: int, moves: tuple[Move, ...]) -> None:
        self.rows = _grown(self.rows, state + 1, symbol + 1)
        self.rows[state, symbol] = self._written(moves)
        self.largest = max(self.largest, len(moves))

    def learn_start(
        self, context: int, symbol: int, following: int, moves: tuple[Move, ...]
    ) -> None:
        self.start_rows = _grown(self.start_rows, context + 1, symbol + 1)
        self.next_contexts = _grown(self.next_contexts, context + 1, symbol + 1)
        self.start_rows[context, symbol] = self._written(moves)
        self.next_contexts[context, symbol] = following
        self.first = max(self.first, len(moves))

    def _written(self, moves: tuple[Move, ...]) -> tuple[int, int]:
        begin = self.used
        self.used += 4 * len(moves)
        while self.used > self.transitions.size:
            self.transitions = np.concatenate([self.transitions, self.transitions])
        for at, m in zip(range(begin, self.used, 4), moves, strict=True):
            target = _NOWHERE if m.target is None else m.target
            self.transitions[at : at + 4] = (m.marking, m.label, target, m.accepting)
        return begin, self.used

    def tables(self, automaton: Automaton) -> DenseTables:
        states, contexts = len(automaton.states), len(automaton.contexts)
        self.rows = _grown(self.rows, states, automaton.symbols)
        room = self.rows.shape[1]
        self.start_rows = _grown(self.start_rows, contexts, room)
        self.next_contexts = _grown(self.next_contexts, contexts, room)
        self.rows = _grown(self.rows, states, self.start_rows.shape[1])
        return DenseTables(
            np.uint64(self.rows.shape[1]),
            self.rows.reshape(-1),
            self.start_rows.reshape(-1),
            self.next_contexts.reshape(-1),
            self.transitions,
            self.largest * states + self.first,
        )


def _grown(table: Words, rows: int, columns: int) -> Words:
    """Return the table with at least that many rows and columns; new cells are NOWHERE."""
    height, width = table.shape[:2]
    if rows <= height and columns <= width:
        return table
    shape = (_doubled(height, rows), _doubled(width, columns), *table.shape[2:])
    grown = np.full(shape, NOWHERE)
    grown[:height, :width] = table
    return grown


def _doubled(size: int, least: int) -> int:
    while size < least:
        size *= 2
    return size


def is_number(value: object, count: int) -> bool:
    """Return True if a value is an integer from 0 to `count` - 1."""
    return type(value) is int and 0 <= value < count


def _instruction(kind: np.uint64, source: int, move: Move) -> list[int]:
    target = _NOWHERE if move.target is None else move.target
    return [int(kind), source, move.label, target, int(move.accepting)]


def _words(numbers: list[int]) -> Words:
    return np.array(numbers or [0], dtype=np.uint64)
