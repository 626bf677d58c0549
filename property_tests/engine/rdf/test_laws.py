"""Laws of SPARQL's algebra on random patterns and datasets, of the definitions and of the engine.

What both get wrong in the same way, no comparison of the two can show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.engine.rdf.data.dictionary import Dictionary
from denota.engine.rdf.matcher import compile_pattern
from denota.oracle.fuzzing.strategies.hypothesis_backend import plain_backend
from denota.oracle.inputs.choices import strategy
from denota.oracle.inputs.graphs import number
from denota.oracle.inputs.sparql import question
from denota.oracle.inputs.sparql_data import LINKS, NODES, VARIABLES
from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.terms import BNode, Dataset, Term, URIRef, Variable, literal
from denota.semantics.model.trees import changed, find, has
from denota.semantics.rdf.evaluation import evaluate
from denota.semantics.rdf.syntax import tree as s
from denota.semantics.rdf.syntax.variables import possible_variables
from denota.strategies import group_graph_patterns, paths

from ...examples import examples

Bag: TypeAlias = Counter[SolutionMapping]
Evaluator: TypeAlias = Callable[[s.GroupGraphPattern, Dataset], Bag]
Group: TypeAlias = s.GroupGraphPattern


def by_definition(pattern: Group, dataset: Dataset) -> Bag:
    return Counter(evaluate(pattern, dataset))


def by_engine(pattern: Group, dataset: Dataset) -> Bag:
    matcher = compile_pattern(pattern, Dictionary(), dataset.named, defer=False)
    decode = matcher.dictionary.decode
    return Counter(
        SolutionMapping(
            (variable, decode(number))
            for variable, number in zip(matcher.columns, row, strict=True) if number
        )
        for row in matcher.match(dataset.default)
    )


both = pytest.mark.parametrize("solutions", [by_definition, by_engine])
often = examples(60, backend=plain_backend())
QUESTIONS = strategy(question)
PATTERNS = group_graph_patterns()
Question: TypeAlias = tuple[Group, Dataset]


def group(*elements: s.Element) -> Group:
    return Group(elements)


def braced(*patterns: Group) -> Group:
    """{ P } { Q } …"""
    return group(*(s.UnionPattern((pattern,)) for pattern in patterns))


def union(*patterns: Group) -> Group:
    return group(s.UnionPattern(patterns))


def triples(*triples: s.TriplePattern) -> Group:
    return group(s.TriplesBlock(triples))


ENDS = st.sampled_from((*VARIABLES[:3], *VARIABLES[:3], *NODES[:2]))
BLOCKS = st.builds(s.TriplePattern, ENDS, st.sampled_from((*LINKS, VARIABLES[3])), ENDS).map(
    lambda triple: triples(triple)
)

# --- joins and unions ----------------------------------------------------------------------------


@both
@often
@given(QUESTIONS, PATTERNS, PATTERNS)
def test_joins_commute_and_associate(
    solutions: Evaluator, question: Question, b: Group, c: Group
) -> None:
    a, data = question
    assert solutions(braced(a, b), data) == solutions(braced(b, a), data)
    one, other = braced(braced(a, b), c), braced(a, braced(b, c))
    assert solutions(one, data) == solutions(other, data)


@both
@often
@given(QUESTIONS, PATTERNS, PATTERNS)
def test_unions_commute_associate_and_let_joins_through(
    solutions: Evaluator, question: Question, b: Group, c: Group
) -> None:
    a, data = question
    assert solutions(union(a, b, c), data) == solutions(union(union(c, b), a), data)
    assert solutions(union(a, b), data) == solutions(a, data) + solutions(b, data)
    joined = union(braced(a, c), braced(b, c))
    assert solutions(braced(union(a, b), c), data) == solutions(joined, data)


@both
@often
@given(QUESTIONS, PATTERNS, BLOCKS)
def test_left_joins_and_differences_let_unions_through(
    solutions: Evaluator, question: Question, b: Group, c: Group
) -> None:
    a, data = question
    for kind in (s.OptionalPattern, s.MinusPattern):
        whole = group(s.UnionPattern((a, b)), kind(c))
        sides = [group(s.UnionPattern((side,)), kind(c)) for side in (a, b)]
        assert solutions(whole, data) == solutions(union(*sides), data)


@both
@often
@given(QUESTIONS, PATTERNS, PATTERNS)
def test_differences_one_after_the_other_are_one(
    solutions: Evaluator, question: Question, b: Group, c: Group
) -> None:
    a, data = question
    whole = s.UnionPattern((a,))
    twice = group(whole, s.MinusPattern(b), s.MinusPattern(c))
    assert solutions(twice, data) == solutions(group(whole, s.MinusPattern(union(b, c))), data)
    left = solutions(group(whole, s.MinusPattern(b)), data)
    assert left <= solutions(a, data)
    if not possible_variables(a) & possible_variables(b):
        assert left == solutions(a, data)


@both
@often
@given(QUESTIONS, BLOCKS)
def test_a_left_join_is_a_join_and_what_has_no_partner(
    solutions: Evaluator, question: Question, b: Group
) -> None:
    """A OPTIONAL B = { A . B } UNION { A FILTER NOT EXISTS B }, B a triple pattern"""
    a, data = question
    whole = s.UnionPattern((a,))
    optional = solutions(group(whole, s.OptionalPattern(b)), data)
    alone = group(whole, s.Filter(s.Exists(b, negated=True)))
    assert optional == solutions(braced(a, b), data) + solutions(alone, data)
    joined = group(whole, s.Filter(s.Exists(b)))
    assert solutions(joined, data) + solutions(alone, data) == solutions(a, data)


# --- filters, blocks, projections ----------------------------------------------------------------

CONDITIONS = st.sampled_from((
    s.Comparison("=", VARIABLES[0], VARIABLES[1]), s.Comparison("<", VARIABLES[1], VARIABLES[2]),
    s.BuiltIn("BOUND", (VARIABLES[1],)), s.BuiltIn("ISLITERAL", (VARIABLES[1],)),
    s.Comparison("!=", VARIABLES[0], NODES[0]),
))


@both
@often
@given(QUESTIONS, PATTERNS, CONDITIONS, CONDITIONS)
def test_filters_are_their_conjuncts_and_go_through_unions(
    solutions: Evaluator, question: Question, b: Group, one: s.Expression, other: s.Expression
) -> None:
    a, data = question
    whole = s.UnionPattern((a,))
    both_at_once = solutions(group(whole, s.Filter(s.And((one, other)))), data)
    assert both_at_once == solutions(group(s.Filter(other), whole, s.Filter(one)), data)
    filtered = [group(s.UnionPattern((side,)), s.Filter(one)) for side in (a, b)]
    late = group(s.UnionPattern((a, b)), s.Filter(one))
    assert solutions(late, data) == solutions(union(*filtered), data)
    either = s.Filter(s.Or((one, s.Not(one))))  # false where it is an error
    errors = solutions(a, data) - solutions(group(whole, either), data)
    kept = solutions(filtered[0], data) + solutions(
        group(whole, s.Filter(s.Not(one))), data
    )
    assert kept + errors == solutions(a, data)


@both
@often
@given(QUESTIONS, st.lists(BLOCKS, min_size=2, max_size=3), CONDITIONS)
def test_a_block_may_be_split_and_a_filter_pushed_into_it(
    solutions: Evaluator, question: Question, blocks: list[Group], condition: s.Expression
) -> None:
    _, data = question
    whole = triples(*(triple for block in blocks for triple in find(block, s.TriplePattern)))
    assert solutions(whole, data) == solutions(braced(*blocks), data)
    first, *rest = blocks
    if not set(find(condition, Variable)) <= possible_variables(first):
        return
    pushed = braced(group(*first.elements, s.Filter(condition)), *rest)
    late = group(*braced(first, *rest).elements, s.Filter(condition))
    assert solutions(pushed, data) == solutions(late, data)


@both
@often
@given(QUESTIONS, st.permutations(VARIABLES))
def test_projections_and_distinct(
    solutions: Evaluator, question: Question, order: list[Variable]
) -> None:
    a, data = question

    def select(inner: Group, *variables: Variable, distinct: bool = False) -> Group:
        projection = tuple(map(s.Projection, variables))
        return group(s.SubSelect(s.SelectQuery(projection, inner, distinct=distinct)))

    x, y = order[:2]
    once = solutions(select(a, x), data)
    assert once == solutions(select(select(a, y, x), x), data)
    assert once == Counter(mu.project({x}) for mu in solutions(a, data).elements())
    different = solutions(select(a, x, distinct=True), data)
    assert set(different.values()) <= {1}
    assert different.keys() == once.keys()
    again = select(union(select(a, x, distinct=True), a), x, distinct=True)
    assert solutions(again, data) == different


# --- groups, slices, what is computed -------------------------------------------------------------

N = Variable("n")
BOOLEAN = URIRef("http://www.w3.org/2001/XMLSchema#boolean")
YES, NO = literal("true", BOOLEAN), literal("false", BOOLEAN)
ALL = s.Projection(N, s.Aggregate("COUNT", None))


def selected(inner: Group, modifier: s.SolutionModifier, *items: s.Projection) -> Group:
    return group(s.SubSelect(s.SelectQuery(items or None, inner, modifier)))


def counted(found: Bag) -> int:
    """The one number that is ?n."""
    ((mu, times),) = found.items()
    assert times == 1
    return int(str(mu[N]))


@both
@often
@given(QUESTIONS, st.sampled_from(VARIABLES))
def test_groups_are_parts_of_all_solutions(
    solutions: Evaluator, question: Question, key: Variable
) -> None:
    a, data = question
    everything = solutions(a, data)
    assert counted(solutions(selected(a, s.SolutionModifier(), ALL), data)) == everything.total()
    by_key = s.SolutionModifier(group_by=(key,))
    groups = solutions(selected(a, by_key, s.Projection(key), ALL), data)
    assert groups == Counter({
        SolutionMapping({**mu, N: number(str(times))}): 1
        for mu, times in Counter(mu.project({key}) for mu in everything.elements()).items()
    })
    different = s.Projection(N, s.Aggregate("COUNT", key, distinct=True))
    values = {mu[key] for mu in everything if key in mu}
    assert counted(solutions(selected(a, s.SolutionModifier(), different), data)) == len(values)


@both
@often
@given(QUESTIONS, st.integers(0, 3), st.integers(0, 3))
def test_a_slice_has_what_there_is(
    solutions: Evaluator, question: Question, limit: int, offset: int
) -> None:
    a, data = question
    everything = solutions(a, data)
    cut = solutions(selected(a, s.SolutionModifier(limit=limit, offset=offset)), data)
    assert cut <= everything
    assert cut.total() == min(limit, max(everything.total() - offset, 0))


@both
@often
@given(QUESTIONS, st.lists(st.sampled_from((*NODES, None)), max_size=3), CONDITIONS)
def test_values_are_a_union_and_a_bind_is_a_condition_computed(
    solutions: Evaluator, question: Question, cells: list[URIRef | None], condition: s.Expression
) -> None:
    a, data = question
    x = VARIABLES[0]
    whole = s.UnionPattern((a,))
    rows = tuple((cell,) for cell in cells)
    one_by_one = sum(
        (solutions(group(whole, s.InlineData((x,), (row,))), data) for row in rows), Bag()
    )
    assert solutions(group(whole, s.InlineData((x,), rows)), data) == one_by_one
    true = s.FunctionCall(BOOLEAN, (s.BuiltIn("IF", (condition, YES, NO)),))
    computed = group(whole, s.Bind(true, N), s.Filter(s.Comparison("=", N, YES)))
    assert Counter({
        mu.without({N}): times for mu, times in solutions(computed, data).items()
    }) == solutions(group(whole, s.Filter(condition)), data)


@both
@often
@given(QUESTIONS, BLOCKS, CONDITIONS)
def test_a_condition_of_a_left_join_says_who_is_a_partner(
    solutions: Evaluator, question: Question, b: Group, condition: s.Expression
) -> None:
    """{ A OPTIONAL C } = { A . B FILTER R } UNION { A FILTER NOT EXISTS C }, C = { B FILTER R }"""
    a, data = question
    whole = s.UnionPattern((a,))
    partner = group(*b.elements, s.Filter(condition))
    partners = solutions(group(whole, s.UnionPattern((b,)), s.Filter(condition)), data)
    alone = solutions(group(whole, s.Filter(s.Exists(partner, negated=True))), data)
    assert solutions(group(whole, s.OptionalPattern(partner)), data) == partners + alone


# --- names and data ------------------------------------------------------------------------------


@both
@often
@given(QUESTIONS, st.permutations(VARIABLES))
def test_other_names_of_variables_and_of_blank_nodes(
    solutions: Evaluator, question: Question, order: list[Variable]
) -> None:
    a, data = question
    names = dict(zip(VARIABLES, order, strict=True))
    renamed = changed(a, lambda each: names.get(each, each) if isinstance(each, Variable) else each)
    expected = solutions(a, data)
    assert solutions(renamed, data) == Counter({
        SolutionMapping({names.get(v, v): t for v, t in mu.items()}): n
        for mu, n in expected.items()
    })

    def other(term: Term) -> Term:
        return BNode(f"other{term}") if isinstance(term, BNode) else term

    moved = Dataset(
        frozenset(tuple(map(other, triple)) for triple in data.default),  # type: ignore[misc]
        {name: frozenset(tuple(map(other, triple)) for triple in graph)  # type: ignore[misc]
         for name, graph in data.named.items()},
    )
    assert solutions(a, moved) == Counter({
        SolutionMapping({v: other(t) for v, t in mu.items() if not isinstance(t, tuple)}): n
        for mu, n in expected.items()
    })


@both
@often
@given(QUESTIONS)
def test_a_graph_of_some_name_is_one_of_the_graphs(
    solutions: Evaluator, question: Question
) -> None:
    a, data = question
    g = Variable("g")
    each = Counter[SolutionMapping]()
    for name in data.named:
        assert isinstance(name, URIRef)
        named = solutions(group(s.NamedGraphPattern(name, a)), data)
        assert named == solutions(a, replace(data, default=data.named[name]))
        each += Counter({SolutionMapping({**mu, g: name}): n for mu, n in named.items()})
    assert solutions(group(s.NamedGraphPattern(g, a)), data) == each


@both
@often
@given(QUESTIONS, BLOCKS, BLOCKS, st.sampled_from(NODES))
def test_more_data_take_nothing_from_what_asks_for_no_absence(
    solutions: Evaluator, question: Question, b: Group, c: Group, node: URIRef
) -> None:
    _, data = question
    more = replace(data, default=data.default | {(node, LINKS[0], node)})
    pattern = braced(b, union(c, b))
    assert solutions(pattern, data) <= solutions(pattern, more)


# --- paths ---------------------------------------------------------------------------------------


def path(step: s.Path, *, inverse: bool = False) -> Group:
    x, y = VARIABLES[1::-1] if inverse else VARIABLES[:2]
    return triples(s.TriplePattern(x, step, y))


@both
@often
@given(QUESTIONS, paths(), paths())
def test_laws_of_paths(
    solutions: Evaluator, question: Question, p: s.Path, q: s.Path
) -> None:
    _, data = question

    def bag(step: s.Path, *, inverse: bool = False) -> Bag:
        return solutions(path(step, inverse=inverse), data)

    def found(step: s.Path) -> set[SolutionMapping]:
        return set(bag(step))

    assert bag(s.InversePath(p)) == bag(p, inverse=True)
    assert bag(s.InversePath(s.InversePath(p))) == bag(p)
    assert bag(s.AlternativePath((p, q))) == bag(p) + bag(q)
    back = s.SequencePath((s.InversePath(q), s.InversePath(p)))
    assert bag(s.InversePath(s.SequencePath((p, q)))) == bag(back)
    more, any_number, perhaps = s.OneOrMorePath(p), s.ZeroOrMorePath(p), s.ZeroOrOnePath(p)
    assert found(more) == found(s.SequencePath((p, any_number)))
    assert found(any_number) == found(perhaps) | found(more)
    assert found(s.ZeroOrMorePath(any_number)) == found(any_number)
    assert max(bag(any_number).values(), default=1) == 1
    assert max(bag(more).values(), default=1) == 1


@both
@often
@given(QUESTIONS, paths(), st.sampled_from((*NODES, URIRef("http://example.org/z"))))
def test_a_constant_end_is_a_variable_with_that_value(
    solutions: Evaluator, question: Question, p: s.Path, node: URIRef
) -> None:
    """But for a path of no length, which a constant that is no node has and a variable has not."""
    _, data = question
    x, y = VARIABLES[:2]
    given_start = solutions(triples(s.TriplePattern(node, p, y)), data)
    nodes = {term for subject, _, object_ in data.default for term in (subject, object_)}
    bound = Counter({
        mu.without({x}): n for mu, n in solutions(path(p), data).items() if mu[x] == node
    })
    if node in nodes:
        assert given_start == bound
    else:
        assert not bound
        zero = has(p, s.ZeroOrMorePath, s.ZeroOrOnePath)
        assert set(given_start) <= ({SolutionMapping({y: node})} if zero else set())
