"""Explanations: derivations of results by the definitions, and how near a missing one comes."""
