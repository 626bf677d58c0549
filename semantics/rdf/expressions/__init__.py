"""The value of expressions (SPARQL 1.1 Query, 17): values, operators, functions, casts, order."""
