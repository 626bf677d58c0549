"""The parts of `bench/ceql.py`."""
