"""`denota play`: a page on 127.0.0.1 that evaluates, explains and distinguishes queries."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec

from .. import UsageError
from ..options import seconds, whole

PORT = 8765

EPILOG = """\
The page has a query with its streams, background graphs and readings; the oracle's matches, their
timelines and explanations; the query's automaton or operators; and the results in which two
readings differ, with the smallest stream on which they do. Its menu has the examples of the papers
and the errata. A link to the page holds all of it after the #, which browsers do not send.

Only this machine reaches the page. A request is evaluated in a process of its own, which is ended
after --time-limit.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = EPILOG
    parser.add_argument(
        "--port", type=whole, default=PORT, metavar="N",
        help=f"listen on port N of 127.0.0.1, 0 for any (default: {PORT})",
    )
    parser.add_argument(
        "--no-browser", action="store_true", help="do not open the page in a browser"
    )
    parser.add_argument(
        "--time-limit", type=seconds, default=10.0, metavar="SECONDS",
        help="end an evaluation after SECONDS (default: 10)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve the page until an interrupt."""
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise UsageError("the page requires Starlette and uvicorn: pip install 'denota[play]'")
    if arguments.port > 65535:
        raise UsageError(f"--port: expected 0 to 65535, got {arguments.port}")
    from .server import listen, serve

    listener = listen(arguments.port)
    address = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    print(f"{address} (Ctrl+C ends it)")
    sys.stdout.flush()
    if not arguments.no_browser:
        import webbrowser

        webbrowser.open(address)
    serve(listener, arguments.time_limit)
    return 0
