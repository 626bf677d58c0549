"""A background graph that changes, where a language knows of none."""

from __future__ import annotations

import pytest

from denota.oracle.cases.case_reader import parse_case
from denota.semantics.model.errors import StreamError

CASE = """
language: {language}
query: ""
streams: {{}}
kb:
  http://example.org/g:
    changes: |
      @prefix : <http://example.org/> .
      @prefix prov: <http://www.w3.org/ns/prov#> .
      :g1 prov:generatedAtTime 1 .  :g1 {{ :a :p :b . }}
expect: {{results: []}}
"""


@pytest.mark.parametrize("language", ["spaseq", "epsparql"])
def test_it_is_refused(language: str) -> None:
    case = parse_case(CASE.format(language=language))
    with pytest.raises(StreamError, match="no background graph changes"):
        _ = case.kb


@pytest.mark.parametrize("language", ["rsepql", "cqels"])
def test_it_is_read(language: str) -> None:
    (graph,) = parse_case(CASE.format(language=language)).kb.values()
    assert [time for time, _ in graph.changes] == [1]
