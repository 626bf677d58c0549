"""The complex events of a tECS: enumeration, counts, samples, files."""
