"""`python -m denota` is `denota`."""

from __future__ import annotations

try:
    from .oracle.cli import main
except KeyboardInterrupt:
    raise SystemExit(130) from None

raise SystemExit(main())
