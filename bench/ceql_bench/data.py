"""The stock stream: from its file, or made up in its shape."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

NAMES = ("INTC", "RIMM", "QQQ", "IPIX", "ORCL", "CSCO", "YHOO", "AMAT", "MSFT", "DELL")
_WEIGHTS = (0.118, 0.076, 0.130, 0.203, 0.073, 0.092, 0.057, 0.076, 0.104, 0.071)
_VOLUMES = (100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1500, 2000, 2500, 4000, 5000)


def from_file(path: Path) -> Any:
    """The stream of a file with the columns event_type, name, volume, price and stock_time."""
    table = pyarrow.csv.read_csv(path)
    names = ["type" if name == "event_type" else name for name in table.column_names]
    (batch,) = table.rename_columns(names).combine_chunks().to_batches()
    return batch


def generated(events: int, *, seed: int = 7, first: int = 0, time: int = 25_263_126) -> Any:
    """So many events of ten stocks, 131 in ten seconds, half of them at the time of the last."""
    random = np.random.default_rng(seed)
    chosen = random.choice(len(NAMES), events, p=np.array(_WEIGHTS) / sum(_WEIGHTS))
    steps = random.exponential(152, events) * (random.random(events) < 0.5)
    prices = 15 + 12 * random.random(len(NAMES))[chosen] + random.normal(0, 0.4, events)
    return pa.RecordBatch.from_pydict(
        {
            "type": _words(random.integers(0, 2, events), ("BUY", "SELL")),
            "id": np.arange(first, first + events),
            "name": _words(chosen, NAMES),
            "volume": np.array(_VOLUMES)[random.integers(0, len(_VOLUMES), events)],
            "price": np.round(prices, 2),
            "stock_time": time + np.cumsum(steps).astype(np.int64),
        }
    )


def _words(codes: Any, words: tuple[str, ...]) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), pa.array(words))


def encoded(batch: Any) -> Any:
    """With dictionary-encoded strings."""
    return _mapped(
        batch, lambda c: c.dictionary_encode() if pa.types.is_string(c.type) else c
    )


def plain(batch: Any) -> Any:
    """With plain strings."""
    return _mapped(batch, lambda c: c.cast(pa.string()) if pa.types.is_dictionary(c.type) else c)


def _mapped(batch: Any, change: Any) -> Any:
    columns = [change(column) for column in batch.columns]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def as_csv(batch: Any, path: Path) -> None:
    unquoted = pyarrow.csv.WriteOptions(quoting_style="none")
    pyarrow.csv.write_csv(pa.Table.from_batches([plain(batch)]), path, unquoted)
