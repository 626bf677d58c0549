"""A signal ends a streaming query between two calls of Spark."""

from __future__ import annotations

import os
import signal

import pytest

from denota.oracle.cli.run.on_spark.spark_run import await_end


class Query:
    """Spark's side of a streaming query, to which something happens when it is looked at."""

    def __init__(self, happens: int | Exception | None) -> None:
        self.happens = happens
        self.said: list[str] = []
        self.looks = 0

    @property
    def isActive(self) -> bool:
        self.looks += 1
        if self.looks == 2 and isinstance(self.happens, int):
            os.kill(os.getpid(), self.happens)
        return self.looks < 3 or isinstance(self.happens, int)

    def awaitTermination(self) -> None:
        self.said.append("has ended")
        if isinstance(self.happens, Exception):
            raise self.happens

    def stop(self) -> None:
        self.said.append("stopped")


@pytest.mark.parametrize("number, raised", [
    (signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SystemExit),
])
def test_a_signal_stops_it(number: int, raised: type[BaseException]) -> None:
    before = signal.getsignal(number)
    query = Query(number)
    with pytest.raises(raised) as told:
        await_end(query)
    assert query.said == ["stopped"]
    assert signal.getsignal(number) is before
    if isinstance(told.value, SystemExit):
        assert told.value.code == 143


def test_else_it_ends_by_itself() -> None:
    query = Query(None)
    await_end(query)
    assert query.said == ["has ended"]
    with pytest.raises(ZeroDivisionError):
        await_end(Query(ZeroDivisionError()))
