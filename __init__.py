"""denota: the judge of complex event processing over RDF streams and tuples.

The package is the repository's root. Public names are loaded on first use, so that
``import denota`` costs nothing.
"""

from __future__ import annotations

__version__ = "0.1.0"
