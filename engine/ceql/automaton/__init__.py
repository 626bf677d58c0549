"""From a formula to its automaton, by way of a valuation automaton (CORE 4.4, appendix A)."""
