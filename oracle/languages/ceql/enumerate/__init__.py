"""All CEQL cases up to a size: every formula on every stream."""

from __future__ import annotations

from ...enumeration import ByAlphabet
from .cases import TypesAndAttributes
from .filters import Filters
from .formulas import FORMULAS
from .outputs import Outputs
from .tuple_streams import OTHER
from .two_streams import TwoStreams
from .two_types import TwoTypes

ENUMERATION = ByAlphabet(TypesAndAttributes, {
    "strategies": TwoTypes, "partitions": TwoTypes, "predicates": Filters, "conditions": Filters,
    "mixed": TwoStreams, "outputs": Outputs,
})

__all__ = ["ENUMERATION", "FORMULAS", "OTHER"]
