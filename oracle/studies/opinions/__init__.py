"""Third opinions on SPARQL: other evaluators, asked what the oracle is asked.

`questions` says what is asked, `respondents` who else answers, `deviations` which of their answers
are known to be wrong, and why; `disagreements` finds new ones.
"""
