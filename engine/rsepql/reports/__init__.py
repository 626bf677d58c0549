"""The evaluation times of a query, and the reported part of its answers."""
