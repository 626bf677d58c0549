"""Ctrl-C and SIGTERM end a streaming query between two calls of Spark, and not within one.

Spark's own handler raises in the midst of a call, of which Py4J then shows tracebacks.
"""

from __future__ import annotations

import signal
from contextlib import ExitStack, suppress
from threading import Event, current_thread, main_thread
from typing import Any

_SECONDS_BETWEEN_LOOKS = 0.2


def await_end(query: Any) -> None:
    """Returns when the query has ended, and raises what it ended with.

    Told to end by a signal it stops the query, and raises KeyboardInterrupt, or SystemExit with
    128 + 15. A second signal does not wait for that.
    """
    told: list[int] = []
    asked = Event()

    def told_to_end(number: int, _: object) -> None:
        if told:
            raise KeyboardInterrupt
        told.append(number)
        asked.set()

    with ExitStack() as handlers:
        if current_thread() is main_thread():
            for each in (signal.SIGINT, signal.SIGTERM):
                handlers.callback(signal.signal, each, signal.signal(each, told_to_end))
        while query.isActive and not asked.wait(_SECONDS_BETWEEN_LOOKS):
            pass
        if not told:
            query.awaitTermination()
            return
        with suppress(Exception):  # of the micro-batch that is given up
            query.stop()
    if told[0] == signal.SIGTERM:
        raise SystemExit(128 + signal.SIGTERM)
    raise KeyboardInterrupt
