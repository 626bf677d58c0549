"""Results that a user passes to be checked, normalised from any form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rdflib.term import Literal

from ...semantics.model.mappings import SolutionMapping, Value
from ...semantics.model.terms import Term, variable
from ..cases.rdf_text import exact, term_of
from .json_objects import ResultError, term_from_json


def result_of(given: Any) -> Any:
    """Return a native result as it is; an object or a (time, solution) row as a result object."""
    if isinstance(given, tuple) and len(given) == 2:
        time, mu = given
        return {"time": time, "solution": solution_of(mu)}
    if not isinstance(given, Mapping):
        return given
    result = dict(given)
    if "solution" in result:
        result["solution"] = solution_of(result["solution"])
    if "solutions" in result:
        solutions = result["solutions"]
        if not isinstance(solutions, (list, tuple, set, frozenset)):
            raise ResultError("'solutions' is a list of solutions")
        result["solutions"] = [solution_of(mu) for mu in solutions]
    return result


def solution_of(given: Any) -> SolutionMapping:
    """Return μ of a mapping from variables (or their names) to terms."""
    if isinstance(given, SolutionMapping):
        return given
    if not isinstance(given, Mapping):
        raise ResultError(f"a solution maps variables to terms, it is not {given!r}")
    return SolutionMapping(
        {variable(str(name)): value_of(value)
         for name, value in given.items() if value is not None}
    )


def value_of(given: Any) -> Value:
    """Return a term, or the tuple of terms of a list."""
    if isinstance(given, (list, tuple)):
        return tuple(_term(term) for term in given)
    return _term(given)


def _term(given: Any) -> Term:
    if isinstance(given, Mapping):
        return term_from_json(given)
    if isinstance(given, (bool, int, float)):
        return exact(Literal(given))
    try:
        return exact(given)
    except TypeError:
        if isinstance(given, str):
            return term_of(given, {})
        raise ResultError(f"not a term: {given!r}") from None
