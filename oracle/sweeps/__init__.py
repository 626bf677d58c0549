"""Sweeps: a corpus of cases in Parquet, checked on Spark, resumable chunk by chunk."""
