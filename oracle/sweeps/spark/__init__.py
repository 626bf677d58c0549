"""Sweeps on Spark: Java, sessions, jobs, and what their errors mean."""
