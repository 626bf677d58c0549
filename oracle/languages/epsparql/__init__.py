"""EP-SPARQL, as the oracle sees it."""
