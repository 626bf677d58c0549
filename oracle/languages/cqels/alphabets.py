"""What enumerated CQELS-CEP cases are made of."""

from ..enumerated_graphs import ALPHABETS as INSTANTS
from .enumerate.background_alphabet import BACKGROUND
from .enumerate.clause_alphabet import CLAUSES
from .enumerate.further_alphabets import FURTHER

ALPHABETS = {
    **INSTANTS, **{alphabet.name: alphabet for alphabet in (*FURTHER, CLAUSES, BACKGROUND)}
}
