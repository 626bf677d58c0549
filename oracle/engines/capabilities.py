"""Capabilities: the needs of a case, and the declarations of an engine.

Both are names in groups: `operators`, `windows`, `readings` and the like. An engine says for each
language which names of a group it takes; of a group that it does not speak of, it takes all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from ...semantics.model.errors import DenotaError, nearest
from ..languages.features import features_of
from ..languages.readings import reading_features
from ..languages.registry import has, part_of

Names: TypeAlias = Mapping[str, frozenset[str]]
"""Names, by their group."""

Name: TypeAlias = tuple[str, str]
"""A group, and a name in it."""

OTHER_GROUPS: Final = ("readings", "streams", "data")
"""Groups that every language has, whose names are not listed: readings as `name=value` where they
are not the default, the number of streams, and what the streams bring with them."""


class CapabilityError(DenotaError):
    """A declaration that names an unknown group or capability."""


def needs_of(case: Any) -> Names:
    """Return the capabilities that a case needs."""
    features: Any = features_of(case.language_name)
    asked = set(features.query_features(case.tree))
    asked |= getattr(features, "further_needs", lambda tree: frozenset())(case.tree)
    groups: Names = vocabulary(case.language_name)
    needs = {group: frozenset(asked & names) for group, names in groups.items()}
    nothing: frozenset[str] = frozenset()
    about_data = getattr(features, "data_features", lambda case: nothing)
    return {
        **needs,
        "readings": reading_features(case.readings),
        "streams": frozenset({str(len(case.streams))}),
        "data": frozenset(about_data(case)),
    }


def vocabulary(language: str) -> Names:
    """Return the groups of names that queries of a language can ask for."""
    features = features_of(language)
    return getattr(features, "CAPABILITIES", {})


def all_but(language: str, group: str, *names: str) -> list[str]:
    """Return the names of a group but these, for an engine; raises CapabilityError."""
    left = capabilities_of(language, {group: names})[group]
    return sorted(vocabulary(language)[group] - left)


def lacking(case: Any, capabilities: Names) -> Names:
    """Return the needs of a case that are not among the capabilities."""
    needs = needs_of(case)
    missing = {group: needs[group] - taken for group, taken in capabilities.items()}
    return {group: names for group, names in missing.items() if names}


def left_out(language: str, capabilities: Names) -> frozenset[Name]:
    """Return the names that a generator should avoid for an engine with these capabilities."""
    return avoidable(
        language,
        lambda group, name: group in capabilities and name not in capabilities[group],
    )


def avoidable(language: str, chosen: Callable[[str, str], bool]) -> frozenset[Name]:
    """Return those of a language's names which are chosen and which its generator can avoid."""
    generate = part_of(language, "generate") if has(language, "generate") else None
    known: Iterable[Name] = getattr(generate, "RESTRICTIONS", ())
    return frozenset(name for name in known if chosen(*name))


def said_by(engine: object, language: str) -> Names:
    """Return an engine's declaration for a language, empty without one; raise CapabilityError."""
    said = getattr(engine, "capabilities", None) or {}
    if not isinstance(said, Mapping):
        raise CapabilityError("the capabilities are no object, by language")
    return capabilities_of(language, said[language]) if language in said else {}


def capabilities_of(language: str, said: object) -> Names:
    """Return the capabilities that a declaration has for one language; raise CapabilityError."""
    known = vocabulary(language)
    if not isinstance(said, Mapping):
        raise CapabilityError(f"the capabilities in {language} are no object")
    for group, names in said.items():
        if group not in (*known, *OTHER_GROUPS):
            raise CapabilityError(
                f"{language} has no group of capabilities '{group}'"
                f"{nearest(group, [*known, *OTHER_GROUPS])}"
            )
        if not isinstance(names, Iterable) or isinstance(names, str) or not all(
            isinstance(name, str) for name in names
        ):
            raise CapabilityError(f"the {group} of {language} are no list of names")
        for name in names:
            if group in known and name not in known[group]:
                raise CapabilityError(
                    f"among the {group} of {language} there is no '{name}'"
                    f"{nearest(name, sorted(known[group]))}"
                )
    return {group: frozenset(names) for group, names in said.items()}
