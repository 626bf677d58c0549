"""`denota run --spark`: a partitioned query on Spark Structured Streaming, an engine a key."""
