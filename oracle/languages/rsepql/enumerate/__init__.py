"""All RSEP-QL cases up to a size: event patterns over letters, and the written alphabets."""

from __future__ import annotations

from ...enumeration import ByAlphabet
from ..alphabets import WRITTEN
from .letter_queries import PATTERNS, LetterQueries
from .written_cases import WrittenCases

ENUMERATION = ByAlphabet(LetterQueries, dict.fromkeys(WRITTEN, WrittenCases))

__all__ = ["ENUMERATION", "PATTERNS"]
