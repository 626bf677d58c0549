"""Why SPAseq has a result or has it not."""

from __future__ import annotations

from .matches import SpaseqExplainer

EXPLAINER = SpaseqExplainer
