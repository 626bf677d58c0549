"""RDF and SPARQL graph patterns: terms, mappings, patterns, expressions and their evaluation.

`syntax` is the tree and `parse` makes it; `algebra` says what a tree abbreviates, `evaluation` what
it means over a dataset, `expressions` what an expression means under a solution mapping.
"""
