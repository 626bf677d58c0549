"""BoboCEP, an engine for complex events at the edge of a network (PyPI: bobocep)."""
