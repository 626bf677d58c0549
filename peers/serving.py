"""The program that a peer's host runs in: the adapter protocol on stdin and stdout.

`python serving.py HOST.py` asks the function `answer` of that file. Both need the peer and the
standard library, nothing of denota: they run under an interpreter that has the peer.
"""

from __future__ import annotations

import json
import os
import runpy
import sys


def serve(host: str) -> None:
    # What the peer prints goes to stderr: stdout is the protocol's.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    answer = runpy.run_path(host)["answer"]
    for line in sys.stdin:
        answers.write(json.dumps(answer(json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    serve(sys.argv[1])
