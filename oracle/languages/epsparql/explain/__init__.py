"""Why EP-SPARQL has a solution or has it not."""

from __future__ import annotations

from .solutions import EpsparqlExplainer

EXPLAINER = EpsparqlExplainer
