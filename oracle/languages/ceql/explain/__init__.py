"""Explanations of CEQL."""

from __future__ import annotations

from .complex_events import CeqlExplainer

EXPLAINER = CeqlExplainer
