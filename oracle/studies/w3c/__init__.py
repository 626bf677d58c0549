"""The W3C's own tests of SPARQL, run on the oracle: manifests, their judgement, EARL reports."""
