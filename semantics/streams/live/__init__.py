"""Live streams: read as they arrive, in order as far as watermarks tell."""
