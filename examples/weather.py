"""Weather observations as RDF graph streams, one a property, and their stations as a graph.

    round:t7 prov:generatedAtTime 7 .
    round:t7 { weather:temperature-7-C0801 weather:station station:C0801 ; weather:value 54 . … }

A round is what all stations reported at one time; the rounds are numbered, and the number is the
timestamp. The background graph says of each station what it observes and who its neighbours are
(those whose codes begin alike).
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from ..semantics.model.errors import StreamError
from ..semantics.model.items import TimeKind, TimestampedGraph
from ..semantics.model.terms import Graph, Literal, Term, Triple, URIRef, literal
from ..semantics.model.time import XSD
from ..semantics.streams.rdf.graphs import read_graph

PREFIXES = {
    "weather": "urn:denota:weather:",
    "station": "urn:denota:weather:station:",
    "round": "urn:denota:weather:round:",
}
STATIONS = URIRef("urn:denota:weather:stations")

_STATION, _VALUE, _OBSERVES, _GROUP, _CODE = (
    URIRef(PREFIXES["weather"] + name)
    for name in ("station", "value", "observes", "group", "code")
)

_OM = "http://knoesis.wright.edu/ssw/ont/sensor-observation.owl#"
_PROPERTY, _PROCEDURE, _RESULT, _FLOAT = (
    URIRef(_OM + name) for name in ("observedProperty", "procedure", "result", "floatValue")
)
# How the linked sensor data calls what our streams are named after.
_NAMES = {"AirTemperature": "temperature", "RelativeHumidity": "humidity", "WindSpeed": "wind"}
_FILE = re.compile(r"data_([0-9]+)\.ttl")


@dataclass(frozen=True, slots=True)
class Observation:
    """In round `time`, a station observed the value of a property (temperature, humidity, …)."""

    time: int
    station: str
    property: str
    value: Literal


def stream_iri(name: str) -> URIRef:
    """The stream of the observations of one property."""
    return URIRef(PREFIXES["weather"] + name)


def read_observations(directory: str | os.PathLike[str]) -> Iterator[Observation]:
    """The observations in data_NN.ttl files of linked sensor data; NN is the time, in seconds.

    Raises StreamError if there are none, or for an observation without station or value.
    """
    found = [(_FILE.fullmatch(path.name), path) for path in Path(directory).glob("data_*.ttl")]
    files = sorted((int(match[1]), path) for match, path in found if match)
    if not files:
        raise StreamError("there are no files data_NN.ttl", source=os.fspath(directory))
    for time, path in files:
        yield from _observations(time, read_graph(path), str(path))


def _observations(time: int, graph: Graph, source: str) -> list[Observation]:
    said: dict[Term, dict[Term, Term]] = {}
    for s, p, o in graph:
        said.setdefault(s, {})[p] = o
    observations = []
    for subject, about in said.items():
        if _PROPERTY not in about:
            continue
        value = said.get(about.get(_RESULT, subject), {}).get(_FLOAT)
        if _PROCEDURE not in about or not isinstance(value, Literal):
            raise StreamError(f"{subject.n3()} has no station, or no value", source=source)
        name = str(about[_PROPERTY]).rpartition("#")[2].lstrip("_")
        station = str(about[_PROCEDURE]).rpartition("System_")[2]
        observations.append(Observation(time, station, _NAMES.get(name, name), value))
    return sorted(observations, key=lambda seen: (seen.station, seen.property))


def generate_observations(
    seed: int, rounds: int = 30, stations: int = 60
) -> Iterator[Observation]:
    """Observations like real ones: a station reports every few rounds; it warms up and dries."""
    dice = random.Random(seed)
    codes = [f"C{8 + n // 10:02}{dice.randrange(10)}{n % 10}" for n in range(stations)]
    every = {code: dice.choice((1, 3, 3, 3, 4, 12)) for code in codes}
    phase = {code: dice.randrange(every[code]) for code in codes}
    temperature = {code: dice.gauss(60, 8) for code in codes}
    for time in range(rounds):
        for code in codes:
            temperature[code] += dice.gauss(0.4, 0.8)
            if time % every[code] != phase[code]:
                continue
            warmth = temperature[code]
            humidity = min(100, max(5, 150 - 1.2 * warmth + dice.gauss(0, 6)))
            for name, value in (("temperature", warmth), ("humidity", humidity)):
                yield Observation(time, code, name, literal(f"{value:.0f}", XSD + "double"))


def streams_of(observations: Iterable[Observation]) -> dict[str, list[TimestampedGraph]]:
    """A stream a property, with one graph a round."""
    rounds: dict[str, dict[int, set[Triple]]] = {}
    for seen in observations:
        triples = rounds.setdefault(seen.property, {}).setdefault(seen.time, set())
        station = quote(seen.station, safe="")
        subject = URIRef(f"{PREFIXES['weather']}{seen.property}-{seen.time}-{station}")
        triples.add((subject, _STATION, URIRef(PREFIXES["station"] + station)))
        triples.add((subject, _VALUE, seen.value))
    return {stream_iri(name): _stream(by_time) for name, by_time in sorted(rounds.items())}


def _stream(rounds: Mapping[int, set[Triple]]) -> list[TimestampedGraph]:
    return [
        TimestampedGraph(
            time, frozenset(triples), TimeKind.INTEGER, URIRef(f"{PREFIXES['round']}t{time}")
        )
        for time, triples in sorted(rounds.items())
    ]


def stations_of(observations: Iterable[Observation]) -> Graph:
    """The background graph: each station's code, its group of neighbours and what it observes."""
    triples: set[Triple] = set()
    for seen in observations:
        station = URIRef(PREFIXES["station"] + quote(seen.station, safe=""))
        triples.add((station, _CODE, literal(seen.station)))
        triples.add((station, _GROUP, literal(seen.station[:3])))
        triples.add((station, _OBSERVES, stream_iri(seen.property)))
    return frozenset(triples)
