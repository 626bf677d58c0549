"""`python -m denota.oracle.relations`: see page.py."""

from __future__ import annotations

import sys

from .page import main

sys.exit(main())
