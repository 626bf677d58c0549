"""Kernels are interpreted at first and compiled later: when makes no difference."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from denota.engine.ceql.output.records import complex_events
from denota.engine.ceql.output.sampling import Sampler
from denota.engine.ceql.runtime import CeqlEngine, Path
from denota.engine.ceql.symbols.columns import Vocabulary
from denota.engine.ceql.symbols.partitions import Partitions
from denota.engine.ceql.symbols.terms import Values
from denota.engine.kernels import KERNELS
from denota.oracle.languages.ceql.features import CeqlCase
from denota.oracle.languages.ceql.generate import ceql_cases
from denota.semantics.ceql.syntax.results import ComplexEvent
from denota.semantics.model.tuples import batches, of_one_type

from ...examples import examples

_EVER = 1 << 60  # more steps than a test takes
_PATHS: tuple[Path, ...] = ("auto", "dense")


def pieces(case: CeqlCase, size: int) -> list[Any]:
    runs = of_one_type(case.merged())
    return [batch for alike in runs for batch in batches(alike, size)]


def found(
    case: CeqlCase, stream: list[Any], path: Path, rows: int, switch: int | None
) -> list[ComplexEvent]:
    """What comes out in buffers of `rows`; kernels are compiled after `switch` of them, or never.

    Taking in a piece counts as a buffer.
    """
    engine = CeqlEngine(case.query, case.readings, path=path, rows=rows, nodes=64)
    events: list[ComplexEvent] = []
    taken = 0
    with KERNELS.allowing(_EVER):
        for piece in stream:
            if taken == switch:
                KERNELS.compile()
            taken += 1
            for batch in engine.batches(piece):
                events += complex_events(batch)
                if taken == switch:
                    KERNELS.compile()
                taken += 1
        assert (switch is None or switch >= taken) is not KERNELS.compiled
    return events


@examples(150)
@given(
    ceql_cases(), st.integers(1, 5), st.sampled_from(_PATHS), st.sampled_from([1, 3, 1000]),
    st.integers(0, 12),
)  # fmt: skip
def test_compiled_from_anywhere_on_gives_the_same_in_the_same_order(
    case: CeqlCase, size: int, path: Path, rows: int, switch: int
) -> None:
    stream = pieces(case, size)
    interpreted = found(case, stream, path, rows, None)
    assert found(case, stream, path, rows, 0) == interpreted
    assert found(case, stream, path, rows, switch) == interpreted


@examples(75)
@given(ceql_cases(), st.integers(1, 5))
def test_interpreted_counts_and_samples_are_those_of_compiled_kernels(
    case: CeqlCase, size: int
) -> None:
    told = []
    for steps in (_EVER, -1):
        with KERNELS.allowing(steps):
            counter = CeqlEngine(case.query, case.readings)
            counts = [counter.count(piece) for piece in pieces(case, size)]
            sampler = Sampler(CeqlEngine(case.query, case.readings), 2, seed=5)
            for piece in pieces(case, size):
                sampler.feed(piece)
            told.append((counts, sampler.result()))
    assert told[0] == told[1]


_INTEGERS = st.lists(st.integers(-(1 << 63), (1 << 63) - 1), min_size=1, max_size=20)


@given(st.lists(st.text(max_size=20)), st.lists(st.text(max_size=20)), _INTEGERS, _INTEGERS)
def test_strings_and_partitions_get_the_same_numbers(
    first: list[str], second: list[str], left: list[int], right: list[int]
) -> None:
    told = []
    for switch in (None, 0, 1):
        with KERNELS.allowing(_EVER):
            vocabulary, partitions = Vocabulary(), Partitions([["a"], ["b"]])
            codes = []
            for turn, (texts, integers) in enumerate([(first, left), (second, right)]):
                if turn == switch:
                    KERNELS.compile()
                data = [text.encode() for text in texts]
                offsets = np.cumsum([0, *map(len, data)]).astype(np.int32)
                codes.append(vocabulary.codes(offsets, b"".join(data), None).tolist())
                column = Values("number", np.array(integers, np.int64))
                numbers = partitions.of({"a": column, "b": column}, None, len(integers))
                codes.append(numbers.tolist())
        told.append((codes, vocabulary.words()))
    assert told[0] == told[1] == told[2]
