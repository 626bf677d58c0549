"""Third opinions on SPARQL: other evaluators, asked the same questions as the oracle.

`questions` holds questions, their features and how they shrink, `respondents` the evaluators;
`disagreements` reads which of their answers are known to be wrong, and finds new ones.
"""
