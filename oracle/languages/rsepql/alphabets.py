"""At which instants the graphs of enumerated RSEP-QL cases come."""

from ..enumerated_graphs import ALPHABETS

__all__ = ["ALPHABETS"]
