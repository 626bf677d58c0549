"""A SPAseq query as a picture: its automaton."""

from ....engine.spaseq.drawing import draw as picture

__all__ = ["picture"]
