"""Stateful tests with Hypothesis: streaming engines against the definitions, step by step.

Items are pushed one by one, time advances, what has been reported is looked at, and an engine that
can goes on from a checkpoint. What an engine has reported must be what the definitions say of the
items so far, for it cannot take anything back; and when the streams end, all of it must be there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from threading import Semaphore, Thread
from typing import Any, Protocol, TypeAlias

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from ...cases.case import Case, ExpectedResults
from ...checking.case_checker import expectation_of
from ...checking.comparison import compare
from ...checking.levels import blank_nodes
from ..rounds import cases_strategy


class PullingEngine:
    """An engine that takes iterators and returns one, as a `RunningEngine`.

    `run` is called with an iterator for each stream. It works in a thread of its own, which stands
    still while nobody pushes: an iterator whose next item has not been pushed yet waits for it, and
    what has been found until then is what `push` returns. So nothing of it depends on time.
    """

    def __init__(
        self,
        run: Callable[[Mapping[Any, Iterator[Any]]], Iterable[Any]],
        streams: Iterable[Hashable],
    ) -> None:
        self._run = run
        self._pushed: dict[Hashable, deque[Any]] = {name: deque() for name in streams}
        self._found: list[Any] = []
        self._ended = self._left = self._done = False
        self._error: BaseException | None = None
        self._its_turn, self._our_turn = Semaphore(0), Semaphore(0)
        self._thread = Thread(target=self._work, daemon=True)
        self._thread.start()

    def push(self, stream: Hashable, item: Any, /) -> list[Any]:
        """Push the item; return the results that become final."""
        self._pushed[stream].append(item)
        return self._go_on()

    def finish(self) -> list[Any]:
        """Return the results that are final at the end of the streams."""
        self._ended = True
        return self._go_on()

    def close(self) -> None:
        """End the thread."""
        self._left = True
        if not self._done:
            self._go_on()
        self._thread.join()

    def _go_on(self) -> list[Any]:
        if not self._done:
            self._its_turn.release()
            self._our_turn.acquire()
        if self._error is not None and not self._left:
            raise self._error
        found, self._found = self._found, []
        return found

    def _work(self) -> None:
        try:
            self._its_turn.acquire()
            if not self._left:
                for result in self._run({name: self._items(name) for name in self._pushed}):
                    self._found.append(result)
        except _Left:
            pass
        except BaseException as error:  # it is raised where the engine is driven from
            self._error = error
        finally:
            self._done = True
            self._our_turn.release()

    def _items(self, name: Hashable) -> Iterator[Any]:
        pushed = self._pushed[name]
        while True:
            while not pushed:
                if self._ended:
                    return
                self._our_turn.release()
                self._its_turn.acquire()
                if self._left:
                    raise _Left
            yield pushed.popleft()


class _Left(BaseException):
    """The exception that ends a run whose engine is not driven any more."""


Arrival: TypeAlias = tuple[Any, Any]
"""An item and the name of its stream, the name first."""


class RunningEngine(Protocol):
    """Protocol of a streaming engine that evaluates one query.

    The items of all streams are pushed in the order of their times. `push` returns the results that
    are final now and have not been returned before, and `finish` the remaining ones.

    An engine may also have `advance(time)`, which advances the watermark and returns results as
    `push` does, and `checkpoint()` with `restore(state)`, which resumes the query in a new engine.
    """

    def push(self, stream: Any, item: Any, /) -> Iterable[Any]: ...

    def finish(self) -> Iterable[Any]: ...


def streaming_machine(
    language: str,
    begin: Callable[[Case], RunningEngine],
    *,
    cases: Any = None,
    at_once: bool = False,
) -> type[RuleBasedStateMachine]:
    """Return a state machine of Hypothesis that tests a streaming engine on generated cases.

    Cases whose results are a choice among several (LIMIT, say) are not drawn.

    Args:
        language: the name of the language.
        begin: returns the engine for a case; it may use the query, background graphs, readings and
            evaluation of the case, and not its streams.
        cases: a strategy of cases (default: all cases of the language).
        at_once: whether each call has to return all results of the items so far, not some of them.
    """
    drawn = (cases_strategy(language) if cases is None else cases).filter(_has_one_answer)

    class StreamingMachine(_Driving):
        asked = drawn
        made = staticmethod(begin)
        whole = at_once

    StreamingMachine.__name__ = StreamingMachine.__qualname__ = f"Streaming_{language}"
    return StreamingMachine


class _Driving(RuleBasedStateMachine):
    """The steps."""

    asked: Any
    made: Callable[[Case], Any]
    whole: bool

    def __init__(self) -> None:
        super().__init__()
        self.case: Case | None = None
        self.engine: Any = None
        self.coming: list[Arrival] = []
        self.pushed: list[Arrival] = []
        self.reported: list[Any] = []
        self.advanced = False

    @initialize(data=st.data())
    def a_query_is_asked(self, data: st.DataObject) -> None:
        case: Case = data.draw(self.asked, label="case").with_named_streams()
        self.case = case
        self.coming = arrivals(case)
        self.engine = self.made(case)

    @precondition(lambda self: self.coming)
    @rule(items=st.integers(1, 3))
    def push(self, items: int) -> None:
        for stream, item in self.coming[:items]:
            self.pushed.append((stream, item))
            self.reported += self.engine.push(stream, item)
        del self.coming[:items]

    @precondition(lambda self: self.coming and hasattr(self.engine, "advance"))
    @rule()
    def advance(self) -> None:
        """Advance to the next item."""
        time = _time(self.coming[0][1])
        if time is not None:
            self.reported += self.engine.advance(time)
            self.advanced = True

    @rule()
    def look(self) -> None:
        if not self.pushed and not self.advanced:
            assert not self.reported
            return
        # Times of evaluation may lie before the first item; later ones are not due yet.
        self._judge("so far", partly=not self.whole or not self.pushed)

    @precondition(lambda self: hasattr(self.engine, "checkpoint"))
    @rule()
    def go_on_from_a_checkpoint(self) -> None:
        assert self.case is not None
        state = self.engine.checkpoint()
        self.engine = self.made(self.case)
        self.engine.restore(state)

    def teardown(self) -> None:
        if self.engine is None:
            return
        try:
            # What its times count is not known of a stream of which nothing has come.
            if self.pushed or not self.coming:
                self.reported += self.engine.finish()
                self._judge("at the end", partly=False)
        finally:
            close = getattr(self.engine, "close", None)
            if callable(close):
                close()

    def _judge(self, when: str, *, partly: bool) -> None:
        """Assert that the reported results are right: all, and, unless `partly`, nothing more."""
        assert self.case is not None
        case = _with(self.case, self.pushed)
        expected = expectation_of(case)
        assert isinstance(expected, ExpectedResults), f"{when}: {expected}"
        language, level = case.language, expected.level
        difference = compare(
            language.answers(expected.results, level, partial=False),
            language.answers(self.reported, level, partial=False),
            level,
            sets=language.sets,
        )
        missing, unexpected = difference.missing, difference.unexpected
        if partly:  # nor is it known by then which blank node is which
            missing = ()
            unexpected = tuple(answer for answer in unexpected if not blank_nodes(answer))
        wrong = {"missing": missing, "unexpected": unexpected, "repeated": difference.duplicate}
        assert not any(wrong.values()), f"{when}: { {k: v for k, v in wrong.items() if v} }"


def arrivals(case: Case) -> list[Arrival]:
    """Return the items of a generated case as they arrive: in the order of their times."""
    order: Sequence[Any] = [*case.stream_sources]
    if case.language.items == "tuples":
        named = [str(name) for name in getattr(case.tree, "streams", ())]
        order = [name for name in named or order if name in case.stream_sources]
    timed = [
        (_time(item), place, name, item)
        for place, name in enumerate(order) for item in case.stream_sources[name]
    ]
    if all(time is not None for time, *_ in timed):
        timed.sort(key=lambda each: (each[0], each[1]))
    return [(name, item) for _, _, name, item in timed]


def _time(item: Any) -> int | None:
    """Return the time of an item; None if it is not known."""
    time: int | None = item.end if hasattr(item, "end") else item.time
    return time


def _with(case: Case, pushed: Iterable[Arrival]) -> Case:
    """Return the case with only these items on its streams."""
    streams: Mapping[Any, list[Any]] = {name: [] for name in case.stream_sources}
    for name, item in pushed:
        streams[name].append(item)
    return case.but(streams={name: tuple(items) for name, items in streams.items()})


def _has_one_answer(case: Case) -> bool:
    leaves = getattr(case.language, "leaves_a_choice", None)
    return leaves is None or not leaves(case.tree)
