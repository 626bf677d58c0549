"""Judging: answers compared with what was to be expected, and the verdict."""
