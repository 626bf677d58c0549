"""Certificates: what a finished sweep over all cases of a bound says, and checking it again."""
