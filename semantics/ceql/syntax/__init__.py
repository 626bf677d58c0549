"""CEQL's syntax, for the definitions and the engine: tree, grammar, parser, printer."""

from . import printing as printing  # trees show themselves as its text
