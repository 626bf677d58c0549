"""The languages that denota judges: one folder each."""
