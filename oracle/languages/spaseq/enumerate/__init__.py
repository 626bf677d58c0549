"""All SPAseq cases up to a size, one of each isomorphism class, the smallest first."""

from .cases import SpaseqEnumeration as ENUMERATION

__all__ = ["ENUMERATION"]
