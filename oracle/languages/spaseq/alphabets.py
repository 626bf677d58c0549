"""What enumerated queries and streams of SPAseq can be made of, by name."""

from .enumerate.alphabet import ALPHABETS

__all__ = ["ALPHABETS"]
