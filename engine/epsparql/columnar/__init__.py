"""EP-SPARQL over batches of items as columns."""
