"""Hot loops over arrays: the update of CORE's Algorithm 1 on a tECS."""
