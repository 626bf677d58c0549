"""The dictionary: one id a term, and memory that stays bounded."""

from __future__ import annotations

import pytest
from rdflib.term import BNode, Literal, URIRef

from denota.engine.rdf.data.dictionary import Dictionary
from denota.engine.rdf.expressions.compile import ExpressionCompiler
from denota.engine.rdf.expressions.values import ExpressionError
from denota.semantics.model.errors import Impossible
from denota.semantics.model.terms import Term, literal
from denota.semantics.rdf.expressions.values import XSD_INTEGER, XSD_STRING
from denota.semantics.rdf.syntax.tree import BuiltIn


def integer(value: int) -> Literal:
    return literal(str(value), XSD_INTEGER)


DIFFERENT: list[Term] = [
    URIRef("a"), BNode("a"), literal("a"), literal("a", language="en"),
    literal("a", "http://example.org/t"), integer(1), literal("01", XSD_INTEGER), literal("1"),
]


def test_ids_are_positive_and_tell_terms_apart() -> None:
    dictionary = Dictionary()
    numbers = [dictionary.encode(term) for term in DIFFERENT]
    assert len(set(numbers)) == len(numbers)
    assert min(numbers) >= 1
    assert [dictionary.decode(number) for number in numbers] == DIFFERENT
    assert [dictionary.encode(term) for term in DIFFERENT] == numbers


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Literal("a", lang="EN"), literal("a", language="en")),
        (Literal("a", datatype=URIRef(XSD_STRING)), literal("a")),
        (URIRef("".join(["a", "b"])), URIRef("ab")),
    ],
)
def test_one_term_in_two_spellings_has_one_id(one: Term, other: Term) -> None:
    dictionary = Dictionary()
    assert dictionary.encode(one) == dictionary.encode(other)


def test_a_graph_is_encoded_triple_by_triple() -> None:
    dictionary = Dictionary()
    triples = [(URIRef("s"), URIRef("p"), integer(1)), (BNode("s"), URIRef("p"), URIRef("s"))]
    encoded = dictionary.encode_graph(frozenset(triples))
    decoded = {tuple(dictionary.decode(number) for number in triple) for triple in encoded}
    assert decoded == set(triples)


def test_a_sweep_forgets_what_nobody_retains() -> None:
    dictionary = Dictionary()
    constant = dictionary.encode(URIRef("constant"), permanent=True)
    kept, lost = dictionary.encode(integer(1)), dictionary.encode(integer(2))
    assert dictionary.values[lost] == 2
    dictionary.retain([0, kept])
    assert dictionary.sweep() == 1
    assert dictionary.decode(constant) == URIRef("constant")
    assert dictionary.decode(kept) == integer(1)
    with pytest.raises(Impossible):
        dictionary.decode(lost)
    assert len(dictionary) == 2


def test_a_forgotten_id_is_given_to_another_term_with_its_own_value() -> None:
    dictionary = Dictionary()
    old = dictionary.encode(integer(1))
    assert dictionary.values[old] == 1
    dictionary.sweep()
    assert dictionary.encode(integer(2)) == old
    assert dictionary.values[old] == 2


def test_retaining_is_for_one_sweep() -> None:
    dictionary = Dictionary()
    number = dictionary.encode(BNode("b"))
    dictionary.retain([number])
    assert dictionary.sweep() == 0
    assert dictionary.sweep() == 1


def test_a_graph_encoded_before_a_sweep_is_encoded_again_after_it() -> None:
    dictionary = Dictionary()
    graph = frozenset([(URIRef("s"), URIRef("p"), URIRef("o"))])
    before = dictionary.index(graph)
    assert dictionary.index(graph) is before
    dictionary.sweep()
    assert dictionary.index(graph) is not before


def test_background_graphs_stay() -> None:
    dictionary = Dictionary()
    graph = frozenset([(URIRef("s"), URIRef("p"), integer(7))])
    indexed = dictionary.background(graph)
    assert dictionary.sweep() == 0
    assert dictionary.background(graph) is indexed


def test_memory_is_bounded_over_an_endless_stream() -> None:
    dictionary = Dictionary()
    alive: list[int] = []
    largest = 0
    for value in range(200_000):
        alive = [*alive[-9:], dictionary.encode(integer(value))]
        if dictionary.due:
            dictionary.retain(alive)
            dictionary.sweep()
        largest = max(largest, len(dictionary))
    assert largest <= 1 << 14
    assert [str(dictionary.decode(number)) for number in alive] == [
        str(value) for value in range(199_990, 200_000)
    ]


def test_lists_are_negative_equal_if_their_items_are_and_keep_them() -> None:
    dictionary = Dictionary()
    one, two = dictionary.encode(integer(1)), dictionary.encode(integer(2))
    pair, reverse = dictionary.encode_list([one, two]), dictionary.encode_list([two, one])
    assert pair < 0
    assert reverse < 0
    assert pair != reverse
    assert dictionary.encode_list((one, two)) == pair
    assert dictionary.decode_value(pair) == (integer(1), integer(2))
    dictionary.retain([reverse])
    assert dictionary.sweep() == 1
    assert dictionary.decode_value(reverse) == (integer(2), integer(1))
    assert dictionary.encode_list([one]) == pair  # the free id is used again


@pytest.mark.parametrize("number", [0, -1])
def test_unbound_and_lists_have_no_value(number: int) -> None:
    dictionary = Dictionary()
    dictionary.encode_list([dictionary.encode(integer(1))])
    with pytest.raises(ExpressionError):
        dictionary.values[number]


def test_now_is_the_same_throughout() -> None:
    dictionary = Dictionary()
    now = BuiltIn("NOW", ())
    earlier, later = (ExpressionCompiler({}, dictionary).term(now) for _ in range(2))
    assert earlier(()) == later(())
    assert str(dictionary.decode(earlier(()))).endswith("Z")
