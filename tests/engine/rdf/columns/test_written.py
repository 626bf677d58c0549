"""Numbers read from the bytes of terms are those that their literals have."""

from __future__ import annotations

import numpy as np
import pytest
from rdflib.term import BNode, URIRef

from denota.engine.kernels import KERNELS
from denota.engine.rdf.columns.matching.operands import (
    UNBOUND,
    UNKNOWN,
    as_written,
    kind_of,
    numbers_of,
)
from denota.engine.rdf.data.dictionary import Dictionary
from denota.semantics.model.terms import Term, literal

XSD = "http://www.w3.org/2001/XMLSchema#"
LEXICAL = (
    "0", "-0", "+7", "007", "12", "-12.50", "0.1", ".5", "5.", ".", "", "-", "1e3", "1.5E-7", "1e",
    "1e+", "e5", "1e22", "1e23", "123456789012345e22", "4.35e-22", "-0.0", "1.0", "1.25e1",
    "999999999999999", "9999999999999999", "0.000000000000001", "0.0000000000000001", "INF", "NaN",
    " 1", "1 ", "1.2.3", "--1", "12a", "1e999999999999", "\u0661",
)
NUMBERS = [
    literal(text, XSD + kind) for text in LEXICAL for kind in ("integer", "decimal", "double")
]
OTHERS = [
    URIRef("http://example.org/a"), BNode("x_1"), literal("1"), literal("a\nb"), literal(""),
    literal("1", None, "en"), literal("1", XSD + "float"), literal("1", XSD + "int"),
    literal("1", XSD + "string"), literal("1", "http://example.org/integer"),
    literal("true", XSD + "boolean"), literal('1"^^<' + XSD + "integer>"),
]  # fmt: skip


@pytest.mark.parametrize("allowance", [1 << 40, -1], ids=["interpreted", "compiled"])
def test_what_is_read_is_what_the_term_has(allowance: int) -> None:
    terms: list[Term] = [*NUMBERS, *OTHERS]
    dictionary = Dictionary()
    interned = dictionary.interned
    ids = np.array([dictionary.encode(term) for term in terms])
    with KERNELS.allowing(allowance):
        doubles, kinds = as_written(ids, interned)
    read = 0
    for term, double, kind in zip(terms, doubles.tolist(), kinds.tolist(), strict=True):
        if kind == UNKNOWN:
            continue
        read += 1
        expected = kind_of(dictionary.values[dictionary.encode(term)])
        assert (repr(double), kind) == (repr(expected[0]), expected[1]), term
    assert read > len(LEXICAL)


def test_what_cannot_be_read_is_looked_up() -> None:
    terms: list[Term] = [*NUMBERS, *OTHERS]
    dictionary = Dictionary()
    assert dictionary.interned is not None
    ids = np.array([0, *map(dictionary.encode, terms)])
    doubles, kinds = numbers_of(dictionary).of(ids)
    assert kinds[0] == UNBOUND
    plain = Dictionary()
    other_doubles, other_kinds = numbers_of(plain).of(np.array([0, *map(plain.encode, terms)]))
    assert kinds.tolist() == other_kinds.tolist()
    assert repr(doubles.tolist()) == repr(other_doubles.tolist())
