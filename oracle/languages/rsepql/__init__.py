"""RSEP-QL, as the oracle sees it."""
