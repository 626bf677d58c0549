"""pandas-match-recognize behind the adapter protocol, in the process that imports it.

Beside what the protocol has, a case brings a `query` in SQL and `columns`: a frame's.
"""

from __future__ import annotations

import logging
from importlib.metadata import version
from typing import Any

import pandas
from pandas_match_recognize import match_recognize  # type: ignore[import-not-found]

logging.disable(logging.CRITICAL)


def answer(message: dict[str, Any]) -> dict[str, Any]:
    if message["type"] == "hello":
        return {
            "type": "hello", "name": "pandas-match-recognize",
            "version": version("pandas-match-recognize"), "languages": ["ceql"],
            "level": "positions",
        }
    asked = message["id"]
    try:
        found = match_recognize(message["query"], pandas.DataFrame(message["columns"]))
    except Exception as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())
        return {"type": "error", "id": asked, "message": said}
    rows = [] if found.empty else found[["ending", "first_place", "last_place"]].values.tolist()
    results = [[int(place) for place in row] for row in rows]
    return {"type": "result", "id": asked, "results": results}
