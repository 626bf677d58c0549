"""Reports as HTML pages, each one file: what was checked, and explanations."""
