"""Windows as they move, and what is kept of their snapshots."""
