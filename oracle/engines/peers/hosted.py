"""Peers: other people's engines, each in a process of its own in which a host asks it."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from ...cases.case import Case
from ...checking.levels import Level
from ..capabilities import capabilities_of
from ..child_process import ChildEngine


class HostedEngine(ChildEngine):
    """A peer behind a host that is asked in the peer's own terms (`question`).

    `capabilities` is what the adapter takes of `language`, as an adapter's hello says it.
    """

    side_by_side = 2
    """How many processes judge it at the same time; 1: this one, since it answers at once."""

    at_once = 1
    """How many processes of it each of them asks at the same time: more than one if it waits."""

    def __init__(
        self,
        words: Sequence[str],
        timeout: float,
        *,
        name: str,
        language: str,
        level: Level,
        capabilities: Mapping[str, Sequence[str]],
    ) -> None:
        # Some write logs where they are started.
        self._folder = tempfile.TemporaryDirectory(prefix=f"denota-{name}-")
        super().__init__(words, timeout=timeout, folder=self._folder.name)
        self.name = name
        self.languages = (language,)
        self.level = level
        self.capabilities[language] = capabilities_of(language, capabilities)

    def another(self) -> HostedEngine:
        """Return an engine like this one, with a process of its own."""
        kind: Any = type(self)
        made: HostedEngine = kind(self.timeout)
        return made

    def question(self, case: Case) -> dict[str, Any]:
        """The case in the peer's terms; raises UnsupportedError where it has none."""
        raise NotImplementedError

    def translation(self, question: Mapping[str, Any]) -> str:
        """Return the query of a question, as a user of the peer would write it."""
        return str(question["query"])

    def result(self, case: Case, found: Any) -> Any:
        """One of the host's results as the language has it."""
        return found

    def run(self, case: Case) -> list[Any]:
        return [self.result(case, found) for found in super().run(case)]

    def close(self) -> None:
        super().close()
        self._folder.cleanup()

    def _message(self, case: Case) -> dict[str, Any]:
        about = {"type": "case", "id": case.id, "language": case.language_name}
        question = self.question(case)
        # Set before the peer is asked: a report shows it also if the peer crashes.
        self.translated = self.translation(question)
        return {**about, **question}
