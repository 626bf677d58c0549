"""Streams of tuples on which two CEQL queries differ."""

from .tuples import difference, space

__all__ = ["difference", "space"]
