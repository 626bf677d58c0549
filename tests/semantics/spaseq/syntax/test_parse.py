"""SPAseq's grammar: what parses to what, and what a user is told who got it wrong."""

import pytest

from denota.semantics.model.errors import Position, QueryError
from denota.semantics.model.terms import URIRef, Variable
from denota.semantics.spaseq.syntax.parse import parse
from denota.semantics.spaseq.syntax.tree import (
    Conjunction,
    Disjunction,
    Extent,
    KleenePlus,
    Negation,
    Operator,
    OptionalEvent,
    Reference,
    SequenceExpression,
    Step,
    WithinUnit,
)

A, B, C, D = (Reference(name) for name in "ABCD")
STRICT, NEXT, ANY = Operator.STRICT, Operator.NEXT, Operator.ANY
GPMS = "".join(f" DEFINE GPM {name} ON S {{}}" for name in "ABCD")


def query(sequence="A", *, within="10", streams="FROM STREAM S <urn:s>", gpms=GPMS, select="*"):
    return f"SELECT {select}\nWITHIN {within}\n{streams}\nWHERE {{ SEQ({sequence})\n{gpms} }}"


def sequence(text):
    return parse(query(text)).sequence


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("A", SequenceExpression(A)),
        ("A:B", SequenceExpression(A, (Step(ANY, B),))),
        ("A : B", SequenceExpression(A, (Step(ANY, B),))),
        ("A ,B;C", SequenceExpression(A, (Step(STRICT, B), Step(NEXT, C)))),
        (
            "A;B+,(C&D)",
            SequenceExpression(
                A, (Step(NEXT, KleenePlus(B)), Step(STRICT, Conjunction((C, D))))
            ),
        ),
        ("A & B & C", SequenceExpression(Conjunction((A, B, C)))),
        ("A ; B | C", SequenceExpression(A, (Step(NEXT, Disjunction((B, C))),))),
        ("(A & B) | C", SequenceExpression(Disjunction((Conjunction((A, B)), C)))),
        ("(A & (B | C))+", SequenceExpression(KleenePlus(Conjunction((A, Disjunction((B, C))))))),
        ("(A)", SequenceExpression(A)),
        ("((A & B))", SequenceExpression(Conjunction((A, B)))),
        ("A! , B?", SequenceExpression(Negation(A), (Step(STRICT, OptionalEvent(B)),))),
        ("A?:B", SequenceExpression(OptionalEvent(A), (Step(ANY, B),))),
        ("A&B!", SequenceExpression(Conjunction((A, Negation(B))))),
        ("A # (a comment, B\n , B", SequenceExpression(A, (Step(STRICT, B),))),
    ],
)
def test_sequences(text, tree):
    assert sequence(text) == tree


def test_names_may_look_like_keywords():
    names = ("SEQ", "ON", "DEFINE", "GPM", "FILTER", "WITHIN", "a", "true")
    gpms = "".join(f" DEFINE GPM {name} ON FROM {{}}" for name in names)
    text = query(", ".join(names), streams="FROM STREAM FROM <urn:s>", gpms=gpms)
    parsed = parse(text)
    assert [definition.name for definition in parsed.definitions] == list(names)
    assert parsed.definitions[0].stream == "FROM"


def test_keywords_in_any_case():
    text = "select ?x within 5 minutes from stream S <urn:s> where { seq(A) define gpm A on S {} }"
    assert parse(text).select == (Variable("x"),)


@pytest.mark.parametrize(
    ("written", "value", "unit"),
    [
        ("15", 15, WithinUnit.INTEGER),
        ("30 MINUTES", 1_800_000_000, WithinUnit.MICROSECONDS),
        ("1 hour", 3_600_000_000, WithinUnit.MICROSECONDS),
        ("10m", 600_000_000, WithinUnit.MICROSECONDS),
        ("1.5 s", 1_500_000, WithinUnit.MICROSECONDS),
        ("PT10M", 600_000_000, WithinUnit.MICROSECONDS),
        ("p1dt0.5s", 86_400_500_000, WithinUnit.MICROSECONDS),
        (
            '"P30D"^^<http://www.w3.org/2001/XMLSchema#duration>',
            2_592_000_000_000,
            WithinUnit.MICROSECONDS,
        ),
        ("100 EVENTS", 100, WithinUnit.EVENTS),
        ("1 event", 1, WithinUnit.EVENTS),
    ],
)
def test_windows(written, value, unit):
    assert parse(query(within=written)).within == Extent(value, unit)
    assert parse(query(within=f"{written} SLIDE {written}")).slide == Extent(value, unit)


def test_streams_by_alias_iri_or_prefixed_name():
    text = (
        "PREFIX ex: <http://example.org/> SELECT * WITHIN 1 "
        "FROM STREAM S1 <http://example.org/s1> FROM STREAM S2 ex:s2 "
        "WHERE { SEQ(A, B, C) DEFINE GPM A ON S2 {} DEFINE GPM B ON <http://example.org/s1> {} "
        "DEFINE GPM C ON ex:s2 {} }"
    )
    parsed = parse(text)
    assert [clause.iri for clause in parsed.streams] == [
        URIRef("http://example.org/s1"), URIRef("http://example.org/s2"),
    ]
    assert [definition.stream for definition in parsed.definitions] == ["S2", "S1", "S2"]


def test_positions():
    parsed = parse(query("A ;\n  B+", select="?x ?y"))
    assert parsed.sequence.first.position == Position(4, 13)
    assert parsed.sequence.steps[0].atom.operand.position == Position(5, 3)
    assert parsed.select_positions == (Position(1, 8), Position(1, 11))
    assert parsed.within.position == Position(2, 8)
    assert parsed.definitions[0].position == Position(6, 13)
    assert parsed.streams[0].position == Position(3, 13)


def error(text):
    with pytest.raises(QueryError) as caught:
        parse(text, source="q.rq")
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("A, B, C,", 20, "trailing ',' in SEQ: a GPM name must follow it"),
        ("A;", 14, "trailing ';' in SEQ"),
        ("(A & )", 16, "trailing '&' in SEQ"),
        ("", 13, "empty brackets in SEQ"),
        ("A, ()", 17, "empty brackets in SEQ"),
        ("A,,B", 15, "unexpected ',' in SEQ, expected a GPM name or '('"),
        ("A, ?x", 16, "'?' stands after the GPM name it applies to, as in A?"),
        ("!A", 13, "'!' stands after the GPM name it applies to"),
        ("A, :x", 16, "unexpected ':' in SEQ, expected a GPM name"),
        ("A, <urn:x>", 16, "unexpected '<' in SEQ, expected a GPM name"),
        ("A B", 15, "an operator is missing before 'B'"),
        ("A * B", 15, "unexpected '*' in SEQ"),
        ("A & B | C", 19, "& and | cannot be mixed without brackets"),
        ("(A | B) & C | D", 25, "& and | cannot be mixed without brackets"),
        ("A | B, C | D & A", 26, "& and | cannot be mixed without brackets"),
        ("(A;B)+", 15, "only & and | nest, a sequence does not"),
        ("A & B+", 18, "Kleene plus cannot stand inside & or |"),
        ("A+ | B", 16, "Kleene plus cannot stand inside & or |"),
        ("A+!", 15, "'+!': at most one of + ! ? may follow an element"),
        ("A??", 15, "'??': at most one of + ! ? may follow an element"),
        ("(A!)+", 13, "at most one of + ! ? may follow an element"),
        ("(A & B)!", 20, "'!' applies to a GPM name only"),
        ("A, E", 16, "no DEFINE clause defines the GPM 'E' (defined: A, B, C, D)"),
    ],
)
def test_errors_in_the_sequence(text, column, message):
    found = error(query(text))
    assert found.startswith(f"q.rq:4:{column}: ")
    assert message in found


def test_an_unclosed_sequence():
    assert "SEQ( is not closed before 'DEFINE'" in error(query("A, (B"))
    assert "SEQ( is not closed" in error("SELECT * WITHIN 1 WHERE { SEQ(A")


@pytest.mark.parametrize(
    ("changed", "place", "message"),
    [
        ({"gpms": "DEFINE GPM A ON S {}\nDEFINE GPM A ON S {}"}, "6:12",
         "GPM 'A' is defined twice, first in line 5"),
        ({"streams": "FROM STREAM S <urn:s> FROM STREAM S <urn:t>"}, "3:35",
         "stream 'S' is defined twice, first in line 3"),
        ({"gpms": "DEFINE GPM A ON T {}"}, "5:17",
         "no FROM STREAM clause declares the stream 'T' (declared: S)"),
        ({"gpms": "DEFINE GPM A ON <urn:t> {}"}, "5:17",
         "no FROM STREAM clause declares the stream <urn:t> (declared: S)"),
        ({"gpms": "DEFINE A ON S {}"}, "5:8", "unexpected 'A', expected GPM"),
        ({"gpms": "DEFINE GPM A ON S { ?x }"}, "5:24", "unexpected '}', expected"),
        ({"gpms": "DEFINE GPM A ON S { ?x a :C }"}, "5:26", "prefix ':' is not declared"),
        ({"gpms": ""}, "4:13", "no DEFINE clause defines the GPM 'A'"),
        ({"within": "0"}, "2:8", "a window must be longer than 0"),
        ({"within": "1.5 EVENTS"}, "2:8", "only whole events can be counted"),
        ({"within": "10 fortnights"}, "2:8", "unknown unit 'fortnights'"),
        ({"within": "1 MONTH"}, "2:8", "years and months have no fixed length"),
        ({"within": "1.5"}, "2:8", "expected a number and a unit"),
        ({"within": ""}, "3:1", "unexpected 'FROM', expected a number"),
        ({"streams": "FROM STREAM <urn:s>"}, "3:13", "unexpected '<urn:s>', expected a name"),
        ({"select": ""}, "2:1", "expected a variable or '*'"),
    ],
)
def test_other_errors(changed, place, message):
    found = error(query(**changed))
    assert found.startswith(f"q.rq:{place}: ")
    assert message in found


def test_exists_cannot_look_at_another_event():
    gpms = (
        "DEFINE GPM A ON S { ?x <urn:p> ?y } "
        "DEFINE GPM B ON S { ?z <urn:p> ?w FILTER NOT EXISTS { ?z <urn:q> ?x } }"
    )
    assert "EXISTS cannot look at another event: ?x is not bound by GPM 'B'" in error(
        query("A, B", gpms=gpms)
    )
    own = gpms.replace("?x } }", "?fresh } }")
    assert parse(query("A, B", gpms=own)).definitions[1].name == "B"
