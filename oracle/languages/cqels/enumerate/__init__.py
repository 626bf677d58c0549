"""All CQELS-CEP cases up to a size."""

from .cases import CqelsEnumeration

ENUMERATION = CqelsEnumeration

__all__ = ["ENUMERATION", "CqelsEnumeration"]
