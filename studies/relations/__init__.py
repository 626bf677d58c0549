"""Relations between the languages, as claims that are executed (docs/relations.md)."""
