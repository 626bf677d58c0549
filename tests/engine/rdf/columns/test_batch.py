"""Items as columns, and back."""

from rdflib.term import URIRef

from denota.engine.rdf.columns.batch import batch_of
from denota.engine.rdf.data.dictionary import Dictionary
from denota.semantics.model.items import TimeKind
from denota.semantics.streams.merging import StreamItem

A, B, P = (URIRef("http://example.org/" + name) for name in "abp")
ITEMS = [
    StreamItem(A, 1, 0, frozenset({(A, P, B)}), TimeKind.INTEGER),
    StreamItem(A, 1, 1, frozenset(), TimeKind.INTEGER),
    StreamItem(B, 4, 0, frozenset({(A, P, A), (B, P, A)}), TimeKind.INTEGER, lasted=3),
]


def test_what_a_batch_holds_is_what_its_items_say():
    assert list(batch_of(ITEMS, Dictionary()).items()) == ITEMS


def test_equal_terms_have_one_number():
    batch = batch_of(ITEMS, Dictionary())
    assert len(set(batch.predicate.tolist())) == 1
    assert len(set(batch.object.tolist())) == 2
    assert [list(batch.offsets), list(batch.start)] == [[0, 1, 1, 3], [1, 1, 1]]


def test_a_cut_has_its_own_triples():
    batch = batch_of(ITEMS, Dictionary())
    assert list(batch.cut(1, 3).items()) == ITEMS[1:]
    assert list(batch.cut(0, 0).items()) == []
