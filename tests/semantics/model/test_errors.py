"""Errors are one line that names the place."""

from __future__ import annotations

import pickle

from denota.semantics.model.errors import QueryError, StreamError


def test_the_place_stands_in_front() -> None:
    assert str(QueryError("no", source="q.rq", line=3, column=9)) == "q.rq:3:9: no"
    assert str(QueryError("no", line=3)) == "3: no"
    assert str(QueryError("no")) == "no"


def test_a_message_is_one_line() -> None:
    assert str(QueryError("no\n  more", source="q.rq")) == "q.rq: no more"


def test_a_document_in_the_place_of_a_path_stays_on_one_line() -> None:
    document = "@prefix : <http://example.org/> .\n:g1 { :a :b :c }\n" * 20
    told = str(StreamError("no such format", source=document))
    assert len(told.splitlines()) == 1
    assert len(told) < 300
    assert told.startswith("@prefix : <http://example.org/> . :g1 {")
    assert told.endswith("…: no such format")


def test_errors_cross_process_borders() -> None:
    error = QueryError("no", source="q.rq", line=3, column=9)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.line) == (QueryError, "q.rq:3:9: no", 3)
