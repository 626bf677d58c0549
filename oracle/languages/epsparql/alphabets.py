"""At which instants the graphs of enumerated EP-SPARQL cases come."""

from ..enumerated_graphs import ALPHABETS

__all__ = ["ALPHABETS"]
