"""Alphabets of EP-SPARQL: restrictions of the drawing functions, forms of bodies, graphs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Final

from rdflib.term import Variable

from ....semantics.epsparql.syntax.tree import Form, Operator, Rule
from ....semantics.rdf.syntax import tree as s
from ...inputs.choices import Options
from ...inputs.graphs import BACKGROUNDS, KNOWN, LINK, THINGS
from ..enumerated_graphs import GAPS, NOTHING, STEPS, GraphAlphabet

_STEPS: Final = (
    Operator.SEQ, Operator.EQUALS, Operator.OPTIONALSEQ, Operator.EQUALSOPTIONAL, "UNION",
    "OPTIONAL",
)
_ALL: Final = (*_STEPS, "MINUS", "join", "block", "EXISTS", "NOT EXISTS")
_PLAIN: Final[Options] = {
    "epsparql/rules": (0,), "epsparql/rules alone": ("not",), "epsparql/rule": ("any",),
    "epsparql/rule exists": ("not",), "epsparql/template": ("not",),
    "subject made": THINGS[:1], "object made": THINGS[1:],
    "epsparql/form": (Form.SELECT,), "epsparql/select": ("all",), "epsparql/slice": ("not",),
    "epsparql/distinct": ("not",), "epsparql/describe": ("some", "both"),
    "epsparql/describe limit": ("not",), "epsparql/streams": ("not",),
    "epsparql/dataset": (None,), "epsparql/time": ("bound",), "epsparql/comparison": ("<=",),
    "epsparql/constant first": ("not",), "length": (1,),
}
"""A SELECT * of the operators of an alphabet, with FILTERs getDURATION() <= 1."""

@dataclass(frozen=True)
class EpsparqlAlphabet(GraphAlphabet):
    """The bodies between operators, and the graphs of streams.

    Graphs are over so many time units as `lasting` says; a query is asked on those whose predicates
    it names, or on all if it sees `others_too`. Queries of an operator or more that have no part of
    the type `needed` are left out. `background` has graphs by their names.
    """

    lasting: tuple[int, ...] = (0,)
    others_too: bool = False
    needed: type | None = None
    background: tuple[tuple[str, str], ...] = ()

    @property
    def allowed(self) -> Options:
        """The whole restriction."""
        plain = {"epsparql/operator": (*_STEPS, "FILTER"), "epsparql/form of a body": self.forms}
        return {**_PLAIN, **plain, **self.more}


def _edges(*predicates: str) -> tuple[str, ...]:
    return tuple(f"{a} {p} {b}" for p, a, b in product(predicates, "ab", "ab"))


_PATHS: Final = (
    "^:A", ":A*", ":A+", ":A?", "!:A", "!^:A", ":A/:A", ":A/:B", ":A|:B", "^(:A/:B)",
    "(:A/:B)*", "(:A|:B)+", ":A*/:B", ":A?/:B?", "(:A*)?", "(!:A)*",
)
_BACKGROUND: Final = (
    "?x :p ?new", "?x :q ?new", "?x a :C", "?x a :D", "?x :k ?new",
    *(f"?x :p ?new {behind}" for behind in (
        ". ?x :k ?other", "GRAPH :g1 { ?x :k ?other }", "GRAPH ?g { ?x :k ?other }",
        "GRAPH ?g { ?x :k ?g }", "OPTIONAL { ?x :k ?other }", "MINUS { ?x :k ?other }",
        "FILTER EXISTS { ?x :k ?other }", "FILTER NOT EXISTS { GRAPH ?g { ?x :k ?other } }",
        ". :a :k? ?x", "VALUES ?x { :a :b }",
    )),
)

ALPHABETS = {
    alphabet.name: alphabet
    for alphabet in (
        EpsparqlAlphabet(STEPS.name, STEPS.summary),
        EpsparqlAlphabet(GAPS.name, GAPS.summary),
        EpsparqlAlphabet(
            "durations",
            "in EP-SPARQL: the operators of steps, MINUS, joins and two triple patterns side by "
            "side, with FILTERs that compare getDURATION() with N in twelve ways; graphs as in "
            "gaps",
            {
                "epsparql/operator": (*_STEPS, "MINUS", "join", "block", "FILTER"),
                "epsparql/comparison": ("<", "<=", "=", "!=", ">", ">="),
                "epsparql/constant first": ("not", "constant first"),
            },
            needed=s.Filter,
        ),
        EpsparqlAlphabet(
            "triples",
            "in EP-SPARQL: triple patterns ?s :A ?o that share variables, side by side, in two "
            "groups and behind every operator, in EXISTS and NOT EXISTS, with FILTERs of "
            "variables; at most one body with a constant, a blank node or a FILTER; graphs of one "
            "edge between nodes, at instants as in steps",
            {"epsparql/operator": _ALL},
            (
                "?x :A ?other", "?x :B ?other", "?x :A :a", "_:b :A ?x",
                "?x :A ?new FILTER (?x != ?earlier)", "?x :A ?new FILTER (!BOUND(?earlier))",
            ),
            (*_edges("A", "B"), NOTHING), others=1,
        ),
        EpsparqlAlphabet(
            "paths",
            "in EP-SPARQL: a property path of / | ^ * + ? and ! between two ends, variables, a "
            "constant or a blank node, alone or beside another pattern; graphs as in triples",
            {"epsparql/operator": (Operator.SEQ, "block")},
            (
                "?new :A ?other", *(ends.replace("P", path) for path in _PATHS for ends in (
                    "?x P ?y", ":a P ?x", "?x P :a", "_:b P ?x",
                )),
            ),
            (*_edges("A", "B"), NOTHING), others=1, others_too=True,
        ),
        EpsparqlAlphabet(
            "rules",
            "in EP-SPARQL: up to two CONSTRUCT rules, recursive or not, with blank nodes or not, "
            "and a SELECT over what they construct or none; graphs as in triples",
            {
                "epsparql/operator": (
                    Operator.SEQ, Operator.OPTIONALSEQ, "MINUS", "EXISTS", "block",
                ),
                "epsparql/rules": (0, 1, 2), "epsparql/rules alone": ("not", "rules alone"),
                "epsparql/rule": ("any", "blank"), "epsparql/made": (KNOWN, LINK),
            },
            ("?x :p ?new", "?x :k ?new"),
            (*_edges("p", "k"), NOTHING), alike=True, needed=Rule,
        ),
        EpsparqlAlphabet(
            "answers",
            "in EP-SPARQL: DISTINCT, aggregates with and without GROUP BY, HAVING, ORDER BY, "
            "LIMIT, ASK and DESCRIBE of up to two patterns; graphs of one edge from one of two "
            "nodes to 1 or 2, at instants or over three time units",
            {
                "epsparql/operator": (Operator.SEQ, "OPTIONAL", "block"),
                "epsparql/form": tuple(Form), "epsparql/describe": ("some",),
                "epsparql/select": ("all", "some", "count", "interval"),
                "epsparql/slice": ("not", "slice"), "epsparql/order": (0, 1),
                "epsparql/distinct": ("not", "distinct"), "selected": (1,), "limit": (1,),
                "offset": (0,), "key": (THINGS[0], Variable("v1")),
                "aggregate": (
                    ("COUNT", ""), ("COUNT", "variable"), ("SUM", "variable"), ("MAX", "duration"),
                ),
            },
            ("?x :q ?value",), ("a q 1", "a q 2", "b q 1", NOTHING), lasting=(0, 2),
        ),
        EpsparqlAlphabet(
            "background",
            "in EP-SPARQL: patterns beside three background graphs, one of them a schema: GRAPH, "
            "FROM and FROM NAMED, what has no time, what is concluded; graphs as in triples",
            {
                "epsparql/operator": (Operator.SEQ, "OPTIONAL"),
                "epsparql/rules": (0, 1), "epsparql/made": (KNOWN,),
                "epsparql/form": tuple(Form), "epsparql/describe": ("some",),
                "epsparql/dataset": (
                    None, s.DatasetClause(BACKGROUNDS[:1], BACKGROUNDS[1:]),
                    s.DatasetClause((), BACKGROUNDS[1:]),
                ),
            },
            _BACKGROUND,
            (*_edges("p"), "a k b", NOTHING), others=1, others_too=True,
            background=(
                ("g1", "a k b . b k g1"), ("g2", "a k a . a k g1 . b k g2"),
                ("g3", "p property q . p domain C . q range D . C class D"),
            ),
        ),
    )
}
