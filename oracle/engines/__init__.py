"""Whatever can be checked: engines in Python, and programs that speak the adapter protocol."""
