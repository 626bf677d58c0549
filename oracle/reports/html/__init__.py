"""Reports as HTML pages, each one file: what was judged, and explanations."""
