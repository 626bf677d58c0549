"""Explanations of EP-SPARQL."""

from __future__ import annotations

from .solutions import EpsparqlExplainer

EXPLAINER = EpsparqlExplainer
