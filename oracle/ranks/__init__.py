"""All cases of a language within bounds, each a number: from the number to the case.

The cases of `n` operators and `m` events are a block; blocks come as `languages.enumeration.blocks`
has them, the smallest first. In a block cases go query by query, each query with all its streams.
"""
