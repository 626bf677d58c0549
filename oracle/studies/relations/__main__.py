"""`python -m denota.oracle.studies.relations`: see page.py."""

from __future__ import annotations

import sys

from .page import main

sys.exit(main())
