"""What strategies for queries of all languages are made of; `denota.strategies` is public."""
