"""An engine that pulls its streams, driven by whoever pushes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from threading import Semaphore, Thread
from typing import Any


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
        """The results that the item makes certain, as far as the engine is not to wait longer."""
        self._pushed[stream].append(item)
        return self._go_on()

    def finish(self) -> list[Any]:
        """The results that are certain when nothing more comes."""
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
    """Nobody drives the engine any more."""
