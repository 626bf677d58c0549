"""Why CQELS-CEP has a result or has it not."""

from __future__ import annotations

from .results import CqelsExplainer

EXPLAINER = CqelsExplainer
