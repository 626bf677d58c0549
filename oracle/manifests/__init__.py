"""The W3C's format of SPARQL tests: manifests, run on the oracle or the production engine."""
