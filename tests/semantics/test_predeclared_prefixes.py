"""Durations may be written "P30D"^^xsd:duration in every language over streams, undeclared."""

from __future__ import annotations

import pytest

from denota.semantics.cqels.syntax.parse import parse as parse_cqels
from denota.semantics.epsparql.syntax.parse import parse as parse_epsparql
from denota.semantics.model.errors import QueryError
from denota.semantics.rdf.syntax.parse import parse_query
from denota.semantics.rsepql.syntax.parse import parse as parse_rsepql
from denota.semantics.spaseq.syntax.parse import parse as parse_spaseq

QUERIES = [
    (
        parse_rsepql,
        'SELECT * FROM NAMED WINDOW <urn:w> ON <urn:s> [RANGE "PT5M"^^xsd:duration]'
        " WHERE { WINDOW <urn:w> { ?x <urn:p> ?y } }",
    ),
    (
        parse_cqels,
        'SELECT * FROM NAMED WINDOW <urn:w> ON <urn:s> [RANGE "PT5M"^^xsd:duration]'
        " WHERE { WINDOW <urn:w> { ?x <urn:p> ?y } }",
    ),
    (
        parse_spaseq,
        'SELECT ?x WITHIN "PT5M"^^xsd:duration FROM STREAM S <urn:s>'
        " WHERE { SEQ(A) DEFINE GPM A ON S { ?x <urn:p> ?y } }",
    ),
    (
        parse_epsparql,
        'SELECT * WHERE { ?x <urn:p> ?y } FILTER (getDURATION() < "PT5M"^^xsd:duration)',
    ),
]


@pytest.mark.parametrize(("parse", "query"), QUERIES)
def test_xsd_is_predeclared(parse, query):
    declared = parse(f"PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> {query}")
    for part in ("windows", "within", "where", "select"):
        assert getattr(parse(query), part, None) == getattr(declared, part, None)


@pytest.mark.parametrize(("parse", "query"), QUERIES)
def test_another_prefix_is_not(parse, query):
    with pytest.raises(QueryError, match="the prefix 'xs:' is not declared"):
        parse(query.replace("xsd:", "xs:"))


def test_sparql_declares_all():
    with pytest.raises(QueryError, match="the prefix 'xsd:' is not declared"):
        parse_query('SELECT * WHERE { ?x ?y "1"^^xsd:int }')
