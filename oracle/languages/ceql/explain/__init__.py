"""Explanations of CEQL's complex events: why one is one, and why none."""

from .telling import explained

__all__ = ["explained"]
