"""Extension of griffe, which reads the docstrings of docs/api.md."""

from __future__ import annotations

import re
from typing import Any

import griffe


class DocumentedStrategies(griffe.Extension):
    """Documents `name = strategies(draw)` as `draw` without its first parameter, `choices`."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        module = pkg["strategies"]
        for name in module.exports:
            made = getattr(module[name], "value", None)
            if isinstance(made, griffe.ExprCall) and made.canonical_path.endswith(".strategies"):
                draw = pkg[str(made.arguments[0].canonical_path).removeprefix("denota.")]
                text = re.sub(r" +choices: .*\n", "", draw.docstring.value)
                module.set_member(name, griffe.Function(
                    name, parameters=griffe.Parameters(*list(draw.parameters)[1:]),
                    docstring=griffe.Docstring(text, lineno=draw.docstring.lineno),
                ))
