"""A weather station that can be asked: readings in files as CSRBench has them, a second apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from denota.oracle.recorded_output.check_recorded import check_recorded

STREAM = "http://example.org/readings"


class Station:
    stream = STREAM

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"

    def measures(self, readings):
        """Writes readings {second: {sensor: value}}, one file a second."""
        self.data.mkdir(exist_ok=True)
        for second, values in readings.items():
            triples = "".join(f":{sensor} :reads {value} . " for sensor, value in values.items())
            (self.data / f"data_{second:02}.ttl").write_text(
                f"@prefix : <http://example.org/> . {triples or ':nobody :says :nothing .'}\n"
            )

    def query(self, window, select="?s ?v", pattern="?s :reads ?v"):
        return (
            f"PREFIX : <http://example.org/> SELECT {select}"
            f" FROM NAMED WINDOW :w ON <{STREAM}> [{window}] WHERE {{ WINDOW :w {{ {pattern} }} }}"
        )

    def row(self, sensor, value, datatype="integer"):
        """A binding as an engine writes it."""
        return {
            "s": {"type": "uri", "value": f"http://example.org/{sensor}"},
            "v": {
                "type": "literal", "value": str(value),
                "datatype": f"http://www.w3.org/2001/XMLSchema#{datatype}",
            },
        }

    def recorded(self, *answers):
        """Relations in CSRBench's shape, from pairs of milliseconds and bindings."""
        return {
            "relations": [
                {
                    "head": {"vars": ["s", "v"]},
                    "timestamp": time,
                    "results": {"bindings": [{"timestamp": time, "binding": row} for row in rows]},
                }
                for time, rows in answers
            ]
        }

    def judge(self, window, *answers, **options):
        """The verdict on relations, over the whole station."""
        asked = self.query(window, **{k: options.pop(k) for k in ("select", "pattern")
                                      if k in options})
        return check_recorded(asked, {STREAM: self.data}, self.recorded(*answers), **options)

    def file(self, name, *answers):
        """A file of answers."""
        path = self.folder / name
        path.write_text(json.dumps(self.recorded(*answers)))
        return path


@pytest.fixture
def station(tmp_path):
    return Station(tmp_path)


@pytest.fixture
def busy(station):
    """Each sensor reads once: a at 0 s, b at 2 s, c at 3 s, d at 5 s."""
    station.measures({0: {"a": 10}, 1: {}, 2: {"b": 20}, 3: {"c": 30}, 4: {}, 5: {"d": 40}})
    return station
