"""Complex events as text, as Parquet files and as tables of the tuples that they match."""
