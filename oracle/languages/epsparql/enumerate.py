"""All EP-SPARQL cases up to a size: every query of an alphabet's restriction, on every stream.

Bodies have the alphabet's forms. Where a query's letters are all that its stream needs to know of
it, graphs of one triple have them (`enumerated_graphs`). Otherwise an event is (end, number of its
graph, how long it has lasted), and those of one instant have no order.

An alphabet restricts the drawing functions, and has forms of bodies and graphs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, product
from typing import Any, Final

from rdflib.term import BNode, Literal, URIRef, Variable

from ....semantics.epsparql.syntax.parse import parse
from ....semantics.epsparql.syntax.readings import Readings
from ....semantics.epsparql.syntax.stratification import strata
from ....semantics.epsparql.syntax.tree import EpsparqlQuery, Form, Operator, Rule
from ....semantics.model.errors import QueryError
from ....semantics.model.terms import Graph, literal
from ....semantics.model.time import XSD
from ....semantics.model.trees import changed, find, has
from ....semantics.rdf.syntax import tree as s
from ....semantics.rdf.syntax.rdfs import DOMAIN, RANGE, SUB_CLASS_OF, SUB_PROPERTY_OF, TYPE
from ....semantics.rdf.syntax.tree import Comparison, GroupGraphPattern, TriplePattern
from ...inputs.choices import Choices, NothingAllowed, Options
from ...inputs.forms import Forms, Placed, exchanged, graph, items, trig, triples
from ...inputs.graphs import BACKGROUNDS, KNOWN, LINK, NAMESPACE, STREAMS, THINGS, name
from ...ranks.numbered_streams import NumberedStreams, Symbols, choices, held_one_by_one
from ..enumerated_graphs import (
    GAPS,
    NOTHING,
    STEPS,
    GraphAlphabet,
    GraphEnumeration,
    instant_streams,
    interval_streams,
    placed,
    with_gaps,
)
from ..enumeration import Bounds, BoundsError
from .generate import GRAMMAR_VERSION, query
from .generate.patterns import Bodies, Body

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


_SCHEMA: Final[Mapping[Any, Any]] = {
    name("domain"): DOMAIN, name("range"): RANGE, name("class"): SUB_CLASS_OF,
    name("property"): SUB_PROPERTY_OF,
}


class EpsparqlEnumeration(GraphEnumeration[EpsparqlQuery, str, Readings]):
    """`within` is what FILTERs compare durations with; under a policy there are none.

    Streams depend on the predicates that a query names.
    """

    language, prefixes, readings_type = "epsparql", {"": NAMESPACE}, Readings
    within_is, version = "FILTERs getDURATION() <=", GRAMMAR_VERSION

    def __init__(self, bounds: Bounds) -> None:
        bounds.only_wide("EP-SPARQL has FILTER (getDURATION() <= N) for a window N wide")
        super().__init__(bounds)
        self.alphabet: EpsparqlAlphabet = bounds.alphabet_of(self.language)
        named = self.alphabet.name
        if self.alphabet.graphs and bounds.within is not None:
            raise BoundsError(f"nothing of the alphabet '{named}' has a width")
        self.allowed = dict(self.alphabet.allowed)
        self._at_instants = self.readings.policy != "unrestricted"
        if self._at_instants:
            if named not in (STEPS.name, GAPS.name):
                raise BoundsError(
                    f"a policy is about sequences: there is no alphabet '{named}' under one"
                )
            self.allowed["epsparql/operator"] = (Operator.SEQ,)
        self._width = 1 if bounds.within is None else bounds.within
        self._streams: dict[tuple[str, int], NumberedStreams] = {}

    # --- queries ---------------------------------------------------------------------------------

    def drawn(self, choices: Choices, operators: int, variant: None) -> EpsparqlQuery:
        found = query(choices, operators, bodies=self._bodies())
        needed = self.alphabet.needed
        if operators and needed is not None and not has(found, needed):
            raise NothingAllowed("not what the alphabet is about")
        if not _closed(found, self.readings.leftjoin, bool(self.alphabet.background)):
            raise NothingAllowed("rules without a closure")
        return found if self._width == 1 else changed(found, self._as_wide)

    def _as_wide(self, part: Any) -> Any:
        """Return a number that is compared with a duration as the bounds say it."""
        if not isinstance(part, Comparison):
            return part
        return changed(part, lambda each: (
            literal(str(self._width), XSD + "integer") if isinstance(each, Literal) else each
        ))

    def _bodies(self) -> Bodies:
        """Return the function that draws the bodies of one query, each of a form.

        The variables of each of its patterns begin anew.
        """
        alphabet = self.alphabet
        forms = Forms(
            "epsparql/form of a body", alphabet.forms, alphabet.others, in_order=alphabet.of_letters
        )

        def of_pattern() -> Body:
            things, values = list[str](), list[str]()
            return lambda choices, shape: _pattern(forms.drawn(choices, things, values))

        return of_pattern

    def about(self, query: EpsparqlQuery, variant: None) -> str:
        if self.alphabet.others_too:
            return ""
        asked = [rule.where for rule in query.rules], query.select
        found = {str(each.predicate)[-1] for each in find(asked, TriplePattern)}
        return "".join(sorted(found))

    # --- streams ---------------------------------------------------------------------------------

    def streams(self, about: str, events: int) -> NumberedStreams:
        if not self.alphabet.graphs:
            steps = instant_streams if self._at_instants else interval_streams
            if self.alphabet.name == STEPS.name or self._at_instants:
                return steps(about, events)
            return with_gaps(steps, about, events, self._width)
        if (about, events) not in self._streams:
            listed = held_one_by_one(self._listed(about, events), events, 3)
            self._streams[about, events] = listed
        return self._streams[about, events]

    def _listed(self, about: str, events: int) -> Iterator[Symbols]:
        """Return streams, of two that an exchange of nodes makes of one another one."""
        graphs = self.alphabet.graphs
        turned = exchanged(graphs) if self.alphabet.alike else range(len(graphs))
        contents = [
            (number, lasted) for number, text in enumerate(graphs)
            for lasted in (self.alphabet.lasting if text != NOTHING else (0,))
            if not about or {each for _, each, _ in triples(text)} <= {*about, "Z"}
        ]
        for steps in choices(range(1, 2), range(2), events):
            times = tuple(accumulate(steps))[:events]
            for word in product(contents, repeat=events):
                stream = [(time, *each) for time, each in zip(times, word, strict=True)]
                other = sorted((time, turned[number], lasted) for time, number, lasted in stream)
                if stream == sorted(stream) and stream <= other:
                    yield tuple(stream)

    def _events(self, streams: Symbols) -> Iterator[Placed]:
        if not self.alphabet.graphs:
            return placed(streams)
        graphs = self.alphabet.graphs
        return (
            ((end - lasted, end), STREAMS[0], graphs[number]) for end, number, lasted in streams
        )

    def written(self, about: str, streams: Symbols) -> str:
        return trig(self._events(streams), STREAMS[:1])

    def items(self, about: str, streams: Symbols) -> dict[URIRef, tuple[Any, ...]]:
        return items(self._events(streams), STREAMS[:1])

    def beside(self, about: str) -> Mapping[str, Any]:
        background = self.alphabet.background
        if not background:
            return {}
        return {"kb": {name(local): _said(text) for local, text in background}}


@cache
def _said(text: str) -> Graph:
    """Return a background graph, which may be a schema."""
    return frozenset((s, _SCHEMA.get(p, p), o) for s, p, o in graph(text))


def _closed(query: EpsparqlQuery, leftjoin: Any, schema: bool) -> bool:
    """Return whether there is an end of what rules construct."""
    if not query.rules:
        return True
    try:
        ordered = strata(query.rules, leftjoin, frozenset({TYPE, KNOWN} if schema else ()))
    except QueryError:
        return False
    return not any(
        stratum.recursive and any(has(query.rules[k].template, BNode) for k in stratum.rules)
        for stratum in ordered
    )


@cache
def _pattern(text: str) -> GroupGraphPattern:
    select = parse(f"PREFIX : <{NAMESPACE}> SELECT * WHERE {{ {text} }}").select
    assert select is not None
    return select.where


ENUMERATION = EpsparqlEnumeration
