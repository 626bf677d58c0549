"""What a value is to the loops over columns, and the double that stands for it."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
Kinds = NDArray[np.uint8]

UNKNOWN: Final = 0
INTEGRAL: Final = 1
"""An exact number (xsd:integer, xsd:decimal) that is the double."""
EXACT: Final = 2
"""Another exact number: the double is the nearest one."""
DOUBLE: Final = 3
"""An xsd:double."""
STRING: Final = 4
NODE: Final = 5
"""An IRI or blank node."""
OTHER: Final = 6
UNBOUND: Final = 7
