"""At which instants the graphs of enumerated CQELS-CEP cases come."""

from ..enumerated_graphs import ALPHABETS

__all__ = ["ALPHABETS"]
