"""Sweeps: a corpus of cases in Parquet, judged on Spark, resumable chunk by chunk."""
