"""What all tests need of the process that they run in."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from functools import cache
from os.path import isabs
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
REMOVING = {"os.remove", "os.rename", "os.link", "os.symlink"}
CHANGING = {"open", "os.truncate", *REMOVING}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_TRUNC


def pytest_configure() -> None:
    """Let an interrupt reach the programs that tests start and interrupt.

    A shell starts what runs in the background with interrupts ignored, and children inherit that.
    """
    gc.set_threshold(50_000)  # collections are a tenth of what tests cost, and find next to nothing
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if tracked():
        sys.addaudithook(refuse_to_change_tracked_files)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start the long files first, so that no process works alone at the end.

    `--dist loadfile` distributes files in this order with `--no-loadscope-reorder`.
    """
    long = {
        item.path for item in items
        if any(item.get_closest_marker(name) for name in ("long", "slow", "spark"))
    }
    items.sort(key=lambda item: item.path not in long)


def pytest_collection_finish() -> None:
    """Let the garbage collector skip modules and collected tests, which live to the end."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object | None:
    """Give all files that start Spark to one worker: a Java costs as much as its tests."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler.loadfile import LoadFileScheduling

    @cache
    def starts_spark(file: str) -> bool:
        text = (ROOT / file).read_text(encoding="utf-8")
        return "pytest.mark.spark" in text or "$ denota sweep" in text

    class SparkInOneWorker(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file: str = super()._split_scope(nodeid)
            return "Spark" if starts_spark(file) else file

    return SparkInOneWorker(config, log)


def refuse_to_change_tracked_files(event: str, arguments: tuple[Any, ...]) -> None:
    """Tests that read the project's files run beside all others, which must leave them alone."""
    if event not in CHANGING:  # of thousands a second, nearly all
        return
    if event == "open":
        paths = arguments[:1] if arguments[2] & WRITING else ()
    elif event == "os.truncate":
        paths = arguments[:1]
    else:
        paths = arguments[:2]
        if any(isinstance(each, int) and each >= 0 for each in arguments[1:]):
            # Names in an open folder, as `shutil.rmtree` gives them: nothing says which it is.
            paths = tuple(path for path in paths if not isinstance(path, int) and isabs(path))
    for path in paths:
        if isinstance(path, str | bytes | os.PathLike):
            changed = os.path.abspath(os.fsdecode(path))
            assert changed not in tracked(), f"a test changes {changed}, which git tracks"


@cache
def tracked() -> frozenset[str]:
    """The files of the project; none outside of a working tree."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
        )
    except OSError:
        return frozenset()
    return frozenset(str(ROOT / name) for name in listed.stdout.split("\0") if name)
