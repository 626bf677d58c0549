"""CEQL, as the oracle sees it."""
