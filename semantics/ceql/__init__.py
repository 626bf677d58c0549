"""CEQL: complex event logic with time windows, partitions, strategies and consumption."""
