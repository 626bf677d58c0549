"""Documents of RDF: streams of timestamped graphs, background graphs."""
