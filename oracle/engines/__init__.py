"""Whatever can be judged: engines in Python, and programs that speak the adapter protocol."""
