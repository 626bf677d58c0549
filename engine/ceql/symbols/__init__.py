"""From events to what the automaton reads: columns, strings, predicates, partitions."""
