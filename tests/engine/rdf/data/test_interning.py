"""Terms that are known by their bytes: one dictionary, and one id a term."""

from __future__ import annotations

import pytest
from rdflib.term import BNode, URIRef

from denota.engine.checkpoints.state_encoder import saved
from denota.engine.rdf.data.dictionary import Dictionary
from denota.engine.rdf.data.tokens import term_of, token_of
from denota.semantics.model.errors import Impossible
from denota.semantics.model.terms import Term, literal

XSD = "http://www.w3.org/2001/XMLSchema#"
PLAIN: list[tuple[Term, bytes]] = [
    (URIRef("http://e/a?b#c"), b"<http://e/a?b#c>"),
    (BNode("d1_x"), b"_:x"),
    (literal("x"), b'"x"'),
    (literal("ä\t", XSD + "token"), f'"ä\t"^^<{XSD}token>'.encode()),
    (literal("x", None, "EN"), b'"x"@en'),
    (literal("x", XSD + "string"), b'"x"'),
]
NOT_PLAIN: list[Term] = [
    URIRef("relative"), URIRef("http://e/ä"), URIRef("http://e/ "), URIRef("http://e/%4"),
    URIRef("http://u@e/"), URIRef("http://e/#a#b"), BNode("x"), BNode("d1_" + "f" * 20),
    BNode("d_1_x-y"), literal('"'), literal("\\"), literal("a\nb"), literal("\ud800"),
    literal("x", None, "en-us"), literal("x", "type"),
    literal("x", "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"),
]  # fmt: skip


def interned(dictionary: Dictionary, token: bytes, scope: str = "") -> int:
    """The id of a token, as a reader finds it."""
    terms = dictionary.interned
    number = terms.tokens.numbered(token, terms.scope(scope))
    terms.identify(dictionary.new_ids)
    return int(terms.ids[number])


@pytest.mark.parametrize(("term", "token"), PLAIN)
def test_a_plain_term_has_a_token(term: Term, token: bytes) -> None:
    written = token_of(term)
    assert written is not None
    assert written[0] == token
    assert term_of(*written) == term


@pytest.mark.parametrize("term", NOT_PLAIN)
def test_other_terms_have_none_and_ids_all_the_same(term: Term) -> None:
    assert token_of(term) is None
    dictionary = Dictionary()
    number = dictionary.encode(term)
    assert dictionary.interned.number_of(number) == -1
    assert dictionary.decode(number) == term
    assert dictionary.encode(term) == number


@pytest.mark.parametrize(("term", "token"), PLAIN)
def test_bytes_and_terms_have_one_id(term: Term, token: bytes) -> None:
    scope = "d1" if isinstance(term, BNode) else ""
    before, after = Dictionary(), Dictionary()
    number = before.encode(term)  # known before there are readers
    assert interned(before, token, scope) == number
    number = interned(after, token, scope)  # known by its bytes first
    assert after.encode(term) == number
    assert after.decode(number) == term
    fresh = Dictionary()
    assert fresh.interned is fresh.interned
    number = fresh.encode(term)  # known by nobody
    assert interned(fresh, token, scope) == number


def test_a_label_is_another_node_in_another_document() -> None:
    dictionary = Dictionary()
    one, other = interned(dictionary, b"_:x", "d1"), interned(dictionary, b"_:x", "d2")
    assert one != other
    assert dictionary.decode(other) == BNode("d2_x")


def test_what_nobody_retains_is_forgotten_by_its_bytes_too() -> None:
    dictionary = Dictionary()
    permanent = dictionary.encode(URIRef("http://e/p"), permanent=True)
    held = interned(dictionary, b'"held"')
    retained = interned(dictionary, b'"retained"')
    looked_at, unseen = interned(dictionary, b'"1"'), interned(dictionary, b'"2"')
    assert dictionary.decode(looked_at) == literal("1")
    release = dictionary.hold_for(lambda: [held])
    dictionary.retain([retained])
    assert dictionary.sweep() == 2
    assert len(dictionary) == len(dictionary.interned.tokens) == 3
    assert interned(dictionary, b"<http://e/p>") == permanent
    assert dictionary.decode(held) == literal("held")
    assert dictionary.decode(retained) == literal("retained")
    for number in (looked_at, unseen):
        with pytest.raises(Impossible):
            dictionary.decode(number)
    assert {interned(dictionary, b'"3"'), interned(dictionary, b'"4"')} == {looked_at, unseen}
    release()
    dictionary.sweep()
    assert len(dictionary) == 1


def test_values_are_of_terms_that_are_made_then() -> None:
    dictionary = Dictionary()
    number = interned(dictionary, f'"5"^^<{XSD}integer>'.encode())
    assert dictionary.values[number] == 5


def test_a_checkpoint_holds_what_nobody_has_looked_at() -> None:
    dictionary = Dictionary()
    interned(dictionary, b'"unseen"')
    assert "unseen" in str(saved(dictionary).data)
