"""CQELS-CEP over batches of items as columns."""
