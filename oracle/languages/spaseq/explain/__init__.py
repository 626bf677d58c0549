"""Explanations of SPAseq."""

from __future__ import annotations

from .matches import SpaseqExplainer

EXPLAINER = SpaseqExplainer
