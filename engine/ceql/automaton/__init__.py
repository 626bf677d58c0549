"""The compilation of a formula to its automaton by a valuation automaton (CORE 4.4, appendix A)."""
