"""CEQL, compiled to a complex event automaton and run as CORE does: constant time per event."""
