"""parse ∘ print = identity, on trees of every shape and with terms that are hard to write.

The strategy is this file's own: what `denota.strategies` generates is made to match streams, and is
printed and parsed again in property_tests/spaseq/.
"""

from hypothesis import given
from hypothesis import strategies as st

from denota.semantics.model.terms import URIRef, Variable, literal
from denota.semantics.rdf.syntax.tree import (
    Comparison,
    Filter,
    GroupGraphPattern,
    NamedGraphPattern,
    Prologue,
    TriplePattern,
    TriplesBlock,
)
from denota.semantics.spaseq.syntax.parse import parse
from denota.semantics.spaseq.syntax.printing import to_text
from denota.semantics.spaseq.syntax.tree import (
    Conjunction,
    Definition,
    Disjunction,
    Extent,
    KleenePlus,
    Negation,
    Operator,
    OptionalEvent,
    Reference,
    SequenceExpression,
    SpaseqQuery,
    Step,
    StreamClause,
    WithinUnit,
)

GPMS = ("A", "B2", "seq", "ON", "Événement")
STREAMS = ("S1", "from", "a")
NAMESPACES = ("http://example.org/", "http://example.org/x#", "urn:x:")
PREFIXES = ("", "ex", "x1")

references = st.sampled_from(GPMS).map(Reference)
operands = st.recursive(
    references | references.map(Negation) | references.map(OptionalEvent),
    lambda inner: st.lists(inner, min_size=2, max_size=3).map(tuple).flatmap(
        lambda both: st.sampled_from([Conjunction(both), Disjunction(both)])
    ),
    max_leaves=5,
)
repeated = operands.filter(lambda psi: not isinstance(psi, Negation | OptionalEvent))
atoms = operands | repeated.map(KleenePlus)
steps = st.builds(Step, st.sampled_from(Operator), atoms)
sequences = st.builds(SequenceExpression, atoms, st.lists(steps, max_size=4).map(tuple))

extents = st.builds(
    Extent, st.integers(1, 10**14) | st.integers(1, 100).map(lambda n: n * 60_000_000),
    st.sampled_from(WithinUnit),
)
local_names = st.text(st.sampled_from("aZ09_-.:/#é%"), max_size=4)
iris = st.builds(lambda space, name: URIRef(space + name), st.sampled_from(NAMESPACES), local_names)
literals = st.builds(literal, st.text(st.sampled_from("a\"\\'<>\n é:"), max_size=5)) | st.builds(
    literal, st.sampled_from(["1", "01", "-1", "x"]),
    st.sampled_from(["http://www.w3.org/2001/XMLSchema#integer", "http://example.org/x#type"]),
)
variables = st.sampled_from("xyz").map(Variable)
triples = st.builds(TriplePattern, variables | iris, variables | iris, variables | iris | literals)
blocks = st.lists(triples, min_size=1, max_size=2).map(tuple).map(TriplesBlock)
filters = st.builds(
    Filter,
    st.builds(Comparison, st.sampled_from(["<", ">=", "!="]), variables, variables | literals),
)
groups = st.builds(
    lambda *elements: GroupGraphPattern(tuple(e for e in elements if e is not None)),
    st.none() | blocks,
    st.none() | st.builds(NamedGraphPattern, iris, blocks.map(lambda b: GroupGraphPattern((b,)))),
    st.none() | filters,
)
prologues = st.lists(st.sampled_from(PREFIXES), unique=True).flatmap(
    lambda prefixes: st.tuples(
        *(st.tuples(st.just(prefix), st.sampled_from(NAMESPACES)) for prefix in prefixes)
    )
).map(lambda declared: Prologue(None, declared))

queries = st.builds(
    SpaseqQuery,
    select=st.none() | st.lists(variables, min_size=1, max_size=3).map(tuple),
    within=extents,
    slide=st.none() | extents,
    streams=st.tuples(*(st.builds(StreamClause, st.just(name), iris) for name in STREAMS)),
    sequence=sequences,
    definitions=st.tuples(
        *(st.builds(Definition, st.just(name), st.sampled_from(STREAMS), groups) for name in GPMS)
    ),
    prologue=prologues,
)


@given(queries)
def test_a_printed_query_parses_to_the_same_tree(query):
    assert parse(to_text(query)) == query


@given(queries)
def test_printing_is_stable(query):
    text = to_text(query)
    again = parse(text)
    assert to_text(again) == text
    assert again.prologue == query.prologue
