"""Query results as documents: SPARQL 1.1 Query Results in XML, JSON, CSV and TSV; comparing them.

CSV keeps less than the others: neither the kind of a term nor whether it is bound. `as_csv` is what
it keeps of a result. Also read is the vocabulary of the DAWG's tests, results as RDF graphs.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

import pyoxigraph
from rdflib.term import BNode, Literal, URIRef, Variable

from ..model.errors import DenotaError
from ..model.mappings import SolutionMapping
from ..model.terms import Graph, Term, literal
from ..model.terms import variable as named
from ..streams.files.input_errors import input_errors
from .expressions.values import NUMERIC_DATATYPES, XSD_BOOLEAN, Valueless, value_of
from .isomorphism import Row, isomorphic
from .queries import SelectResult

_FORMATS = {
    "srx": pyoxigraph.QueryResultsFormat.XML, "srj": pyoxigraph.QueryResultsFormat.JSON,
    "csv": pyoxigraph.QueryResultsFormat.CSV, "tsv": pyoxigraph.QueryResultsFormat.TSV,
}
FORMATS = tuple(_FORMATS)

_RS = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#"


class ResultError(DenotaError):
    """A result document that does not follow its format."""


def read_results(text: str, format: str, source: str | None = None) -> SelectResult | bool:
    """Return the result that a document states; `format` is one of FORMATS. Raises ResultError."""
    if format not in FORMATS:
        raise ResultError(f"no such result format: {format} (there is: {', '.join(FORMATS)})")
    what = f"not a result in the format {format}"
    with input_errors(source, what=what, kind=ResultError):
        try:
            return _from_csv(text) if format == "csv" else _read(text, format)
        except SyntaxError as error:
            line, column = error.lineno or 0, error.offset or 0
            raise ResultError(
                f"{what}: {error.msg}", source=source, line=line, column=column
            ) from None
        except ValueError as error:
            raise ResultError(f"{what}: {error}", source=source) from None


def _read(text: str, format: str) -> SelectResult | bool:
    read = pyoxigraph.parse_query_results(text, format=_FORMATS[format])
    if isinstance(read, pyoxigraph.QueryBoolean):
        return bool(read)
    variables = tuple(Variable(each.value) for each in read.variables)
    return SelectResult(variables, tuple(
        SolutionMapping({
            v: _term(value) for v, value in zip(variables, row, strict=True) if value is not None
        })
        for row in read
    ))


def _term(term: object) -> Term:
    match term:
        case pyoxigraph.NamedNode(value):
            return URIRef(value)
        case pyoxigraph.BlankNode(value):
            return BNode(value)
        case pyoxigraph.Literal(direction=None):
            return literal(term.value, term.datatype.value, term.language)
    raise ValueError(f"{term} is RDF 1.2, expected RDF 1.1")


def _from_csv(text: str) -> SelectResult:
    """pyoxigraph does not read CSV, which does not say what its cells are."""
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    variables = tuple(map(named, header))
    return SelectResult(variables, tuple(
        SolutionMapping({
            v: BNode(cell[2:]) if cell.startswith("_:") else literal(cell)
            for v, cell in zip(variables, row, strict=True)
            if cell
        })
        for row in (row or [""] for row in rows)
    ))


def _bound(mu: SolutionMapping, result: SelectResult) -> Iterable[tuple[Variable, Term]]:
    for variable in result.variables:
        value = mu.get(variable)
        if value is not None and not isinstance(value, tuple):
            yield variable, value


def as_csv(result: SelectResult) -> SelectResult:
    """Return a result as CSV preserves it: strings and blank nodes; empty strings are unbound."""
    return SelectResult(result.variables, tuple(
        SolutionMapping({
            v: term if isinstance(term, BNode) else literal(str(term))
            for v, term in _bound(mu, result)
            if isinstance(term, BNode) or term != literal("")
        })
        for mu in result.solutions
    ))


# --- comparing -----------------------------------------------------------------------------------


def same_results(
    expected: SelectResult | bool,
    actual: SelectResult | bool,
    *,
    ordered: bool = False,
    reduced: bool = False,
) -> bool:
    """Return True if two results are equal, up to the names of blank nodes.

    Solutions compare as a bag, if `ordered` as a sequence; if `reduced` (the query says REDUCED),
    a solution may come fewer times than expected, but at least once. Numbers and truth values of
    the same datatype compare by value, since the recommendation does not fix how a computed value
    is written.
    """
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    if set(expected.variables) != set(actual.variables):
        return False
    variables = sorted(set(expected.variables))
    wanted = [_row(mu, variables) for mu in expected.solutions]
    found = [_row(mu, variables) for mu in actual.solutions]
    if reduced:
        if len(found) > len(wanted):
            return False
        wanted, found = list(dict.fromkeys(wanted)), list(dict.fromkeys(found))
    if ordered:
        wanted = [(position, *row) for position, row in enumerate(wanted)]
        found = [(position, *row) for position, row in enumerate(found)]
    return isomorphic(wanted, found)


def _row(mu: SolutionMapping, variables: Iterable[Variable]) -> Row:
    return tuple(_compared(mu.get(variable)) for variable in variables)


_BY_VALUE = NUMERIC_DATATYPES | {XSD_BOOLEAN}


def _compared(value: object) -> object:
    if isinstance(value, Literal) and str(value.datatype) in _BY_VALUE:
        number = value_of(value)
        if not isinstance(number, Valueless):
            # A NaN is no other NaN's equal, but its text is.
            return str(value.datatype), str(number) if number != number else number
    return value


# --- the DAWG's result vocabulary ----------------------------------------------------------------


def results_in_graph(graph: Graph) -> tuple[SelectResult | bool, bool]:
    """Return the result that a graph states as an rs:ResultSet, and whether it is ordered."""
    def objects(subject: Term, name: str) -> list[Term]:
        return [o for s, p, o in graph if s == subject and p == URIRef(_RS + name)]

    for _, predicate, truth in graph:
        if predicate == URIRef(_RS + "boolean"):
            return str(truth) in ("true", "1"), False
    sets = [s for s, _, o in graph if o == URIRef(_RS + "ResultSet")]
    if len(sets) != 1:
        raise ResultError(f"the graph has {len(sets)} result sets, expected one")
    variables = tuple(sorted(Variable(str(name)) for name in objects(sets[0], "resultVariable")))
    rows = []
    for solution in objects(sets[0], "solution"):
        index = objects(solution, "index")
        mu = SolutionMapping({
            Variable(str(objects(binding, "variable")[0])): objects(binding, "value")[0]
            for binding in objects(solution, "binding")
        })
        rows.append((int(str(index[0])) if index else None, mu))
    ordered = any(index is not None for index, _ in rows)
    rows.sort(key=lambda row: row[0] or 0)
    return SelectResult(variables, tuple(mu for _, mu in rows)), ordered
