"""Complex events into a Parquet file as they are found: memory holds one buffer of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from .columns import RecordBatch
from .runtime import CeqlEngine


def write_parquet(engine: CeqlEngine, batches: Iterable[Any], path: str) -> int:
    """Write what the engine finds in these batches; how many complex events that was.

    Columns: start and end (int64), positions (a list of int64); under the valuation semantics also
    `bindings`, a map from the variables that are bound to their positions.
    """
    count: int = 0
    places = pa.list_(pa.int64())
    fields = [("start", pa.int64()), ("end", pa.int64()), ("positions", places)]
    if engine.readings.output == "valuation":
        fields.append(("bindings", pa.map_(pa.string(), places)))
    schema = pa.schema(fields)
    with pq.ParquetWriter(path, schema) as writer:
        for batch in batches:
            for found in engine.batches(batch):
                writer.write_batch(_as_maps(found, schema))
                count += int(found.num_rows)
                if engine.remaining == 0:
                    return count
    return count


def _as_maps(batch: RecordBatch, schema: Any) -> RecordBatch:
    """The batch with its struct of variables as maps, which are alike whatever is bound."""
    if "bindings" not in schema.names:
        return batch.cast(schema)
    maps = [
        [(variable, places) for variable, places in mu.items() if places]
        for mu in batch.column("bindings").to_pylist()
    ]
    columns = [batch.column(name) for name in ("start", "end", "positions")]
    return pa.RecordBatch.from_arrays(
        [*columns, pa.array(maps, schema.field("bindings").type)], schema=schema
    )
