"""Which faults of an engine are found, by what, and how soon."""
