"""What enumerated SPAseq queries and streams are made of, the usual alphabet first."""

from __future__ import annotations

from .....semantics.model.errors import QueryError
from .forms import BACKGROUND, FILTERS, JOINS, OPTIONALS, SEQUENCES, FormAlphabet
from .single_triples import EDGES, KEYS, SINGLE, VALUES, Alphabet

ALPHABETS: dict[str, Alphabet | FormAlphabet] = {
    alphabet.name: alphabet
    for alphabet in (
        KEYS, VALUES, EDGES, SINGLE, JOINS, OPTIONALS, FILTERS, BACKGROUND, SEQUENCES
    )
}


def alphabet_named(name: str) -> Alphabet | FormAlphabet:
    """The alphabet of this name, the first one of none; raises QueryError if there is none."""
    if not name:
        return next(iter(ALPHABETS.values()))
    if name not in ALPHABETS:
        raise QueryError(f"there is no alphabet '{name}' (there are: {', '.join(ALPHABETS)})")
    return ALPHABETS[name]


__all__ = ["ALPHABETS", "Alphabet", "FormAlphabet", "alphabet_named"]
