"""Engines under test: engines in Python, and programs that speak the adapter protocol."""
