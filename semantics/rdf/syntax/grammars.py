"""Grammars in files, compiled once and kept between runs.

A language's `grammar.lark` may import rules and terminals of another by the path below `semantics`:
`%import rdf.syntax.grammar (prologue, group_graph_pattern, iri, var, WS, COMMENT)`. Names that are
not listed there arrive as `rdf__syntax__grammar__name`; `PatternTransformer` knows them under
either name. What is ignored between tokens is not imported: say `%ignore WS` and `%ignore COMMENT`
again.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path

from lark import Lark
from lark import __version__ as lark_version

SEMANTICS = Path(__file__).parents[2]


@cache
def load_grammar(name: str, start: tuple[str, ...]) -> Lark:
    """The LALR parser of the grammar in a file below `semantics`, say "rdf/syntax/grammar.lark"."""
    return Lark.open(
        str(SEMANTICS / name),
        start=list(start),
        parser="lalr",
        lexer="contextual",
        propagate_positions=True,
        maybe_placeholders=False,
        import_paths=[str(SEMANTICS)],
        cache=_cache_file(name, start),
    )


def _cache_file(name: str, start: tuple[str, ...]) -> str | bool:
    """Where the compiled tables lie: in the user's cache folder, or nowhere if there is none.

    Lark itself compares the content of the grammar and of all it imports, and rebuilds.
    """
    root = os.environ.get("XDG_CACHE_HOME")
    try:
        folder = (Path(root) if root else Path.home() / ".cache") / "denota"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return False
    if not os.access(folder, os.W_OK):
        return False
    version = f"python{sys.version_info.major}.{sys.version_info.minor}-lark{lark_version}"
    subject = name.removesuffix(".lark").replace("/", "-")
    return str(folder / f"{subject}-{'-'.join(start)}-{version}.tables")
