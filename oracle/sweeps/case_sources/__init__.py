"""Where a sweep's cases come from: a corpus file, or the ranks of an enumeration."""
