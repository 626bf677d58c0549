"""All SPAseq cases up to a size, one of each isomorphism class, the smallest first."""

from __future__ import annotations

from ...enumeration import Bounds, Listing


def listing(bounds: Bounds) -> Listing:
    """All cases within the bounds."""
    from functools import partial

    from .....semantics.spaseq.syntax.readings import Readings
    from .alphabet import alphabet_named
    from .cases import Enumeration, case_count, enumerated_cases

    enumeration = Enumeration(
        alphabet_named(bounds.alphabet),
        most_operators=bounds.operators,
        most_events=bounds.length,
        within=bounds.within,
        slide=bounds.slide,
        events=bounds.events,
        readings=Readings.of(bounds.readings),
    )
    enumeration.window  # noqa: B018  (says what does not go together before a file is made)
    return Listing(enumerated_cases(enumeration), partial(case_count, enumeration))
