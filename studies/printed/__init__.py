"""Algorithms as the papers print them, which the tester checks by the papers' definitions."""
