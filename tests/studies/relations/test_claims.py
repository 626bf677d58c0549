"""Of every claim that fails the smallest stream is known; those that hold fail on no small one."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from rdflib import Namespace
from rdflib.term import Variable

from denota.oracle.cases.case_reader import read_case
from denota.oracle.checking.case_checker import check_case
from denota.oracle.engines.engine_specs import engine
from denota.semantics.model.errors import DenotaError
from denota.studies.relations.claims import CLAIMS, PROLOGUE, Claim
from denota.studies.relations.page import found, main, renewed, table, witness_cases
from denota.studies.relations.rows import STREAM, by_timestamps, streams

ROOT = Path(__file__).resolve().parents[3]
EX = Namespace("http://example.org/")
WITNESSES = ROOT / "corpus" / "relations"


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_claim_fails_where_it_is_said_to(claim: Claim) -> None:
    search = found(claim)
    assert (search.witness is None) == claim.holds
    if search.witness is None:
        assert search.tried == sum(
            1 for n in range(claim.most + 1) for _ in streams(claim.events, n, claim.times)
        )


def test_streams_are_counted() -> None:
    """Apart b^n; with ties each but the first is at the time of the one before or later."""
    alphabet = CLAIMS[0].events[:2]
    assert [sum(1 for _ in streams(alphabet, n)) for n in range(4)] == [1, 2, 4, 8]
    assert [sum(1 for _ in streams(alphabet, n, "ties")) for n in range(4)] == [1, 2, 8, 32]
    # Of two items over [1, 1], [1, 2] or [2, 2] the ends do not fall in 1 + 2 · 2 ways with ends
    # 1 1 and 1 2, and 2 · 2 with 2 2.
    assert sum(1 for _ in streams(alphabet, 2, "intervals")) == (1 + 2 + 4) * 4


@pytest.mark.slow
@pytest.mark.parametrize("claim", [c for c in CLAIMS if not c.holds], ids=lambda claim: claim.id)
def test_no_shorter_stream_is_a_witness(claim: Claim) -> None:
    witness = found(claim).witness
    assert witness is not None
    shorter = (
        stream for n in range(len(witness)) for stream in streams(claim.events, n, claim.times)
    )
    assert not any(claim.fails(stream) for stream in shorter)


@pytest.mark.parametrize("claim", [c for c in CLAIMS if not c.holds], ids=lambda claim: claim.id)
def test_the_corpus_remembers_the_witness(claim: Claim) -> None:
    sides = dict(witness_cases(claim))
    assert sides
    for name, case in sides.items():
        kept = read_case(WITNESSES / case.language_name / f"{name}.case.yaml")
        assert kept.tree == case.query
        assert kept.streams.keys() == dict(case.streams).keys()
        assert check_case(kept, engine("oracle")).ok


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.case], ids=lambda claim: claim.id)
def test_the_errata_have_a_witness_of_the_same_size(claim: Claim) -> None:
    witness = found(claim).witness
    assert witness is not None
    case = read_case(ROOT / "corpus" / "errata" / f"{claim.case}.case.yaml")
    (stream,) = case.streams.values()
    assert len(list(stream)) == len(witness)


@pytest.mark.parametrize(
    ("at", "of", "answered"),
    [(8, "solution", "12"), (8, "pattern", "12"), (10, "solution", "2"), (10, "pattern", "")],
)
def test_timestamps_answer_more_on_the_stream_of_figure_1(
    at: int, of: Literal["solution", "pattern"], answered: str
) -> None:
    """RSE-7: Section 2 has :a2 alone at 8, and nothing at 10, over a window of 7."""
    case = read_case(ROOT / "corpus" / "errata" / "rsepql" / "RSE-7-figure-1.case.yaml")
    window = tuple(item for item in case.streams[STREAM] if at - 7 < item.end <= at)
    rows = by_timestamps(["{ ?x :p ?y }", "{ ?y :q ?z }"], PROLOGUE, of)(window)
    assert {mu[Variable("x")] for _, mu in rows} == {EX[f"a{n}"] for n in answered}


def test_the_page_shows_what_was_found() -> None:
    page = (ROOT / "docs" / "relations.md").read_text(encoding="utf-8")
    command = "python -m denota.studies.relations.page --page docs/relations.md"
    assert page == renewed(page), f"run: {command}"
    assert table() in page


def test_the_command_writes_the_cases(tmp_path: Path) -> None:
    assert main(["--cases", str(tmp_path)]) == 0

    def texts(folder: Path) -> dict[str, str]:
        paths = folder.glob("*/*.case.yaml")
        return {str(p.relative_to(folder)): p.read_text(encoding="utf-8") for p in paths}

    assert texts(tmp_path) == texts(WITNESSES)


def test_a_page_without_a_place_for_the_claims_is_a_clear_error() -> None:
    with pytest.raises(DenotaError, match="no part between <!-- claims -->"):
        renewed("# A page of something else\n")
