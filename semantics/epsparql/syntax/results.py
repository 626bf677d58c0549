"""The results of an EP-SPARQL query: a bag of solutions ⟨μ, tα, tω⟩ (section 4.2).

A query of CONSTRUCT rules alone returns the occurrences that the rules construct, and DESCRIBE
those that describe, as solutions that bind ?subject, ?predicate and ?object. ASK returns a truth
value.
"""

from __future__ import annotations

from rdflib.term import Variable

from ...model.interval_solutions import IntervalSolution

SUBJECT, PREDICATE, OBJECT = map(Variable, ("subject", "predicate", "object"))
CONSTRUCTED = (SUBJECT, PREDICATE, OBJECT)

__all__ = ["CONSTRUCTED", "OBJECT", "PREDICATE", "SUBJECT", "IntervalSolution"]
