"""All CEQL cases up to a size: every formula on every stream."""

from .cases import CeqlEnumeration as ENUMERATION
from .formulas import FORMULAS
from .tuple_streams import OTHER

__all__ = ["ENUMERATION", "FORMULAS", "OTHER"]
