"""The background graphs of a run on Spark: read where it is started, and sent to each worker once.

Spark ships the file to the machines as it ships programs; a process reads it when the first engine
needs it. Its name says what is in it, so that no run takes that of another.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from rdflib.term import URIRef

from .....semantics.model.terms import Graph
from ....results.json_objects import term_from_json, term_to_json

NO_GRAPHS = ""


def packed(graphs: Mapping[URIRef, Graph]) -> tuple[str, str]:
    """The name and content of the file of background graphs; `NO_GRAPHS` if there are none.

    A blank node keeps its label.
    """
    if not graphs:
        return NO_GRAPHS, ""
    numbers: dict[Any, int] = {}

    def number(term: Any) -> int:
        return numbers.setdefault(term, len(numbers))

    said = {
        str(name): [[number(term) for term in triple] for triple in sorted(graph)]
        for name, graph in sorted(graphs.items())
    }
    content = json.dumps({"terms": [term_to_json(term) for term in numbers], "graphs": said})
    digest = sha256(content.encode()).hexdigest()
    return f"denota-background-{digest[:32]}.json", content


def shipped_graphs(name: str) -> dict[URIRef, Graph]:
    """The background graphs of a file that Spark has sent here."""
    from pyspark import SparkFiles

    said = json.loads(Path(SparkFiles.get(name)).read_text(encoding="utf-8"))
    terms = [term_from_json(each) for each in said["terms"]]
    return {
        URIRef(iri): frozenset((terms[s], terms[p], terms[o]) for s, p, o in triples)
        for iri, triples in said["graphs"].items()
    }
