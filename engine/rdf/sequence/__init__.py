"""Sequences over columns: rows with intervals, joined by key and by time a batch at once."""
