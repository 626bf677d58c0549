"""Peers from PyPI that share one environment beside denota's own."""

from __future__ import annotations

from typing import Final

from .hosted import PythonPackage

VARIABLE: Final = "DENOTA_PEERS_PYTHON"
"""Names the interpreter that has them."""


def peer(engine: str, module: str) -> PythonPackage:
    """The package of an engine that the extra `peers` brings."""
    return PythonPackage(
        engine=engine,
        module=module,
        variable=VARIABLE,
        advice="pip install 'denota[peers]' in an environment of its own",
    )
