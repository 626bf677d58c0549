"""Drawing of test inputs: plain functions that choose among options, and the ways to choose."""
