"""Settings of RSP-QL: everything that a query's text leaves to the engine that runs it.

A continuous query over a window [RANGE α STEP β] does not say when its windows begin (t0), whether
their ends belong to them, when the engine evaluates and reports (the report policy), what of each
answer it reports (the stream operator, where the query does not say) and whether it reports empty
answers. A `Setting` is one choice of all that but t0, which `t0` ranges over (RSP-QL, 4; SECRET).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from .....semantics.rsepql.syntax.settings import SETTINGS, EngineSetting
from .....semantics.rsepql.syntax.tree import StreamOperator


class Policy(StrEnum):
    """When a query is evaluated (SECRET's report conditions)."""

    WINDOW_CLOSE = "window-close"
    NON_EMPTY_CONTENT = "non-empty-content"
    CONTENT_CHANGE = "content-change"
    PERIODIC = "periodic"


class Trigger(StrEnum):
    """What a change of content is, under the policy content-change."""

    ARRIVAL = "an item arrives"
    CHANGE = "an item arrives or leaves"
    MATCH = "an item arrives that adds a solution of the WHERE clause"
    NEW = "a window closes that holds an item which none before held"


class Extent(StrEnum):
    """Which part of the stream an evaluation at t sees."""

    CLOSED = "the window that closed last"
    SLIDING = "the last α up to t"
    CURRENT = "the window that is open at t, as far as it is filled"


class WindowEnds(StrEnum):
    """Which ends a and b of a window belong to it."""

    OPEN_CLOSED = "(a,b]"
    CLOSED_OPEN = "[a,b)"
    CLOSED_CLOSED = "[a,b]"
    OPEN_OPEN = "(a,b)"

    @property
    def begin_included(self) -> bool:
        """Whether a belongs to the window."""
        return self.value[0] == "["

    @property
    def end_included(self) -> bool:
        """Whether b belongs to the window."""
        return self.value[-1] == "]"


class FirstWindow(StrEnum):
    """When the first window closes; the same thing where the slide is the range."""

    FULL = "at t0 + range"
    PARTIAL = "at t0 + slide"


@dataclass(frozen=True, slots=True)
class Setting:
    """One way to run a continuous query; the fields that a policy does not need keep defaults.

    `period` is in the stream's unit; `empty_answers` says whether an answer without rows is
    reported too.
    """

    policy: Policy
    operator: StreamOperator
    bounds: WindowEnds
    empty_answers: bool
    extent: Extent = Extent.CLOSED
    first: FirstWindow = FirstWindow.FULL
    trigger: Trigger | None = None
    period: int | None = None

    def is_of(self, engine: EngineSetting) -> bool:
        """Whether the engine may run a query under this setting, as far as that is known.

        It evaluates as content changes if its windows slide, else as windows close: whether also
        as empty ones close, nobody says.
        """
        if engine.sliding:
            runs = self.policy is Policy.CONTENT_CHANGE and self.extent is not Extent.CLOSED
        else:
            closing = (Policy.WINDOW_CLOSE, Policy.NON_EMPTY_CONTENT)
            runs = self.policy in closing and self.extent is Extent.CLOSED
        return (
            runs and self.operator is engine.operator and self.empty_answers is engine.empty
        )


_ALIASES = {"morph": "sparqlstream", "c-sparql": "csparql"}


def setting_of_file(name: str) -> EngineSetting | None:
    """The engine that a file of answers is named after (`cqels-1.json`)."""
    low = name.lower().replace("_", "-")
    for known in sorted((*SETTINGS, *_ALIASES), key=len, reverse=True):
        if known in low:
            return SETTINGS[_ALIASES.get(known, known)]
    return None
