"""The engine's matcher finds what the definitions say: the same bag of solutions."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from denota.engine.rdf.data.dictionary import Dictionary
from denota.engine.rdf.matcher import Matcher, compile_pattern
from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.terms import Dataset, Graph, URIRef
from denota.semantics.rdf.evaluation import Evaluation, evaluate, evaluate_algebra
from denota.semantics.rdf.expressions.context import Execution
from denota.semantics.rdf.syntax.parse import parse_group
from denota.semantics.rdf.syntax.tree import GroupGraphPattern, Prologue
from denota.semantics.rdf.syntax.variables import possible_variables
from denota.semantics.rdf.translation import translate
from denota.semantics.streams.rdf.graphs import parse_graph
from denota.strategies import datasets, group_graph_patterns, rdf_graphs

from ...examples import examples


def matched(pattern: GroupGraphPattern, dataset: Dataset) -> Counter[SolutionMapping]:
    matcher = compile_pattern(pattern, Dictionary(), dataset.named, defer=False)
    return bag(matcher, dataset.default)


def bag(matcher: Matcher, graph: Graph) -> Counter[SolutionMapping]:
    decode = matcher.dictionary.decode
    return Counter(
        SolutionMapping(
            (variable, decode(number))
            for variable, number in zip(matcher.columns, row, strict=True)
            if number
        )
        for row in matcher.match(graph)
    )


@examples(500)
@given(group_graph_patterns(), datasets())
def test_matcher_finds_the_bag_of_the_definitions(
    pattern: GroupGraphPattern, dataset: Dataset
) -> None:
    assert matched(pattern, dataset) == Counter(evaluate(pattern, dataset))


@examples(200)
@given(group_graph_patterns(), datasets(), st.lists(rdf_graphs(), max_size=3))
def test_forgetting_between_graphs_changes_nothing(
    pattern: GroupGraphPattern, dataset: Dataset, graphs: list[Graph]
) -> None:
    matcher = compile_pattern(pattern, Dictionary(), dataset.named, defer=False)
    for graph in (dataset.default, *graphs, dataset.default):
        assert bag(matcher, graph) == matched(pattern, Dataset(graph, dataset.named))
        matcher.dictionary.sweep()


@examples(200)
@given(group_graph_patterns(), datasets())
def test_what_is_said_of_a_pattern_holds_of_its_rows(
    pattern: GroupGraphPattern, dataset: Dataset
) -> None:
    matcher = compile_pattern(pattern, Dictionary(), dataset.named, defer=False)
    rows = matcher.match(dataset.default)
    assert set(matcher.columns) == possible_variables(pattern)
    assert matcher.solutions(dataset.default) == set(rows)
    for row in rows:
        bound = {each for each, number in zip(matcher.columns, row, strict=True) if number}
        assert matcher.certain <= bound
    if rows:
        present = {predicate for _, predicate, _ in dataset.default}
        assert {matcher.dictionary.decode(number) for number in matcher.predicates} <= present


# --- EXISTS, groups and ordered slices: bound variables meet the engine's plan ---

EXAMPLE = "http://example.org/"
PROLOGUE = Prologue(prefixes=(("", EXAMPLE),))


def _graph(text: str) -> Graph:
    return parse_graph(text, prefixes={"": EXAMPLE})



DATASET = Dataset(
    _graph(':a :p :b . :b :p :c . :a :in :g . :b :in :h . :a :q 1 , 2.0 . :b :q 2 , "2" .'),
    {
        URIRef(EXAMPLE + "g"): _graph(":a :q 1 . :x :p :a ."),
        URIRef(EXAMPLE + "h"): _graph(":b :q 2 . :a :p :b . :b :p :a ."),
    },
)

OUTSIDE = st.sampled_from((
    "VALUES ?s { :a :z }", "?s :in ?g", "VALUES (?s ?g) { (:a :g) (:z :h) (:b UNDEF) }",
    "?s :q ?o", "VALUES (?s ?o) { (:a 2) (:z :z) (UNDEF 1) }", "?s :in ?g . ?s :p ?o",
))
PATHS = st.sampled_from((":p", ":p*", ":p?", ":p+", "^:p*", ":p*/:q", "(:p|:q)?", ":p?/:p*"))
ENDS = st.sampled_from(("?s", "?s", "?o", "?t", ":b", ":z"))
NAMES = st.sampled_from(("?g", "?g", "?s", ":h"))
CONDITIONS = st.sampled_from((
    "BOUND(?t)", "!BOUND(?o)", "?s = ?t", "?s != ?o", "BOUND(?g)", "?o > 1",
))


@st.composite
def triples(draw: DrawFn) -> str:
    return f"{draw(ENDS)} {draw(PATHS)} {draw(ENDS)} ."


@st.composite
def selects(draw: DrawFn, inner: str) -> str:
    """A sub-select in a total order, or of groups; AS may name what grouping hides."""
    alias = draw(st.sampled_from(("?n", "?o")))
    return draw(st.sampled_from((
        f"{{ SELECT * {{ {inner} }} ORDER BY ?s ?o ?g ?t LIMIT 1 }}",
        f"{{ SELECT ?s ?g {{ {inner} }} ORDER BY DESC(?g) ?s LIMIT 1 }}",
        f"{{ SELECT ?s (COUNT(*) AS {alias}) {{ {inner} }} GROUP BY ?s }}",
        f"{{ SELECT ?s (MAX(?o) AS {alias}) {{ {inner} }} GROUP BY ?s HAVING (MIN(?o) > 0) }}",
        f"{{ SELECT (MIN(?o) AS {alias}) (SAMPLE({alias}) AS ?m) {{ {inner} }} }}"
        if alias == "?n"
        else f"{{ SELECT (MIN(?o) AS ?n) (MAX(?o) AS ?m) {{ {inner} }} }}",
    )))


@st.composite
def insides(draw: DrawFn, depth: int = 2) -> str:
    """A group graph pattern for EXISTS."""
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.integers(0, 7)) if depth else 0
        inner = draw(insides(depth - 1)) if kind > 1 else ""
        match kind:
            case 0 | 1:
                parts.append(draw(triples()))
            case 2:
                parts.append(f"GRAPH {draw(NAMES)} {{ {inner} }}")
            case 3:
                parts.append(f"OPTIONAL {{ {inner} }}")
            case 4:
                parts.append(f"MINUS {{ {inner} }}")
            case 5:
                negated = draw(st.sampled_from(("", "NOT ")))
                parts.append(f"FILTER {negated}EXISTS {{ {inner} }}")
            case 6:
                parts.append(draw(selects(inner)))
            case _:
                parts.append(f"FILTER ({draw(CONDITIONS)})")
    return " ".join(parts)


@st.composite
def patterns(draw: DrawFn) -> str:
    negated = draw(st.sampled_from(("", "NOT ")))
    return f"{{ {draw(OUTSIDE)} FILTER {negated}EXISTS {{ {draw(insides())} }} }}"


@examples(600)
@given(patterns(), st.booleans())
def test_the_engine_finds_what_exists(text: str, substitutes: bool) -> None:
    pattern = parse_group(text, prologue=PROLOGUE)
    execution = Execution(substitutes=substitutes)
    active = Evaluation(DATASET, DATASET.default, execution)
    expected = Counter(evaluate_algebra(translate(pattern), active))
    matcher = compile_pattern(
        pattern, Dictionary(substitutes=substitutes), DATASET.named, defer=False
    )
    assert bag(matcher, DATASET.default) == expected
