"""SPAseq, compiled to an NFAscep automaton and run incrementally."""
