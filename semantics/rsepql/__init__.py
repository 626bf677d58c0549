"""RSEP-QL: windows, graph and event patterns over RDF streams (Dell'Aglio et al., 2016)."""
