"""What every language of the registry does in the same way."""

from __future__ import annotations

import pytest

from denota.oracle.languages.registry import language, names
from denota.semantics.model.errors import ReadingError


@pytest.mark.parametrize("name", names())
def test_readings_go_by_name_and_back(name: str) -> None:
    entry = language(name)
    for reading, values in type(entry.readings({})).choices().items():
        for value in values:
            named = entry.reading_names(entry.readings({reading: value}))
            assert named == {**entry.reading_names(entry.readings({})), reading: value}


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("value", ["nonsense", 1, None, ["closed"], {}])
def test_a_value_that_is_none_is_a_reading_error(name: str, value: object) -> None:
    entry = language(name)
    reading = next(iter(type(entry.readings({})).choices()))
    with pytest.raises(ReadingError, match=f"reading '{reading}' has no value"):
        entry.readings({reading: value})


@pytest.mark.parametrize("name", names())
def test_what_is_no_tree_is_no_query(name: str) -> None:
    assert not language(name).is_query("SELECT * WHERE { ?s ?p ?o }")


@pytest.mark.parametrize("name", names())
def test_a_language_is_as_good_as_its_name(name: str) -> None:
    entry = language(name)
    assert entry == name
    assert name == entry
    assert entry in names()
    assert {name: 1}[entry] == 1
    assert f"{entry}" == name
    assert [other for other in names() if entry == other] == [name]
