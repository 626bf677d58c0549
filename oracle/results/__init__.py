"""Results: as JSON objects, in files, in whatever form somebody hands them over."""
