"""rsp-js as an engine: RSEP-QL's queries over one window."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import gcd
from pathlib import Path
from typing import Any, Final

from rdflib import Graph as RdflibGraph
from rdflib.term import URIRef, Variable

from ..oracle.cases.case import Case
from ..oracle.engines.engine import EngineError
from ..semantics.model.errors import UnsupportedError
from ..semantics.model.terms import Graph
from ..semantics.model.trees import find, has
from ..semantics.rdf.syntax.tree import (
    NegatedPropertySet,
    Prologue,
    SelectQuery,
    TriplePattern,
    ZeroOrMorePath,
    ZeroOrOnePath,
)
from ..semantics.rsepql.clauses import streaming_dataset
from ..semantics.rsepql.evaluation_times import evaluation_times
from ..semantics.rsepql.syntax.evaluation import Evaluation
from ..semantics.rsepql.syntax.tree import (
    Bounds,
    RsepqlQuery,
    TimeBasedWindow,
    WindowClause,
    WindowPattern,
)
from .hosted import HostedEngine

_HOST: Final = Path(__file__).with_name("rsp_js_host.cjs")
VARIABLE: Final = "DENOTA_PEERS_NODE"
"""Names the folder node_modules that has rsp-js."""

_TICK: Final = "<urn:denota:tick> <urn:denota:tick> <urn:denota:tick> ."
_MOST: Final = 200  # instants


class RspJs(HostedEngine):
    """rsp-js in node: what it reports at the close of a window is the answer until the next close.

    It learns that a window has closed from an item that no query asks for.

    Raises EngineError where it is not to be had.
    """

    def __init__(self, timeout: float) -> None:
        super().__init__(
            _words(), timeout, name="rsp-js", language="rsepql", level="solutions",
            capabilities=CAPABILITIES,
        )

    def question(self, case: Case) -> dict[str, Any]:
        return question(case)

    def run(self, case: Case) -> list[Any]:
        return list(_answers(case, super().run(case)))


def _words() -> list[str]:
    node = shutil.which("node")
    modules = os.environ.get(VARIABLE)
    if node is None:
        raise EngineError("engine 'rsp-js': there is no node on the PATH")
    if modules is None:
        raise EngineError(
            "engine 'rsp-js': npm install rsp-js, and name its folder node_modules in"
            f" {VARIABLE} (make peers does)"
        )
    if not (Path(modules) / "rsp-js").is_dir():
        raise EngineError(f"engine 'rsp-js': {VARIABLE}={modules} has no rsp-js")
    return [node, str(_HOST), modules]


CAPABILITIES: Final = {
    "operators": [],
    "windows": ["RANGE"],
    # A query asks for one window; axes are not SPARQL's.
    "patterns": [
        "WINDOW", "BIND", "EXISTS", "FILTER", "MINUS", "OPTIONAL", "UNION", "VALUES", "aggregate",
        "blank node in a pattern", "nested group", "property path", "sub-select",
    ],
    "clauses": ["RSTREAM"],
    "readings": ["rivals=any", "consumption=triple", "order=start-end", "order=end", "order=start",
                 "order=before"],
    "streams": ["0", "1"],
    "data": [
        "at", "content-change", "non-empty-content", "periodic", "window-close", "equal timestamps",
        "empty stream",
    ],
}  # fmt: skip
"""The capabilities of rsp-js: one window on one stream, SELECT and RSTREAM."""


@dataclass(frozen=True)
class Instants:
    """The mapping of a case's instants to those of rsp-js.

    Its windows are [o, o + width), o + width a multiple of the step, and its time begins at 0:
    other bounds are other instants there.
    """

    unit: int
    origin: int
    later: bool
    width: int
    step: int

    @classmethod
    def of(cls, window: TimeBasedWindow, times: list[int]) -> Instants:
        width, step = window.width.value, 1 if window.step is None else window.step.value
        start = 0 if window.start is None else window.start.value
        unit = gcd(width, step, start, *times) if window.step is not None else 1
        width, step = width // unit, step // unit
        # (t − α, t'] is [t − α + 1, t' + 1): items are told one instant earlier.
        later = window.bounds in (Bounds.CLOSED_OPEN, Bounds.OPEN_OPEN)
        match window.bounds:
            case Bounds.CLOSED_CLOSED:
                width += 1
            case Bounds.OPEN_OPEN:
                width -= 1
            case _:
                pass
        if width < 1:
            raise UnsupportedError("a window in which nothing lies")
        first = min(times, default=start) // unit
        before = (first - start // unit - 2) // step * step
        return cls(unit, start // unit + before, later, width, step)

    def told(self, time: int) -> int:
        """Return the time of an item."""
        return time // self.unit - self.origin - (0 if self.later else 1)

    def closing(self, time: int) -> int:
        """Return the instant at which the window that is active then has closed."""
        return (time // self.unit - self.origin) // self.step * self.step


def question(case: Case) -> dict[str, Any]:
    """Return a case in rsp-js' terms; raises UnsupportedError where it has none."""
    clause, window = _window(case.tree)
    asked = _asked(case)
    stream = clause.stream or next(iter(case.streams), URIRef("urn:denota:stream"))
    items = list(case.streams.get(stream, ()))
    instants = _instants(case, window, asked)
    told: dict[int, list[str]] = {}
    for item in items:
        told.setdefault(instants.told(item.time), []).append(_triples(item.graph))
    taken = list(told)
    for close in {instants.closing(time) for time in asked}:
        if any(close - instants.width <= time < close for time in taken):
            told.setdefault(close + 1, []).append(_TICK)
    return {
        "query": text_of(case.tree, replace(clause, stream=stream), instants),
        "stream": str(stream),
        "items": [[time, "\n".join(told[time])] for time in sorted(told)],
    }


def text_of(query: RsepqlQuery, clause: WindowClause, instants: Instants) -> str:
    """Return the query in rsp-js' syntax: a line for REGISTER, the window and WINDOW each."""
    from ..oracle.languages.registry import language

    bare = replace(query, prologue=Prologue(), windows=(replace(clause, in_default=False),))
    lines = language("rsepql").print(bare, {}).splitlines()
    form = [each for each in lines if not each.startswith(("REGISTER", "FROM NAMED WINDOW"))]
    text = "\n".join(form).replace("WINDOW ", "\nWINDOW ")
    head, where, rest = text.partition("WHERE {")
    return "\n".join([
        "REGISTER RStream <urn:denota:output> AS", head.strip(),
        f"FROM NAMED WINDOW <{clause.name}> ON STREAM <{clause.stream}>"
        f" [RANGE {instants.width} STEP {instants.step}]",
        f"{where}{rest}",
    ])


def _window(query: RsepqlQuery) -> tuple[WindowClause, TimeBasedWindow]:
    """Return the only window that the query asks for."""
    asked = list(find(query.form, WindowPattern))
    if len(asked) != 1:
        raise UnsupportedError("rsp-js is asked for one window")
    name = asked[0].name
    clauses = [each for each in query.windows if isinstance(name, Variable) or each.name == name]
    if len(clauses) != 1:
        raise UnsupportedError("a variable may stand for several windows")
    if not isinstance(query.form, SelectQuery):
        raise UnsupportedError("rsp-js answers with bindings")
    if any(isinstance(each.predicate, Variable) for each in find(query.form, TriplePattern)):
        raise UnsupportedError("a variable predicate would match what keeps rsp-js' time going")
    if has(query.form, ZeroOrMorePath, ZeroOrOnePath, NegatedPropertySet):
        raise UnsupportedError("such a path would match what keeps rsp-js' time going")
    (clause,) = clauses
    if not isinstance(clause.function, TimeBasedWindow):
        raise UnsupportedError("rsp-js has time-based windows only")
    return clause, clause.function


def _asked(case: Case) -> list[int]:
    """Return ET, the instants at which the case asks for an answer; raises UnsupportedError."""
    evaluation = Evaluation.of(case.evaluation)
    # With `empty` or without: an answer without solutions is no row of those that are compared.
    if evaluation.sliding or evaluation.operator is not None:
        raise UnsupportedError("what another engine reports")
    dataset = streaming_dataset(case.tree, case.streams, case.kb)
    asked = evaluation_times(dataset, evaluation)
    if len(asked) > _MOST:
        raise UnsupportedError("rsp-js would be asked at too many instants")
    return asked


def _instants(case: Case, window: TimeBasedWindow, asked: list[int]) -> Instants:
    times = [item.time for stream in case.streams.values() for item in stream]
    return Instants.of(window, [*times, *asked])


def _triples(graph: Graph) -> str:
    made = RdflibGraph()
    for triple in graph:
        made.add(triple)
    return made.serialize(format="nt")


def _answers(case: Case, found: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield rsp-js's results at a window's close, at each instant until the next close."""
    _, window = _window(case.tree)
    asked = _asked(case)
    instants = _instants(case, window, asked)
    for row in found:
        for time in asked:
            if instants.closing(time) == row["close"]:
                yield {"at": time, "solution": row["solution"]}
