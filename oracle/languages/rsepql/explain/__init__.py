"""Explanations of RSEP-QL."""

from __future__ import annotations

from .answers import RsepqlExplainer

EXPLAINER = RsepqlExplainer
