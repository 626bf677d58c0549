"""Algorithms as the papers print them, which the tester judges by the papers' definitions."""
