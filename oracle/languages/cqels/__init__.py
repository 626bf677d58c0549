"""CQELS-CEP, as the oracle sees it."""
