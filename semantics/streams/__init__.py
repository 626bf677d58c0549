"""Streams: timestamped items, their time, reading, writing and merging of stream files."""
