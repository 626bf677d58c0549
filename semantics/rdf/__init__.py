"""RDF and SPARQL graph patterns: terms, mappings, patterns, expressions and their evaluation."""
