"""Explanations of CQELS-CEP."""

from __future__ import annotations

from .results import CqelsExplainer

EXPLAINER = CqelsExplainer
