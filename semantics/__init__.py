"""MEANING: what a query of each language returns, straight from its definitions."""
