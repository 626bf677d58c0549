"""JUDGEMENT: cases, verdicts, strategies, adapters, reports, sweeps and the command line."""
