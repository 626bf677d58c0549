"""Third opinions on SPARQL: other evaluators, asked what the oracle is asked.

`questions` says what is asked, `engines` who else answers, `deviations` what of theirs is known to
be wrong, and why; `disagreements` finds what is not known yet.
"""
