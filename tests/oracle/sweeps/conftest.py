"""One small Spark for all tests of sweeps, corpora to sweep, and engines with planted faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest

from denota.oracle.languages.enumeration import Bounds
from denota.oracle.ranks.space import Space
from denota.oracle.sweeps.corpus_file import CorpusWriter

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ENGINES = '''
import glob
import os
import time
from dataclasses import replace

from denota.engine.spaseq import run
from denota.semantics.spaseq.syntax.tree import (
    Conjunction, KleenePlus, Negation, Operator, Step,
)


def right(query, *, streams, kb, readings, start):
    return run(query, streams, kb, readings, start)


def next_is_any(query, *, streams, kb, readings, start):
    """Skips nothing: ';' is taken for ':'."""
    steps = tuple(
        Step(Operator.ANY if s.operator is Operator.NEXT else s.operator, s.atom)
        for s in query.sequence.steps
    )
    query = replace(query, sequence=replace(query.sequence, steps=steps))
    return run(query, streams, kb, readings, start)


def troubled(query, *, streams, kb, readings, start):
    """Raises on conjunctions, dies of Kleene plus, and never answers a negation, on full events."""
    items = [item for stream in streams.values() for item in stream]
    if len(items) == 2 and all(len(item.graph) == 2 for item in items):
        match query.sequence.first:
            case Conjunction():
                raise ZeroDivisionError("division by zero")
            case KleenePlus():
                os._exit(7)
            case Negation():
                CLOCK
                time.sleep(1e6)
    return run(query, streams, kb, readings, start)


def held(query, *, streams, kb, readings, start):
    """Goes on only until two chunks are committed, unless it is told to."""
    while len(glob.glob("FOLDER/out/verdicts/chunk-*")) >= 2 and not os.path.exists("FOLDER/go"):
        time.sleep(0.01)
    return run(query, streams, kb, readings, start)
'''


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A Spark on two cores."""
    pytest.importorskip("pyspark", reason="the extra 'spark' is not installed")
    from denota.oracle.sweeps.spark.session import spark_session

    with spark_session("local[2]", tmp_path_factory.mktemp("spark") / "spark.log") as session:
        yield session


@pytest.fixture
def engines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: str) -> str:
    """The ENGINE prefix of `ENGINES`: python:planted…:."""
    text = ENGINES.replace("CLOCK", clock).replace("FOLDER", str(tmp_path))
    name = f"planted_{abs(hash(tmp_path))}"  # modules are imported once, so none is written twice
    (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return f"python:{name}"


Part: TypeAlias = tuple[str, int, int, int]
"""(alphabet, operators, events, how many of these cases)"""


@pytest.fixture
def make_corpus(tmp_path: Path) -> Callable[..., Path]:
    """Makes a corpus of cases from all over some blocks."""

    def make(*parts: Part, name: str = "corpus.parquet") -> Path:
        with CorpusWriter(tmp_path / name) as writer:
            for alphabet, operators, events, count in parts:
                space = Space.of("spaseq", Bounds(operators, events, alphabet=alphabet))
                ranks = space.block(operators, events).sample(count)
                writer.extend(map(space.row, ranks))
        return tmp_path / name

    return make
