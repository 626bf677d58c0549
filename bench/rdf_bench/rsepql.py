"""RSEP-QL's engine: the keyed sequence in a window, from columns against item by item."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import count

from denota.engine.rdf.columns.batch import GraphBatch
from denota.engine.rsepql import RsepqlEngine
from denota.semantics.rsepql.syntax.parse import parse
from denota.semantics.rsepql.syntax.results import TimedAnswer
from denota.semantics.streams.merging import StreamItem

from .figures import Figure, rates
from .streams import EX, STREAM, batches, keyed

_WINDOW = 10_000
_SLOW = 50_000
"""Items of the stream that the engine gets one by one: its pace does not depend on how many."""
KEYED = (
    f"PREFIX : <{EX}> REGISTER ISTREAM :out AS SELECT ?k ?a ?b ?c"
    f" FROM NAMED WINDOW :w ON <{STREAM}> [RANGE $ STEP 1] WHERE {{ MATCH {{"
    " EVENT :w { ?a :a ?k } SEQ EVENT :w { ?b :b ?k } SEQ EVENT :w { ?c :c ?k } } }"
)


def made(window: int) -> RsepqlEngine:
    return RsepqlEngine(parse(KEYED.replace("$", str(window))), [STREAM])


def solutions(answers: Iterable[TimedAnswer]) -> int:
    return sum(len(each.content) for each in answers if isinstance(each.content, tuple))


def by_item(window: int, items: list[StreamItem]) -> Callable[[], int]:
    """How many solutions the items have, fed one by one."""

    def work() -> int:
        engine = made(window)
        found = sum(solutions(engine.feed(item)) for item in items)
        return found + solutions(engine.close())

    return work


def by_batch(window: int, items: list[StreamItem]) -> Callable[[], int]:
    """How many they have, fed in batches; when this is asked again they come again, later."""
    engine = made(window)
    given = batches(items, engine.dictionary)
    rounds = count()

    def work() -> int:
        shift = next(rounds) * (len(items) + window)
        found = sum(solutions(engine.feed_batch(later(batch, shift))) for batch in given)
        return found + solutions(engine.advance(shift + len(items)))

    return work


def later(batch: GraphBatch, shift: int) -> GraphBatch:
    return replace(batch, time=batch.time + shift, start=batch.start + shift)


def section_c(items: int, runs: int) -> list[Figure]:
    given = keyed(items, 10_000)
    columns, single = by_batch(_WINDOW, given), by_item(_WINDOW, given[:_SLOW])
    print(f"  c {columns():,} solutions in {items:,} items", flush=True)
    fast = rates({"columns": columns}, items, runs)["columns"]
    slow = rates({"items": single}, min(_SLOW, items), runs)["items"]
    what = f"RSEP-QL: three in a row with equal ?k, {items:,} items, 10,000 keys, from columns"
    return [Figure("c", what, fast, "items/s", slow, "item by item", "300,000")]
