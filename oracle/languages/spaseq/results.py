"""Pairs of SPAseq as JSON objects.

    Pair  <-> {"window": [b, e], "time": τ, "rank": k, "solutions": [{"h": TERM, …}, …]}

`window` is absent under `window=match`, `rank` is there under `ties=sequence` only.
"""

from __future__ import annotations

from collections.abc import Sequence

from rdflib.term import Variable

from ....semantics.spaseq.syntax.results import Pair
from ...results.json_objects import (
    JsonObject,
    ResultError,
    brief,
    instant_from_json,
    mapping_from_json,
    mapping_to_json,
    result_fields,
    sort_key,
    window_from_json,
)


def pair_to_json(pair: Pair, *, ranks: bool = False, order: Sequence[Variable] = ()) -> JsonObject:
    """The result object of a pair; `ranks` says that it is of the reading `ties=sequence`."""
    written: JsonObject = {}
    if pair.window is not None:
        written["window"] = list(pair.window)
    written["time"] = pair.time
    if ranks:
        written["rank"] = pair.rank
    written["solutions"] = [
        mapping_to_json(mu, order) for mu in sorted(pair.solutions, key=sort_key)
    ]
    return written


def pair_from_json(written: object) -> Pair:
    """The pair of a result object; raises ResultError if it is none."""
    fields = result_fields(written)
    solutions = fields.get("solutions")
    if not isinstance(solutions, list):
        raise ResultError(f"a pair needs 'solutions', a list: {brief(written)}")
    return Pair(
        window=window_from_json(fields.get("window")),
        time=instant_from_json(fields.get("time")),
        solutions=frozenset(mapping_from_json(mu) for mu in solutions),
        rank=instant_from_json(fields.get("rank", 0)),
    )
