"""All CEQL cases up to a size: every formula on every stream."""

from .formulas import FORMULAS
from .of_alphabets import CeqlEnumeration as ENUMERATION
from .tuple_streams import OTHER

__all__ = ["ENUMERATION", "FORMULAS", "OTHER"]
