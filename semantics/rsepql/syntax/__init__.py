"""RSEP-QL's syntax, for the definitions and the engine: tree, grammar, parser, printer."""
