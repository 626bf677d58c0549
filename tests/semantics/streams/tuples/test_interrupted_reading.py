"""What Arrow's threads and signal handlers must not do while tuples are read."""

from __future__ import annotations

import signal
import threading
from io import BytesIO

import pyarrow
import pyarrow.csv
import pytest

from denota.semantics.streams.tuples.columns import Layout
from denota.semantics.streams.tuples.csv import csv_batches

INTERRUPTS = 300
STEPS = 40  # of the sender, before the interrupt: from the beginning of a reading to behind its end


def test_reading_csv_loses_no_interrupt() -> None:
    main = threading.main_thread().ident
    assert main == threading.get_ident()
    begin, sent, over = threading.Event(), threading.Event(), threading.Event()

    def interrupt() -> None:
        for number in range(INTERRUPTS):
            begin.wait()
            begin.clear()
            if over.is_set():
                return
            sum(range(100 * (number % STEPS)))
            signal.pthread_kill(main, signal.SIGINT)
            sent.set()

    told: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: told.append(number))
    sender = threading.Thread(target=interrupt, daemon=True)
    try:
        sender.start()
        for number in range(1, INTERRUPTS + 1):
            begin.set()
            (batch,) = csv_batches(BytesIO(b"type,x\nA,1\n"), Layout(), "S")
            assert batch.num_rows == 1
            sent.wait()
            sent.clear()
            assert len(told) == number, "an interrupt is lost"
    finally:
        over.set()
        begin.set()
        sender.join()
        signal.signal(signal.SIGINT, before)


def test_no_thread_of_arrow_frees_memory_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the exit of the interpreter such a thread would end the process with SIGABRT."""
    given = []
    every = pyarrow.csv.open_csv

    def open_csv(source: pyarrow.Buffer, *options: object) -> object:
        given.append(source)
        return every(source, *options)

    monkeypatch.setattr(pyarrow.csv, "open_csv", open_csv)
    (batch,) = csv_batches(BytesIO(b"type,x\nA,1\nB,2\n"), Layout(), "S")
    assert batch.num_rows == 2
    [buffer] = given
    assert buffer.is_mutable  # Arrow allocated it: memory of a bytes object is not mutable
