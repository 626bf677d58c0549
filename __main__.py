"""`python -m denota` is `denota`."""

from __future__ import annotations

from .oracle.cli import main

raise SystemExit(main())
