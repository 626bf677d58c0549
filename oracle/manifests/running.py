"""The tests of a manifest, checked: each gets a verdict, and none ends the run.

The oracle is tested, and the production engine's matcher: it answers the query's pattern with its
modifiers, as one sub-select. The rest is not matching and is taken from the definitions: which
graphs FROM names, the graph that a template makes of the solutions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TypeAlias

from rdflib.term import BNode, Literal, URIRef, Variable

from ...engine.rdf.data.dictionary import Dictionary
from ...engine.rdf.matcher import compile_pattern
from ...semantics.model.errors import DenotaError, QueryError, UnsupportedError
from ...semantics.model.mappings import SolutionMapping
from ...semantics.model.terms import EMPTY_GRAPH, Dataset, Graph, Term
from ...semantics.rdf.entailment import closure, entailed, rdf_part, rdfD2
from ...semantics.rdf.expressions.operators import ExpressionError, less
from ...semantics.rdf.expressions.ordering import compare_terms
from ...semantics.rdf.isomorphism import isomorphic_graphs
from ...semantics.rdf.queries import (
    QueryResult,
    SelectResult,
    construct,
    described_dataset,
    evaluate_query,
)
from ...semantics.rdf.results import as_csv, read_results, results_in_graph, same_results
from ...semantics.rdf.syntax import tree as s
from ...semantics.rdf.syntax.parse import parse_query
from ...semantics.rdf.syntax.rdfs import Entailment
from ...semantics.rdf.syntax.variables import selected_variables
from ..checking.verdicts import Outcome
from .reading import DocumentGraphs, ManifestTest, exclusion, read_manifest, regime


def evaluate_with_matcher(
    query: s.SparqlQuery, dataset: Dataset, graphs: Mapping[URIRef, Graph] | None = None
) -> QueryResult:
    """Return the result of a query, as `semantics.rdf.queries.evaluate_query`, found by the engine.

    Raises UnsupportedError for DESCRIBE, which matches nothing but what it describes.
    """
    if query.dataset is not None:
        dataset = described_dataset(query.dataset, dataset.named if graphs is None else graphs)
    base = query.prologue.base
    match query:
        case s.SelectQuery():
            return SelectResult(selected_variables(query), tuple(_solutions(query, dataset, base)))
        case s.AskQuery():
            return bool(_solutions(_selected(query), dataset, base))
        case s.ConstructQuery(template):
            return construct(template, _solutions(_selected(query), dataset, base))
    raise UnsupportedError("DESCRIBE is not for the matcher to answer")


def entail_with_engine(graph: Graph, entailment: Entailment) -> Graph:
    """Return the engine's entailment of a graph, as `semantics.rdf.entailment.entailed`."""
    dictionary = Dictionary()
    decode = dictionary.decode
    triples = dictionary.background(graph, entailment).triples
    return frozenset((decode(s), decode(p), decode(o)) for s, p, o in triples)


def _selected(query: s.AskQuery | s.ConstructQuery) -> s.SelectQuery:
    return s.SelectQuery(None, query.where, query.modifier, values=query.values)


def _solutions(query: s.SelectQuery, dataset: Dataset, base: str | None) -> list[SolutionMapping]:
    dictionary = Dictionary(base)
    pattern = s.GroupGraphPattern((s.SubSelect(query),))
    matcher = compile_pattern(pattern, dictionary, dataset.named, defer=False)  # type: ignore[arg-type]
    return [
        SolutionMapping(
            (variable, dictionary.decode_value(number))
            for variable, number in zip(matcher.columns, row, strict=True)
            if number
        )
        for row in matcher.match(dataset.default)
    ]


# --- engines --------------------------------------------------------------------------------------

Evaluator: TypeAlias = Callable[[s.SparqlQuery, Dataset, Mapping[URIRef, Graph]], QueryResult]
Entailer: TypeAlias = Callable[[Graph, Entailment], Graph]


@dataclass(frozen=True, slots=True)
class Subject:
    """The evaluator of queries and of entailment."""

    name: str
    evaluate: Evaluator
    entail: Entailer = entailed


ORACLE = Subject("oracle", evaluate_query)

NAMES = ("oracle", "production")


def subject(name: str) -> Subject:
    """Return the subject of this name. Raises QueryError for any other."""
    if name == "oracle":
        return ORACLE
    if name == "production":

        return Subject(name, evaluate_with_matcher, entail_with_engine)
    raise QueryError(f"W3C manifests are judged with the engines {' and '.join(NAMES)} only")


# --- tests ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ManifestVerdict:
    """The verdict on one test; `detail` says in one line why it is not passed."""

    test: ManifestTest
    outcome: Outcome
    detail: str = ""
    seconds: float = 0.0


def run_manifest(
    path: str | Path, subject: Subject = ORACLE, *, files_outside: bool = False
) -> list[ManifestVerdict]:
    """Return the verdicts on all tests of a manifest. Raises DenotaError if the manifest is none.

    With `files_outside` it may name files that are not in its folder.
    """
    return run_tests(read_manifest(path, files_outside=files_outside), subject)


def run_tests(
    tests: Iterable[ManifestTest], subject: Subject = ORACLE
) -> list[ManifestVerdict]:
    """Return the verdicts on these tests."""
    return [run_test(test, subject) for test in tests]


def run_test(test: ManifestTest, subject: Subject = ORACLE) -> ManifestVerdict:
    """Return the verdict on one test."""
    reason = exclusion(test)
    if reason is not None:
        return ManifestVerdict(test, Outcome.UNSUPPORTED, reason)
    started = time.perf_counter()
    try:
        outcome, detail = _judged(test, subject)
    except UnsupportedError as error:
        outcome, detail = Outcome.UNSUPPORTED, error.message
    except DenotaError as error:
        outcome, detail = Outcome.FAIL, str(error)
    except Exception as error:  # a test must not end the run
        outcome, detail = Outcome.CRASH, f"{type(error).__name__}: {error}"
    return ManifestVerdict(test, outcome, " ".join(detail.split()), time.perf_counter() - started)


def _judged(test: ManifestTest, subject: Subject) -> tuple[Outcome, str]:
    if test.query is None:
        return Outcome.FAIL, "the test names no query"
    return _JUDGES[test.kind](test, test.query, subject, DocumentGraphs(test.root))


def _parsed(query: URIRef, documents: DocumentGraphs) -> s.SparqlQuery:
    return parse_query(documents.text(query), source=str(documents.path(query)), base=query)


def _positive_syntax(
    test: ManifestTest, query: URIRef, subject: Subject, documents: DocumentGraphs
) -> tuple[Outcome, str]:
    _parsed(query, documents)
    return Outcome.PASS, ""


def _negative_syntax(
    test: ManifestTest, query: URIRef, subject: Subject, documents: DocumentGraphs
) -> tuple[Outcome, str]:
    try:
        _parsed(query, documents)
    except QueryError:
        return Outcome.PASS, ""
    return Outcome.FAIL, "a syntax error is expected, but the query parses"


def _evaluation(
    test: ManifestTest, query: URIRef, subject: Subject, graphs: DocumentGraphs
) -> tuple[Outcome, str]:
    if test.result is None:
        return Outcome.FAIL, "the test names no result"
    default = EMPTY_GRAPH.union(*(graphs[iri] for iri in test.data))
    dataset = Dataset(
        _entailed(default, test, subject),
        {iri: _entailed(graphs[iri], test, subject) for iri in test.named},
    )
    parsed = _parsed(query, graphs)
    actual = subject.evaluate(parsed, dataset, graphs)
    order = parsed.modifier.order_by if isinstance(parsed, s.SelectQuery) else ()
    return compared(test.result, actual, graphs, order=order, reduced=test.lax_cardinality)


def _entailed(graph: Graph, test: ManifestTest, subject: Subject) -> Graph:
    """Return the entailment of a graph under the test's regime.

    RDF entailment is no reading of any language here, so nobody has it but the tester.
    """
    match regime(test):
        case "RDFS":
            return subject.entail(graph, "rdfs-reflexive")
        case "RDF":
            return rdf_part(closure(graph, (rdfD2,)))
    return graph


def compared(
    document: URIRef,
    actual: QueryResult,
    documents: DocumentGraphs,
    *,
    order: tuple[s.OrderCondition, ...] = (),
    reduced: bool = False,
) -> tuple[Outcome, str]:
    """Compare the actual result with the one that a document states.

    If the query has an `order`, solutions compare as a sequence. Another sequence is right, too, if
    the recommendation leaves open which of the two it is: then it allows both. A result in RDF
    says itself whether it has an order.
    """
    ordered = bool(order)
    path = documents.path(document)
    suffix = path.suffix.removeprefix(".")
    if suffix in ("srx", "srj", "csv", "tsv"):
        expected = read_results(documents.text(document), suffix, str(path))
    else:
        graph = documents[document]
        if isinstance(actual, frozenset):
            same = isomorphic_graphs(graph, actual)
            return (Outcome.PASS, "") if same else (
                Outcome.FAIL, f"expected {len(graph)} triples, got {len(actual)} and others"
            )
        expected, ordered = results_in_graph(graph)
    if isinstance(actual, frozenset):
        return Outcome.FAIL, "expected solutions or a truth value, got a graph"
    wrongly_ordered = False
    if isinstance(actual, SelectResult) and isinstance(expected, SelectResult):
        sorted_ones = [_is_sorted(each, order) for each in (expected, actual)]
        ordered = ordered and sorted_ones != [True, True]
        wrongly_ordered = sorted_ones[1] is False and not ordered
    if suffix == "csv" and isinstance(actual, SelectResult):
        actual = as_csv(actual)
    if wrongly_ordered:
        return Outcome.FAIL, f"not in the order of the query: {_brief(actual)}"
    if same_results(expected, actual, ordered=ordered, reduced=reduced):
        return Outcome.PASS, ""
    return Outcome.FAIL, f"expected {_brief(expected)}, got {_brief(actual)}"


def _is_sorted(result: SelectResult, order: tuple[s.OrderCondition, ...]) -> bool | None:
    """Return whether no solution comes before one that must precede it (SPARQL 1.1, 15.1).

    None if the solutions do not tell: they are ordered by more than their variables, or not at all.
    """
    if not order or not {each.expression for each in order} <= set(result.variables):
        return None
    return not any(
        _precedes(later, earlier, order) for earlier, later in combinations(result.solutions, 2)
    )


def _precedes(
    mu: SolutionMapping, other: SolutionMapping, order: tuple[s.OrderCondition, ...]
) -> bool:
    """Return whether the recommendation says that a solution comes before the other one."""
    for each in order:
        a, b = (_key(each.expression, solution) for solution in (mu, other))
        if a == b:
            continue
        if each.descending:
            a, b = b, a
        try:
            if isinstance(a, Literal) and isinstance(b, Literal):
                place = less(b, a) - less(a, b)
            else:
                place = compare_terms(a, b)
        except ExpressionError:  # "1" and 1 may come in any order
            return False
        if place or isinstance(a, BNode):
            return place < 0
    return False


def _key(variable: s.Expression, mu: SolutionMapping) -> Term | None:
    value = mu.get(variable) if isinstance(variable, Variable) else None
    return None if isinstance(value, tuple) else value


def _brief(result: SelectResult | bool) -> str:
    if isinstance(result, bool):
        return str(result).lower()
    shown = " ".join(str(mu) for mu in result.solutions[:3])
    more = " …" if len(result.solutions) > 3 else ""
    names = " ".join(f"?{variable}" for variable in sorted(result.variables))
    return f"{len(result.solutions)} solutions of {names}: {shown}{more}"


_Judge: TypeAlias = Callable[
    [ManifestTest, URIRef, Subject, DocumentGraphs], tuple[Outcome, str]
]
_JUDGES: dict[str, _Judge] = {
    "QueryEvaluationTest": _evaluation,
    "CSVResultFormatTest": _evaluation,
    "PositiveSyntaxTest": _positive_syntax,
    "PositiveSyntaxTest11": _positive_syntax,
    "NegativeSyntaxTest": _negative_syntax,
    "NegativeSyntaxTest11": _negative_syntax,
}
