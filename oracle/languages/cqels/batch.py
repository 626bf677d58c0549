"""Many streams of one CQELS-CEP query: what the definitions and the engine say of them."""

from __future__ import annotations

from typing import Any

from ....semantics.cqels.syntax.readings import Readings
from ....semantics.cqels.syntax.tree import CqelsQuery
from ...checking.batch_execution import OnManyStreams
from .language import LANGUAGE


def on_many(query: CqelsQuery, readings: Readings, **beside: Any) -> OnManyStreams:
    """Return the query, which the engine compiles once."""
    return OnManyStreams(LANGUAGE, query, readings, **beside)
