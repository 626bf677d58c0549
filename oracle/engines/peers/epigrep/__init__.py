"""Epigrep, temporal patterns over partitioned events (PyPI: epigrep)."""
