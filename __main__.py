"""`python -m denota` is `denota`."""

from __future__ import annotations

import signal


def main() -> int:
    """Run the command line; an interrupt ends it quietly, also while it is being imported."""
    # The module of a handler that raises may be half made, so until then the signal itself ends.
    raises = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if raises:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from .oracle.cli import main

    if raises:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return main()


if __name__ == "__main__":
    raise SystemExit(main())
