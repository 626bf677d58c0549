"""Graph patterns, compiled: a dictionary of terms and matchers over rows of term ids."""
