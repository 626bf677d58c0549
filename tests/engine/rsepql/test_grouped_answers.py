"""Groups that are kept up to date are what all solutions grouped anew are."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from rdflib.term import URIRef

from denota.engine import rsepql
from denota.engine.rdf.columns.batch import batch_of
from denota.engine.rsepql import RsepqlEngine
from denota.engine.rsepql.reports.answers import GroupedAnswers
from denota.semantics.model.items import TimeKind
from denota.semantics.model.terms import literal
from denota.semantics.rsepql.syntax.parse import parse
from denota.semantics.streams.merging import StreamItem

EX = "http://example.org/"
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"


def items(count: int) -> list[StreamItem]:
    draw = Random(5)
    return [
        StreamItem(
            URIRef(EX + "s"), time, 0,
            frozenset(
                (URIRef(EX + draw.choice("kl")), URIRef(EX + draw.choice("ab")),
                 literal(str(draw.randrange(4)), INTEGER))
                for _ in range(2)
            ),
            TimeKind.INTEGER,
        )
        for time in range(count)
    ]  # fmt: skip


def answers(text: str, *, together: bool) -> list[tuple[int, Counter[object]]]:
    engine = RsepqlEngine(parse(text), [URIRef(EX + "s")])
    found = []
    given = items(40)
    if together:
        found += engine.feed_batch(batch_of(given, engine.dictionary))
    else:
        found += [each for item in given for each in engine.feed(item)]
    found += engine.close()
    return [(each.time, Counter(each.content)) for each in found if each.content]


@pytest.mark.parametrize("operator", ["RSTREAM", "ISTREAM", "DSTREAM"])
@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize(
    "selected",
    [
        "?k (COUNT(*) AS ?n) (AVG(?x) AS ?m)", "(SUM(?x) AS ?n)",
        "(COUNT(DISTINCT ?x) AS ?n) HAVING",
    ],
)
def test_groups_are_what_they_are_anew(
    operator: str, together: bool, selected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    selected, having, _ = selected.partition(" HAVING")
    text = (
        f"PREFIX : <{EX}> REGISTER {operator} :out AS SELECT {selected}"
        f" FROM NAMED WINDOW :w ON :s [RANGE 6 STEP 2]"
        " WHERE { MATCH { EVENT :w { ?k :a ?x } SEQ EVENT :w { ?k :b ?y } } } GROUP BY ?k"
        + (" HAVING (COUNT(*) > 1)" if having else "")
    )
    made: list[GroupedAnswers] = []
    update = GroupedAnswers.update

    def noted(self: GroupedAnswers) -> None:
        made.append(self)
        update(self)

    monkeypatch.setattr(GroupedAnswers, "update", noted)
    kept = answers(text, together=together)
    assert made
    made.clear()
    monkeypatch.setattr(rsepql.plan, "grouped_places", lambda *_: None)
    assert answers(text, together=together) == kept != []
    assert not made
