"""Encoded data: the dictionary of terms, graphs of ids, the layout of rows."""
