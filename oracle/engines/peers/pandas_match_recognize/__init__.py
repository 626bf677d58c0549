"""pandas-match-recognize: SQL:2016's MATCH_RECOGNIZE over data frames (PyPI)."""
