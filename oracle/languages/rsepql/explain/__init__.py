"""Why RSEP-QL has a result or has it not."""

from __future__ import annotations

from .answers import RsepqlExplainer

EXPLAINER = RsepqlExplainer
