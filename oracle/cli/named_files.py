"""The files that a command line names: no output is an input or another output.

All commands are checked before anything is opened for writing. Options are known by the names of
their values (argparse's `dest`). Files that only the content of a folder, a case or a
manifest names are noted when they are read (`note_input`), and refused when they are written.
"""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ...semantics.model.errors import DenotaError
from ...semantics.streams.files.outputs import Identity, identity
from ...semantics.streams.live.addresses import address_of

OUTPUT_FILES = frozenset(
    ("checkpoint", "coverage", "earl", "html", "json", "junit", "markdown", "output",
     "save_case", "svg")
)
"""A checkpoint is read as well; what it names is checked as an output."""

OUTPUT_FOLDERS = frozenset(("export", "out", "results", "save", "to"))
"""`distinguish --save-case` names a file, which is checked in the same way."""

INPUTS = frozenset((
    "a", "answers", "b", "corpus", "declaration", "engine", "file", "kb",
    "known", "places", "query", "stream",
))
"""Files, folders, IRI=FILE, QUERY@READINGS, and engines' programs."""


def check_files(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    """Raise DenotaError if an output is an input, another output, or in a folder of either.

    Two options may name one folder for their files, and a folder that is read.
    """
    taken: dict[Identity, str] = {}
    folders: dict[Identity, str] = {}
    outputs: list[tuple[str, str]] = []
    for name, label in _options(parser, arguments):
        if name not in INPUTS | OUTPUT_FILES | OUTPUT_FOLDERS:
            continue
        values = _values(getattr(arguments, name))
        if name in INPUTS:
            for path in filter(os.path.exists, (path for each in values for path in _paths(each))):
                _take(taken, label, path)
                if name == "stream" and os.path.isdir(path):
                    _take(folders, label, path)
        elif name in OUTPUT_FILES:
            outputs += [(label, value) for value in values if address_of(value) is None]
        elif name in OUTPUT_FOLDERS:
            outputs += [(label, value) for value in values if os.path.isfile(value)]
            if name != "results":  # no new file of which replaces another
                for value in values:
                    _take(folders, label, value)
    for label, path in outputs:
        key = identity(path)
        if key is None:  # a device or a pipe, which several outputs may share
            continue
        if key in taken:
            raise DenotaError(f"{taken[key]} and {label} name the same file, '{path}'")
        taken[key] = label
        for folder in Path(os.path.realpath(path)).parents:
            other = folders.get(identity(folder) or "")
            if other is not None:
                raise DenotaError(f"{label}: '{path}' is in the folder of {other}")


def _options(
    parser: argparse.ArgumentParser, arguments: argparse.Namespace
) -> Iterator[tuple[str, str]]:
    """Yield the name and the spelling of each option that the command line has."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from _options(action.choices[getattr(arguments, action.dest)], arguments)
        elif hasattr(arguments, action.dest):
            spelling = action.option_strings[:1] or [str(action.metavar or action.dest)]
            yield action.dest, spelling[0]


def _values(value: Any) -> list[str]:
    values: Iterable[Any] = value if isinstance(value, list) else () if value is None else (value,)
    return list(map(os.fspath, values))


def _paths(value: str) -> Iterator[str]:
    """Yield the paths that a value may mean; not all of them need be there."""
    yield value
    parts = value.split("=")
    yield from ("=".join(parts[number:]) for number in range(1, len(parts)))
    yield value.rpartition("@")[0]
    program = value.partition(":")[2]
    try:
        yield from shlex.split(program)
    except ValueError:  # is told where the engine is made
        yield program


def _take(found: dict[Identity, str], label: str, path: str) -> None:
    key = identity(path) if path else None
    if key is not None:
        found.setdefault(key, label)
