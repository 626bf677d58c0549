"""What the iterations of P+ share: the readings `kleene=join`, `last` and `collect`.

Defs. 13 and 14 join one iteration with the next, so that all of them agree on every variable
(`join`). The paper's own example needs them to differ (errata SPA-5).
"""

from __future__ import annotations

from functools import partial

from rdflib.term import Variable

from ..model.errors import Impossible
from ..model.mappings import SolutionMapping, Solutions, Value
from .stateful_filters import Join, join
from .syntax.readings import Kleene

Local = frozenset[Variable]
"""L = vars(P) minus vars(σ): the iteration-local variables."""


def iteration(reading: Kleene, local: Local) -> Join:
    """Return the join between one iteration and the next, and between σ and the first.

    σ binds no iteration-local variable, so for the first iteration `last` and `join` are ⋈.
    """
    match reading:
        case "join":
            return join
        case "last":
            return partial(join_last, local=local)
        case "collect":
            return partial(join_collecting, local=local)


def join_last(X: Solutions, Y: Solutions, *, local: Local) -> Solutions:
    """π_¬L(X) ⋈ Y: the last iteration's values replace the earlier ones (errata SPA-5)."""
    return join(frozenset(mu.without(local) for mu in X), Y)


def join_collecting(X: Solutions, Y: Solutions, *, local: Local) -> Solutions:
    """As `join_last`, but a variable of L keeps the tuple of all its values.

    Conditions see the values of this iteration alone.
    """
    return frozenset(
        collected(mu, nu, local)
        for mu in X
        for nu in Y
        if join_last(frozenset({mu}), frozenset({nu}), local=local)
    )


def collected(mu: SolutionMapping, nu: SolutionMapping, local: Local) -> SolutionMapping:
    """π_¬L(μ) ∪ π_¬L(ν), and each l ∈ L bound to μ's tuple with ν's value, if any, at its end."""
    bindings: dict[Variable, Value] = {**mu, **nu.without(local)}
    for variable in local & nu.keys():
        earlier, value = mu.get(variable, ()), nu[variable]
        if not isinstance(earlier, tuple) or isinstance(value, tuple):
            raise Impossible(f"?{variable} is not iteration-local: {mu}, {nu}")
        bindings[variable] = (*earlier, value)
    return SolutionMapping(bindings)
