"""When a query is evaluated, and what of its answers is reported."""
