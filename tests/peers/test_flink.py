"""FlinkCEP: in which words it is asked, and, where it can be had, what it answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rdflib.term import URIRef

from denota.oracle.cases.case import Case
from denota.oracle.cases.embedded_text import Text
from denota.oracle.checking.case_checker import check_case
from denota.oracle.engines.adapter_client import AdapterEngine
from denota.oracle.engines.engine import EngineError, TaskError
from denota.oracle.fuzzing.differential import fuzz
from denota.peers import flink_java
from denota.peers.event_patterns import builder_calls
from denota.peers.flink import Flink, Plan, are_left

PEER = Flink
STREAM = URIRef("http://example.org/s")


def case(sequence: str, events: str, within: int = 100, **readings: str) -> Case:
    """A case of GPMs A to D; `events` says what each event is, `.` being nothing.

    A, B and C bind ?a, ?b and ?c. `A7` is an A of the key 7; A and D bind it to ?k.
    """
    names = [name for name in "ABCD" if name in sequence]
    bodies = {name: f"?{name.lower()} :is :{name}" for name in names}
    for name in "AD":
        bodies[name] = f"{'?a' if name == 'A' else '_:d'} :is :{name} ; :k ?k"
    defined = " ".join(f"DEFINE GPM {name} ON S {{ {bodies[name]} }}" for name in names)
    query = (
        f"PREFIX : <http://example.org/> SELECT * WITHIN {within} FROM STREAM S :s"
        f" WHERE {{ SEQ({sequence}) {defined} }}"
    )
    graphs = "".join(
        f":g{time} prov:generatedAtTime {time} . :g{time} {{ {_triples(word, time)} }}\n"
        for time, word in enumerate(events.split())
    )
    prefixes = {"": "http://example.org/"}
    return Case(
        "spaseq", Text(query), {STREAM: Text(graphs)}, readings=readings, prefixes=prefixes
    )


def _triples(word: str, time: int) -> str:
    kinds, key = word.rstrip("0123456789"), word.lstrip(".ABCD") or "0"
    return " ".join(
        f":e{time} :is :{kind} ; :k {key} ." for kind in kinds if kind != "."
    )


def asked(sequence: str, **readings: str) -> list[dict[str, list[dict[str, Any]]]]:
    """The elements of each pattern by the way in which it is said, without what the events are."""
    found: list[dict[str, list[dict[str, Any]]]] = []
    hidden = ("at", "first", "local", "name", "decides", "unsure")
    for pattern in Plan(case(sequence, "A B C", **readings)).message()["patterns"]:
        if pattern["way"] == "plain":
            found.append({})
        found[-1][pattern["way"]] = [
            {k: v for k, v in each.items() if k not in hidden} for each in pattern["elements"]
        ]
    return found


def test_operators_are_contiguities() -> None:
    [ways] = asked("A, B; C: D")
    assert ways["plain"] == ways["a group"] == [
        {"by": "begin"}, {"by": "next"}, {"by": "followedBy"}, {"by": "followedByAny"},
    ]


def test_iterations_skip_at_the_head_and_are_contiguous_behind_it() -> None:
    [ways] = asked("A+; B+")
    assert ways["plain"] == [
        {"by": "begin", "oneOrMore": True},
        {"by": "followedBy", "oneOrMore": True, "consecutive": True},
    ]
    assert ways["until"][1] == {"by": "followedBy", "oneOrMore": True, "until": True}
    assert ways["times(1, n)"][1] == {"by": "followedBy", "most": 3, "consecutive": True}


def test_one_element_several_times_in_a_row_is_times() -> None:
    [ways] = asked("A; A; A")
    assert ways == {
        "plain": [{"by": "begin", "times": 3}],
        "one by one": [{"by": "begin"}, {"by": "followedBy"}, {"by": "followedBy"}],
    }
    [ways] = asked("A: B, B; C")
    assert ways["plain"] == [
        {"by": "begin"}, {"by": "followedByAny", "times": 2, "consecutive": True},
        {"by": "followedBy"},
    ]
    [ways] = asked("B: C: C")
    assert ways["plain"] == [
        {"by": "begin"}, {"by": "followedByAny", "times": 2, "allowCombinations": True},
    ]


def test_as_many_as_there_are_is_said_where_nothing_is_both() -> None:
    [ways] = asked("A+, B")
    greedy = [{"by": "begin", "oneOrMore": True, "greedy": True}, {"by": "next"}]
    assert ways["greedy"] == greedy


def test_what_the_next_one_must_not_be_is_not_next() -> None:
    [ways] = asked("A, (B! & C)")
    assert ways["notNext"] == [{"by": "begin"}, {"by": "notNext"}, {"by": "next"}]


def test_absence_is_not_followed_by() -> None:
    assert asked("A; B!; C", negation="absence") == [
        {"plain": [{"by": "begin"}, {"by": "notFollowedBy"}, {"by": "followedBy"}]},
    ]


def test_what_may_be_absent_is_optional_before_the_very_next() -> None:
    assert asked("A; B?, C", negation="absence") == [
        {"plain": [{"by": "begin"}, {"by": "followedBy", "optional": True}, {"by": "next"}]},
    ]
    assert len(asked("A; B?; C", negation="absence")) == 2


def test_a_span_includes_its_end_here_and_not_there() -> None:
    patterns = Plan(case("A; B", "A B", 7, window="match")).message()["patterns"]
    assert {pattern["within"] for pattern in patterns} == {8}


MATCHES = [[[0], [1]], [[0], [1, 2]], [[1], [2]], [[3], [4]]]


@pytest.mark.parametrize(
    ("strategy", "told"),
    [
        (("skipToNext",), [0, 2, 3]), (("skipToNext",), [1, 2, 3]),
        (("skipPastLastEvent",), [0, 3]), (("skipPastLastEvent",), [1, 3]),
        (("skipToFirst", "e1"), [0, 2, 3]), (("skipToFirst", "e0"), [0, 1, 2, 3]),
        (("skipToLast", "e1"), [0, 2, 3]), (("skipToLast", "e1"), [1, 3]),
    ],
)
def test_what_is_told_discards_what_started_where_the_documentation_says(
    strategy: tuple[str, ...], told: list[int]
) -> None:
    def is_right(kept: list[int]) -> bool:
        return are_left([MATCHES[n] for n in kept], MATCHES, strategy, ["e0", "e1"])

    assert is_right(told)
    assert not any(is_right([n for n in told if n != left_out]) for left_out in told)


def test_what_should_have_been_discarded_is_noticed() -> None:
    assert not are_left(MATCHES, MATCHES, ("skipToNext",), ["e0", "e1"])
    assert not are_left([*MATCHES, MATCHES[0]], MATCHES, ("noSkip",), ["e0", "e1"])


def test_what_contradicts_its_documentation_is_an_error_that_says_how() -> None:
    plan = Plan(case("D; D", "D0 D0"))
    once = [[[0, 1]]]
    assert plan.pairs([once, once, once, once, once, [[[0], [1]]]])
    with pytest.raises(TaskError, match="documentation, skipToNext leaves"):
        plan.pairs([once, [], once, once, once, [[[0], [1]]]])
    with pytest.raises(TaskError, match="documentation, one by one selects"):
        plan.pairs([once, once, once, once, once, []])


@pytest.mark.parametrize("folder", ["/no/such/folder", "tests"])
def test_where_its_jars_are_not_to_be_had_it_says_so(
    monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    monkeypatch.setenv("DENOTA_FLINK_LIB", folder)
    with pytest.raises(EngineError, match=f"there are no jars in DENOTA_FLINK_LIB={folder}"):
        flink_java.flink_jars()


@pytest.mark.parametrize(
    ("sequence", "events"),
    [
        ("A, B", "A B A . B"),
        ("A; B", "A . B B"),
        ("A: B", "A . B B"),
        ("A; D", "A1 D2 D1 D1"),
        ("A: D", "A1 A2 D2 D1 D1"),
        ("A+", "A1 . A2 A3"),
        ("A; B+; C", "A . B B C B C"),
        ("A; D, D", "A0 . D0 . D0 D0 D0"),
        ("D: D: D", "D0 D0 . D0 D0"),
        ("D; D; D", "D0 . D0 D1 D0 D1 D1"),
        ("A; (B & C)", "A B BC C"),
        ("A; B!; C", "A . B C C"),
        ("A, (B! & C), D", "A1 C D1 A2 BC D2 A3 C D4"),
        ("A+, B", "A0 A0 B A0 . B"),
    ],
)
def test_it_agrees_on_what_both_know(engine: Any, sequence: str, events: str) -> None:
    for window in ("tumbling", "match"):
        verdict = check_case(case(sequence, events, 3, window=window), engine)
        assert verdict.ok, verdict


@pytest.mark.parametrize(
    ("sequence", "events"),
    [
        ("A; B!; C", "A . C"), ("A; B!; C", "A B C"), ("A: B!: C", "A C B C"),
        ("A; B?, C", "A B C"), ("A; B?, C", "A C C"), ("A; B?; C", "A . B C"),
    ],
)
def test_it_agrees_on_absence(engine: Any, sequence: str, events: str) -> None:
    verdict = check_case(case(sequence, events, negation="absence"), engine)
    assert verdict.ok, verdict


def test_what_it_cannot_be_asked_is_unsupported(engine: Any) -> None:
    verdict = check_case(case("A; (B | C); D", "A BC D"), engine)
    assert verdict.outcome.name == "UNSUPPORTED"
    assert verdict.detail == "an event that is several things at once to one element"


def test_a_condition_of_an_absence_that_sees_what_comes_after_it_is_unsupported(
    engine: Any,
) -> None:
    asked = case("A; B!; D", "A1 B D1", negation="absence")
    query = Text(asked.text.replace("?b :is :B", "?b :is :B . FILTER (?k > 0)"))
    later = query.text.replace("?a :is :A ; :k ?k", "?a :is :A")
    verdict = check_case(asked.but(query=Text(later)), engine)
    assert verdict.detail == "absence that looks at what comes after it"
    assert check_case(asked.but(query=query), engine).ok


def test_a_group_that_begins_with_a_strict_loop_is_a_finding(engine: Any) -> None:
    # Flink 2.3.0 gives the head of a group the inner contiguity of the group.
    verdict = check_case(case("D, D; B", "D0 . D0 B"), engine)
    assert verdict.detail == (
        "error: contrary to its documentation, a group selects [[[(0, 0), (2, 0)], [(3, 0)]]]"
        " where all matches are []"
    )


def test_four_of_five_generated_cases_are_judged(engine: Any) -> None:
    report = fuzz(engine, ["spaseq"], examples=60, seed=8, stop_after=1, timeout=None)
    assert report.judged >= 0.8 * report.examples


def test_a_java_without_compiler_has_one_in_pyspark(tmp_path: Path) -> None:
    try:
        words = flink_java.interpreted(flink_java.flink_jars(), flink_java.janino_jars())
    except EngineError as error:
        pytest.skip(str(error))
    child = AdapterEngine(words, timeout=1000.0)
    child.greet()
    assert (child.name, list(child.languages)) == ("flink", ["spaseq"])
    child.close()


def test_the_translation_shows_the_pattern() -> None:
    plan = Plan(case("A, B+; C", "A B C", 7, window="match"))
    plain = builder_calls(plan.message()["patterns"][:1]).splitlines()
    assert plain[0] == "# events at 0, 1, 2"
    assert plain[-4:] == [
        ".begin('e0').where(event in {0})",
        ".next('e1').where(event in {1}).oneOrMore().consecutive()",
        ".followedBy('e2').where(event in {2})",
        ".within(8)",
    ]
