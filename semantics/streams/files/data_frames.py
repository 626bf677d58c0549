"""Data frames of other libraries, as Arrow tables."""

from __future__ import annotations

from typing import Any

from .input_errors import input_errors


def arrow_of(source: Any) -> Any:
    """Return an Arrow table or reader as it is, a data frame as a table; None for anything else.

    Data frames are known by the Arrow PyCapsule interface, which pandas and Polars have. The index
    of a pandas DataFrame is left out, a LazyFrame of Polars is collected.
    """
    origin = type(source).__module__.partition(".")[0]
    if origin == "pyarrow":
        return source if hasattr(source, "schema") else None
    if origin == "polars" and hasattr(source, "collect"):  # a LazyFrame
        source = source.collect()
    if not hasattr(source, "__arrow_c_stream__"):
        return None
    import pyarrow as pa

    with input_errors("<table>"):
        if origin == "pandas":
            return pa.Table.from_pandas(source, preserve_index=False)
        return pa.table(source)
