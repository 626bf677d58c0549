"""The languages that denota checks: one folder each."""
