"""A CEQL query as a picture: its automaton."""

from ....engine.ceql.automaton.drawing import draw as picture

__all__ = ["picture"]
