"""What enumerated CQELS-CEP cases are made of."""

from ..enumerated_graphs import ALPHABETS as INSTANTS
from .enumerate.further_alphabets import FURTHER

ALPHABETS = {**INSTANTS, **{alphabet.name: alphabet for alphabet in FURTHER}}
