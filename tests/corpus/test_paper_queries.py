"""The six queries of the paper, corrected as the errata say: they parse, and draw no warning."""

from pathlib import Path

import pytest

import denota
from denota.oracle.cases.case_reader import read_case
from denota.semantics.model.pretty_printing import text_of
from denota.semantics.spaseq.syntax.analysis import check_query
from denota.semantics.spaseq.syntax.parse import parse
from denota.semantics.spaseq.syntax.printing import to_text

PAPER = Path(denota.__file__).resolve().parent / "corpus" / "papers" / "spaseq"
FILES = ["example-02-query-1", *(f"query-{number}" for number in range(2, 7))]
SEQUENCES = ["A; B+, C", "A, B+", "A, B, C, D, E, F, G", "A, B, C", "A; (B & C)", "A, B+, C"]


@pytest.mark.parametrize(("name", "sequence"), list(zip(FILES, SEQUENCES, strict=True)))
def test_a_query_of_the_paper(name, sequence):
    case = read_case(PAPER / f"{name}.case.yaml")
    query = parse(case.query.text)
    assert text_of(query.sequence) == sequence
    assert check_query(query, set(case.streams), set(case.kb)) == []
    assert parse(to_text(query)) == query
