"""Kernels: loops over arrays, interpreted at first, compiled when it pays, kept on disk."""
