"""Strategies for SPAseq: sequences, queries, events, whole cases."""
