"""The state of running queries: written to a file, and taken up by another process."""
