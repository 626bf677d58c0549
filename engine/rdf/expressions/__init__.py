"""Expressions compiled to closures over rows of ids (SPARQL 1.1 Query, 17)."""
