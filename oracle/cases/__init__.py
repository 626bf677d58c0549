"""Conformance cases: the value itself, its files, and the texts and terms in them."""
