"""Files of tuples: CSV, JSON Lines, Arrow and Parquet as record batches."""
