"""Differential testing: an engine against the definitions on generated cases."""
