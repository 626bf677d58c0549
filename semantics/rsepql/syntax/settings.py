"""The continuous evaluation of existing engines, as settings of RSEP-QL (RSP-QL, 4; CSRBench).

A query says neither when it is evaluated nor, in these engines' languages, what of each answer is
reported. A setting says it for them:

| setting | report policy | stream operator | empty answers | windows |
|---|---|---|---|---|
| csparql | window close | RSTREAM | reported | as the query says |
| sparqlstream | window close | RSTREAM | not reported | as the query says |
| cqels | content change | ISTREAM | not reported | end at the evaluation, whatever their slide |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from ...model.errors import QueryError
from .tree import StreamOperator

PolicyName: TypeAlias = Literal[
    "content-change", "window-close", "non-empty-content", "periodic"
]

POLICIES: tuple[PolicyName, ...] = get_args(PolicyName)


@dataclass(frozen=True, slots=True)
class EngineSetting:
    """The behaviour of an engine where a query leaves it open.

    `sliding` says that its windows end at each evaluation: their slide is not looked at.
    """

    name: str
    title: str
    policy: PolicyName
    operator: StreamOperator
    empty: bool
    sliding: bool = False


SETTINGS: dict[str, EngineSetting] = {
    setting.name: setting
    for setting in (
        EngineSetting("csparql", "C-SPARQL", "window-close", StreamOperator.RSTREAM, True),
        EngineSetting("cqels", "CQELS", "content-change", StreamOperator.ISTREAM, False, True),
        EngineSetting(
            "sparqlstream", "SPARQLstream", "window-close", StreamOperator.RSTREAM, False
        ),
    )
}


def engine_setting(name: str) -> EngineSetting:
    """Return the setting of this name; raises QueryError for an unknown one.

    >>> engine_setting("C-SPARQL").policy
    'window-close'
    """
    known = SETTINGS.get(name.lower().replace("-", ""))
    if known is None:
        raise QueryError(f"there is no setting '{name}' (there are: {', '.join(SETTINGS)})")
    return known
