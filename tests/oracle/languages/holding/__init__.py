"""A sixth language: every item of a stream whose graph holds a given predicate."""
