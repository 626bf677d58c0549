"""Sequences over columns: rows with intervals, joined by key and by time a batch at once; and
automata whose partial matches lie in shared integer arrays, which kernels run item by item."""
