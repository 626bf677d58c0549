"""Why CEQL has a result or has it not."""

from __future__ import annotations

from .complex_events import CeqlExplainer

EXPLAINER = CeqlExplainer
