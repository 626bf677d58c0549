"""The start of the JVM that runs Flink's patterns: its jars, a Java and a compiler."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from ..oracle.engines.engine import EngineError
from ..oracle.sweeps.spark.java import java_home, user_cache
from ..semantics.model.errors import UnsupportedError

_SOURCE: Final = Path(__file__).with_name("PatternHost.java")
_JARS: Final = "DENOTA_FLINK_LIB"
_OPTIONS: Final = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss8m")


@cache
def words() -> tuple[str, ...]:
    """Return the command that starts the host; raises EngineError if a part is missing."""
    jars = flink_jars()
    compiler = _java().with_name("javac")
    if compiler.is_file():
        return _command([*jars, compiled(compiler, jars)], "PatternHost")
    return interpreted(jars, janino_jars())


def interpreted(jars: list[Path], janino: list[Path]) -> tuple[str, ...]:
    """Return the command for a Java without a compiler: Janino compiles the host at each start."""
    compiler = "org.codehaus.janino.SimpleCompiler"
    return _command([*jars, *janino], compiler, str(_SOURCE), "PatternHost")


def _command(jars: list[Path], *main: str) -> tuple[str, ...]:
    version = jars[0].stem.removeprefix("flink-cep-")
    return (str(_java()), *_OPTIONS, "-cp", _path(jars), *main, version)


def _java() -> Path:
    try:
        return java_home() / "bin" / "java"
    except UnsupportedError as error:
        raise EngineError(f"engine 'flink': there is no Java 17 or later ({error})") from None


def flink_jars() -> list[Path]:
    """FlinkCEP and what it needs; raises EngineError."""
    for folder in _folders():
        found = [sorted(folder.glob(f"{name}-[0-9]*.jar")) for name in ("flink-cep", "flink-dist")]
        if all(found):
            return [jars[-1] for jars in found]
    if _JARS in os.environ:
        raise EngineError(f"engine 'flink': there are no jars in {_JARS}={os.environ[_JARS]}")
    raise EngineError(
        "engine 'flink': there are no jars of Flink (pip install 'denota[flink]', or name their"
        f" folder in {_JARS})"
    )


def _folders() -> Iterator[Path]:
    if named := os.environ.get(_JARS):
        yield Path(named)
        return
    spec = find_spec("pyflink")
    for place in (spec and spec.submodule_search_locations) or ():
        yield Path(place) / "lib"


def compiled(compiler: Path, jars: list[Path], cache: Path | None = None) -> Path:
    """Return the folder with the host's classes, compiled on first use into the user's cache.

    What is compiled has a folder by its content: the source, and the names of the jars.
    """
    content = _SOURCE.read_bytes() + _path(jars).encode()
    folder = (cache or user_cache()) / f"flink-{blake2b(content, digest_size=8).hexdigest()}"
    if folder.is_dir():
        return folder
    # Two processes may get here together: each compiles for itself, and the first rename stands.
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".flink-") as unfinished:
        made = Path(unfinished) / "classes"
        done = subprocess.run(
            [compiler, "-nowarn", "-cp", _path(jars), "-d", made, _SOURCE],
            capture_output=True, text=True, check=False,
        )
        if done.returncode:
            raise EngineError(f"engine 'flink': {_SOURCE.name} is not compiled: {done.stderr}")
        try:
            made.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
    return folder


def janino_jars() -> list[Path]:
    """Return a compiler for a Java that has none: the one inside pyspark. Raises EngineError."""
    spec = find_spec("pyspark")
    for place in (spec and spec.submodule_search_locations) or ():
        folder = Path(place) / "jars"
        found = [*folder.glob("janino-*.jar"), *folder.glob("commons-compiler-*.jar")]
        if len(found) == 2:
            return found
    raise EngineError(
        "engine 'flink': there is no compiler for Java (a JDK, or the extra 'spark', which"
        " brings one along)"
    )


def _path(parts: list[Path]) -> str:
    return os.pathsep.join(map(str, parts))
