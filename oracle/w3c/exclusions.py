"""Which tests are not run, and why."""

from __future__ import annotations

from .manifests import ManifestTest

JUDGED_KINDS = (
    "QueryEvaluationTest", "CSVResultFormatTest", "PositiveSyntaxTest", "PositiveSyntaxTest11",
    "NegativeSyntaxTest", "NegativeSyntaxTest11",
)

_OTHER_KINDS = {
    "UpdateEvaluationTest": "SPARQL Update is not supported",
    "PositiveUpdateSyntaxTest": "SPARQL Update is not supported",
    "PositiveUpdateSyntaxTest11": "SPARQL Update is not supported",
    "NegativeUpdateSyntaxTest": "SPARQL Update is not supported",
    "NegativeUpdateSyntaxTest11": "SPARQL Update is not supported",
    "ProtocolTest": "the SPARQL protocol is not supported",
    "GraphStoreProtocolTest": "the graph store protocol is not supported",
    "ServiceDescriptionTest": "service descriptions are not supported",
}
_WITHDRAWN = ("Withdrawn", "Rejected", "Obsoleted")

_SPARQL10 = "http://www.w3.org/2001/sw/DataAccess/tests/data-r2/"
_SPARQL11 = "http://www.w3.org/2009/sparql/docs/tests/data-sparql11/"

_NUMERALS = (
    "SPARQL 1.0 reads 456. as a decimal; SPARQL 1.1 (19.8, DECIMAL) as an integer and a full stop"
)
_STRINGS = "RDF 1.0 tells \"a\" from \"a\"^^xsd:string; in RDF 1.1 they are one term"

# Tests that later recommendations or other tests of the same suite contradict.
_SUPERSEDED = {
    _SPARQL10 + "basic/manifest#term-6": _NUMERALS,
    _SPARQL10 + "basic/manifest#term-7": _NUMERALS,
    _SPARQL10 + "syntax-sparql1/manifest#syntax-lit-08": _NUMERALS,
    _SPARQL10 + "distinct/manifest#distinct-2": _STRINGS,
    _SPARQL10 + "distinct/manifest#distinct-9": _STRINGS,
    _SPARQL11 + "functions/manifest#strdt03": _STRINGS,
    _SPARQL11 + "functions/manifest#strlang03": _STRINGS,
    _SPARQL10 + "expr-builtin/manifest#dawg-datatype-2":
        "in SPARQL 1.0 DATATYPE of a string with a language tag is an error, in 1.1 rdf:langString",
    _SPARQL10 + "optional-filter/manifest#dawg-optional-filter-005-simplified":
        "not approved; its twin dawg-optional-filter-005-not-simplified expects the opposite, and "
        "SPARQL 1.1 (18.2.2.8) agrees with the twin",
    _SPARQL11 + "aggregates/manifest#agg-empty-group":
        "expects a group where no solution makes one, against SPARQL 1.1 (18.5.1, Group); the "
        "community's later suite has replaced it by tests that expect no row",
}


def exclusion(test: ManifestTest) -> str | None:
    """Why a test is not run; None if it is."""
    if str(test.iri) in _SUPERSEDED:
        return f"superseded: {_SUPERSEDED[str(test.iri)]}"
    if test.approval in _WITHDRAWN:
        return f"the working group has marked the test {test.approval}"
    if test.kind in _OTHER_KINDS:
        return _OTHER_KINDS[test.kind]
    if test.entailment:
        return f"entailment regimes ({', '.join(test.entailment)}) are not supported"
    if test.remote:
        return "SERVICE (federated query) is not supported"
    if test.kind not in JUDGED_KINDS:
        return f"tests of type mf:{test.kind} are not known" if test.kind else "it has no type"
    return None
