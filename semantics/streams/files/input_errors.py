"""The boundary of an input: what libraries raise over a file or text becomes a DenotaError.

Readers wrap in `input_errors` what they hand to a library (a parser, a decompressor, Arrow). Their
own logic raises DenotaErrors itself: what else it raises is a bug, and stays one.
"""

from __future__ import annotations

import csv
import json
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from ...model.errors import DenotaError, StreamError
from .outputs import note_input

_LIBRARIES = ("pyarrow.", "pyarrow", "zstandard", "yaml.", "yaml", "lark.")
_BUFFER_FULL = re.compile(r"buffer maximal size of (\d+)")  # pyoxigraph's parsers
_PANIC = "pyo3_runtime.PanicException"  # how pyoxigraph's parsers fail where they should not


@contextmanager
def input_errors(
    source: str | None,
    *,
    what: str = "cannot be read",
    line: Callable[[], int] | None = None,
    kind: type[DenotaError] = StreamError,
) -> Iterator[None]:
    """Raises what a library says of the input `source` as one error of this kind.

    `what` begins its message, `line` tells the place that has been reached.
    """
    try:
        yield
        return
    except DenotaError:
        raise
    except BaseException as error:
        reason = reason_of(error)
        if reason is None:
            raise
        failed: BaseException = error
    bytes_failed = isinstance(failed, OSError | EOFError | zlib.error)  # not what they say
    place = line() if line is not None and not bytes_failed else 0
    raise kind(f"{what}: {reason}", source=source, line=place) from failed


def reason_of(error: BaseException) -> str | None:
    """Return an error's message about the input; None if faulty input does not explain it."""
    match error:
        case DenotaError():
            return error.message
        case OSError():  # gzip.BadGzipFile is one
            return _lower(error.strerror or str(error))
        case EOFError() | zlib.error() | csv.Error():
            return _lower(str(error))
        case UnicodeError():
            return "the text is not UTF-8"
        case RecursionError():
            return "it is nested too deeply"
        case MemoryError() if found := _BUFFER_FULL.search(str(error)):
            return f"a term is longer than the parser's buffer of {int(found[1]):,} bytes"
        case MemoryError():
            return "it asks for more memory than there is"
        case ValueError() if "integer string conversion" in str(error):
            return "a number has more digits than can be read"
    kind = type(error)
    if f"{kind.__module__}.{kind.__qualname__}" == _PANIC:
        return "the parser broke off"
    if kind.__module__.startswith(_LIBRARIES):
        return _lower(str(error).split("\n")[0]) or kind.__name__
    return None


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def named_file(name: str, folder: Path, outside: bool) -> Path:
    """Return the place that a file in `folder` names; raise StreamError for one outside of it.

    With `outside` it may lie anywhere. Symbolic links are followed before the places are compared.
    """
    path = folder / name
    try:
        inside = outside or path.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError) as error:  # no name of a file, or a loop of links
        raise StreamError("this is no name of a file") from error
    if not inside:
        raise StreamError(
            f"the file {path} is not in the folder {folder} (--allow-external-files)"
        )
    note_input(path)
    return path


def json_value(
    text: str, source: str | None, *, line: int = 0, kind: type[DenotaError] = StreamError
) -> Any:
    """Return the value that a JSON text states; raise `kind` for any other text.

    `line` is the line of the source at which the text stands, where it is one of several. NaN and
    Infinity are no JSON (RFC 8259, 6), though Python's module reads them.
    """
    try:
        with input_errors(source, what="not JSON", line=lambda: line, kind=kind):
            return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise kind(
            f"not JSON: {_lower(error.msg)}", source=source,
            line=line or error.lineno, column=error.colno,
        ) from error
    except ValueError as error:
        raise kind(f"not JSON: {error}", source=source, line=line) from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"'{name}' is no number")
