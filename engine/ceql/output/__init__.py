"""From a tECS to complex events: enumeration, counts, samples, files."""
