"""SPEED: the production engine: compiles syntax trees to automata and runs them incrementally."""
