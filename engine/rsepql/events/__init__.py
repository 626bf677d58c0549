"""Event patterns compiled: leaves, occurrences, sequences, consumption."""
