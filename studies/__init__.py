"""Claims of papers and of other engines, executed; not part of the distribution."""
