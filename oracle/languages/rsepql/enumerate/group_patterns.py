"""The alphabet `group-patterns`: what stands in a WINDOW or an EVENT, over datasets, and the forms.

Background graphs are :k, of :s0 alone, and :l, of :s1; a stream may be a graph of the dataset.
"""

from __future__ import annotations

from collections.abc import Iterator

from .clauses import AS_WRITTEN, OUTPUTS, About, Clause, WrittenQuery, combined, query
from .content_streams import Content, Contents, InstantChoices

_GROUPS = (
    Clause("?x :A ?a"),
    Clause("?x :A ?x"),
    Clause("?x :A ?a . ?x :B ?b", 1),
    Clause("?x :A ?a OPTIONAL { ?x :B ?c }", 1),
    Clause("?x :A ?a OPTIONAL { ?x :B ?b FILTER(?b != ?c) }", 1),
    Clause("?x :A ?a MINUS { ?x :B ?c }", 1),
    Clause("?x :A ?a FILTER NOT EXISTS { ?x :B ?b }", 1),
    Clause("?x :A ?a FILTER EXISTS { ?x :B ?b }", 1),
    Clause("{ ?x :A ?a } UNION { ?x :B ?b }", 1),
    Clause("?x :A ?a FILTER(?a = :o0)", 1),
    Clause("?x :A ?a FILTER(?a != :o0 || ?c = :o0)", 1),
    Clause("?x :A ?a OPTIONAL { ?x :B ?c } FILTER(?c = ?a)", 1),
    Clause("?x :A ?a OPTIONAL { ?x :B ?c } FILTER(!bound(?c))", 1),
)
_GRAPHS_ASKED = (
    AS_WRITTEN,
    Clause("GRAPH :k { ?x :K ?k }", 1),
    Clause("GRAPH ?g { ?x :K ?k }", 1),
    Clause("GRAPH :s { ?y ?p ?c }", 1),
    Clause("?x ?p ?k", 1),
)
_DATASETS = tuple(map(Clause, (
    "", "FROM NAMED :k", "FROM NAMED :k FROM NAMED :l", "FROM :k", "FROM :k FROM NAMED :l",
    "FROM NAMED :s", "FROM :s",
)))
_PLACES = (
    "WINDOW :w {{ {group} }} {rest}",
    "MATCH {{ EVENT :w {{ {group} {rest} }} }}",
    "MATCH {{ EVENT :w {{ {group} {rest} }} SEQ EVENT :w {{ ?x :B ?c }} }}",
    "MATCH {{ EVENT :w {{ ?x :B ?c }} SEQ LAST EVENT :w {{ {group} {rest} }} }}",
    "MATCH {{ LAST EVENT :w {{ {group} {rest} }} SEQ EVENT :w {{ ?x :B ?c }} }}",
)
_SIZES = (0, 0, 1, 1, 1)
_FORMS = (
    Clause("SELECT *"), Clause("SELECT DISTINCT ?x", 1), Clause("ASK", 1),
    Clause("CONSTRUCT { ?x :C ?a }", 1),
    Clause("SELECT ?x (COUNT(*) AS ?n)", 1),
)
_BACKGROUND = (("k", (("s0", "K", "o0"),)), ("l", (("s1", "K", "o0"),)))
_GRAPHS = (
    (("s0", "A", "o0"),), (("s0", "A", "o1"),), (("s0", "B", "o0"),), (("s0", "B", "o1"),),
    (("s0", "A", "o0"), ("s0", "B", "o0")), (("s1", "A", "s1"),),
    # Large enough that one triple more is not worth a new beginning.
    (("s1", "A", "o0"), ("s1", "A", "s1"), ("s1", "B", "s0"), ("z", "Z", "z")),
)


def group_patterns(width: int) -> Iterator[WrittenQuery]:
    """Every query of the alphabet."""
    places = [Clause(place, size) for place, size in zip(_PLACES, _SIZES, strict=True)]
    window = f"FROM NAMED WINDOW :w ON :s [RANGE {width}]"
    contents = Contents(tuple(Content("s", each) for each in _GRAPHS), (), InstantChoices(width))
    for operators, (place, group, asked, dataset, form, output) in combined(
        places, _GROUPS, _GRAPHS_ASKED, _DATASETS, _FORMS, OUTPUTS
    ):
        if not _suits(asked.text, dataset.text) or (
            "?p ?k" in asked.text and "EVENT" in place.text  # in an event, another triple of it
        ):
            continue
        text = query(
            [window], place.text.format(group=group.text, rest=asked.text),
            select=f"{form.text} {dataset.text}", output=output.text,
            modifier="GROUP BY ?x" if "COUNT" in form.text else "",
        )
        yield WrittenQuery(text, operators, About(contents, kb=_BACKGROUND))


def _suits(asked: str, dataset: str) -> bool:
    """Whether there is anything to ask for in the dataset, and anything that asks for it."""
    if ":s" in asked:
        return "NAMED :s" in dataset
    return not dataset or bool(asked)
