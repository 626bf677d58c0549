"""The streams of a run, read once and in order, from wherever Spark goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from queue import Empty, Queue
from threading import Thread
from typing import Any

from .asked_run import AskedRun
from .key_chunks import KeyChunk, item_chunks, tuple_chunks

EVERY = 100_000
"""Items of a micro-batch, where nobody says it."""

_PATIENCE = 0.2  # seconds that a live stream is waited for before Spark is told that it is silent
_TOGETHER = 1000  # items that are handed over at once
_END = object()


class OrderedReading:
    """What arrives, by its place in the merged stream; what was committed is forgotten."""

    def __init__(self, description: str) -> None:
        self.asked = AskedRun.of(description)
        self.every: int = self.asked.arguments.every or EVERY
        self.endless = self.asked.endless
        self.start: int | None = None
        self._pending: list[tuple[int, Any]] = []
        self._queue: Queue[Any] = Queue(maxsize=4)
        self._read = 0  # the place behind the last item that was read
        self._ended = False
        self._arrivals: Any = None
        self._begun = False
        self._taken = 0  # what had been taken when it began

    def there_after(self, taken: int) -> int:
        """The place where a micro-batch ends that begins here: `taken` if nothing has come."""
        self._read_to(taken + self.every, taken=taken, waits=not self.endless)
        return max(taken, min(self._read, taken + self.every))

    def chunks(self, first: int, end: int) -> Iterator[KeyChunk]:
        """The chunks of a micro-batch."""
        self._read_to(end, taken=first, waits=True)
        taken = self._between(first, end)
        if self.asked.keys is None:
            return tuple_chunks(self.asked, taken)
        return item_chunks(self.asked, self.asked.keys, taken, self.start or 0)

    def forget(self, place: int) -> None:
        """What stands before it is not asked for again."""
        self._pending = list(self._between(place, self._read))

    def late(self) -> dict[str, int]:
        """How many items of each stream came too late by now."""
        late = self._arrivals.late if self._arrivals is not None else {}
        return {name: each.items for name, each in late.items()}

    def stop(self) -> None:
        """Nobody asks for more: who reads topics lets go of them."""
        if self._arrivals is not None:
            with suppress(OSError):  # streams that have ended have let go by themselves
                self._arrivals.end()

    # --- the streams are read ---

    def _read_to(self, place: int, *, taken: int, waits: bool) -> None:
        if not self._begun:
            self._begun, self._taken = True, taken
            Thread(target=self._fill, name="reads the streams", daemon=True).start()
        while self._read < place and not self._ended:
            try:
                piece = self._queue.get(timeout=None if waits else _PATIENCE)
            except Empty:
                return
            if piece is _END:
                self._ended = True
            elif isinstance(piece, BaseException):
                raise piece
            else:
                self._take(piece)

    def _take(self, pieces: list[Any]) -> None:
        for piece in pieces:
            if self.start is None and self.asked.keys is not None:
                self.start = self.asked.evaluation.get("from", piece.time)
            self._pending.append((self._read, piece))
            self._read += piece.num_rows if self.asked.keys is None else 1

    def _fill(self) -> None:
        """Reads ahead: several items are handed over together, single ones of a live stream."""
        try:
            arriving, self._arrivals = self.asked.arrivals(self._taken)
            several: list[Any] = []
            for each in arriving:
                if hasattr(each, "to_batches"):  # a table
                    several += each.to_batches()
                else:
                    several.append(each)
                if self.endless or len(several) >= 1000 or self.asked.keys is None:
                    self._queue.put(several)
                    several = []
            self._queue.put(several)
            self._queue.put(_END)
        except BaseException as error:  # it is raised where Spark asks
            self._queue.put(error)

    def _between(self, first: int, end: int) -> Iterator[tuple[int, Any]]:
        for place, piece in self._pending:
            if self.asked.keys is not None:
                if first <= place < end:
                    yield place, piece
                continue
            begin, stop = max(first, place), min(end, place + piece.num_rows)
            if begin < stop:
                yield begin, piece.slice(begin - place, stop - begin)
