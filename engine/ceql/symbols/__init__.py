"""The automaton's input, computed from events: columns, strings, predicates, partitions."""
