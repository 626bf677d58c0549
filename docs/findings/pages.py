"""The pages of findings, made of what is written down in ENGINE.yaml beside them.

    python docs/findings/pages.py        writes them again

The engine's answers stand in ENGINE.yaml; a test asks the engine for them again. The findings in a
SPARQL library are the entries of deviations.yaml that quote a recommendation. A section is a text
to file with the maintainers of the engine; only its last line, "Here:", is about denota.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from denota.oracle.sparql_evaluators.evaluator_comparison import Deviation, deviations

HERE = Path(__file__).resolve().parent
CORPUS = HERE.parents[1] / "corpus" / "peers"
SORTS = {
    "fault": "Faults",
    "meaning": "Differences of meaning",
    "limit": "Limits",
    "documentation": "Documentation against itself",
}
ONE = {
    "fault": "fault",
    "meaning": "difference of meaning",
    "limit": "limit",
    "documentation": "place where the documentation contradicts itself",
}
"""The sorts, where one finding is spoken of."""
LIBRARIES = ("pyoxigraph", "rdflib")
"""The libraries of SPARQL, whose findings are deviations."""


def pages() -> list[str]:
    """The engines and libraries that have findings."""
    return sorted(path.stem for path in HERE.glob("*.yaml"))


def findings_of(engine: str) -> dict[str, Any]:
    """What is written down of an engine."""
    found: dict[str, Any] = yaml.safe_load((HERE / f"{engine}.yaml").read_text("utf-8"))
    if engine in LIBRARIES:
        found["findings"] = [
            _deviation(each) for each in deviations() if each.who == engine and each.quote
        ]
    return found


def _deviation(entry: Deviation) -> dict[str, Any]:
    """Return a deviation as a finding, its script made of its witness."""
    ours = _rows(entry.ours)
    given = [ours, entry.query, *filter(None, [entry.data])]
    named = "".join(f", {name}={text!r}" for name, text in entry.named.items())
    theirs = "an error" if isinstance(entry.theirs, re.Pattern) else _rows(entry.theirs)
    over = [entry.data] if entry.data else []
    over += [f":{name} {{ {text} }}" for name, text in entry.named.items()]
    asked = "\n  over        ".join([entry.query, *over]) + "\n"
    return {
        "name": entry.id,
        "sort": entry.sort,
        "what": f"{entry.what[0].upper()}{entry.what[1:]}.",
        "document": entry.decided_by,
        "quote": entry.quote,
        "script": f"show({', '.join(map(repr, given))}{named})\n",
        "prints": f"{asked}  recommended {ours}\n  returned    {theirs}\n",
    }


def _rows(solutions: Mapping[Any, int]) -> str:
    """Return a bag of solutions as the scripts print it."""
    rows = (
        " ".join(sorted(f"?{name}={term.n3()}" for name, term in row.items())) or "{}"
        for row, times in solutions.items()
        for _ in range(times)
    )
    text = ", ".join(sorted(rows)) or "nothing"
    text = re.sub(r"<http://www.w3.org/2001/XMLSchema#(\w+)>", r"xsd:\1", text)
    return re.sub(r"<http://example.org/(\w+)>", r":\1", text)


def case_path(engine: str, name: str) -> Path:
    """The file of a case."""
    return CORPUS / engine / f"{name}.case.yaml"


def page(engine: str) -> str:
    """The text of an engine's page."""
    return "\n".join(_page(findings_of(engine))) + "\n"


def index(text: str) -> str:
    """The index with its table made anew."""
    begin, end = "<!-- findings -->\n", "<!-- end of findings -->"
    head, rest = text.split(begin)
    return head + begin + "\n".join(_table()) + "\n" + end + rest.split(end)[1]


def _table() -> Iterator[str]:
    yield f"| engine | version | {' | '.join(each.lower() for each in SORTS.values())} |"
    yield "|---|---|" + "--:|" * len(SORTS)
    for engine in pages():
        found = findings_of(engine)
        counts = [str(sum(each["sort"] == sort for each in found["findings"])) for sort in SORTS]
        yield (
            f"| [{found['title']}]({engine}.md) | {found['package']} {found['version']}"
            f" | {' | '.join(counts)} |"
        )


def _page(found: dict[str, Any]) -> Iterator[str]:
    engine = found["engine"]
    yield f"# Findings in {found['title']}"
    yield ""
    yield f"Made of [{engine}.yaml]({engine}.yaml) by [pages.py](pages.py)."
    yield ""
    yield f"[{found['title']}]({found['home']}), {found['package']} {found['version']}."
    yield found["about"].strip()
    yield ""
    if engine in LIBRARIES:
        yield "The call `show(recommended, query, data)` in the [frame](#the-frame-of-the-programs)"
        yield "prints a block below; where the query has GRAPH, `name=data` adds a named graph."
    else:
        yield "Each program stands in the [frame](#the-frame-of-the-programs)."
        yield f"`denota check CASE --engine {engine}` runs a case."
    for sort, heading in SORTS.items():
        of_sort = [each for each in found["findings"] if each["sort"] == sort]
        if of_sort:
            yield from ("", f"## {heading}")
        for each in of_sort:
            yield from _finding(each, found)
    if "beside" in found:
        yield from ("", "## Findings without a case")
    for each in found.get("beside", []):
        yield from _finding(each, found)
    yield from ("", "## The frame of the programs", "")
    yield f"```{found.get('language', 'python')}"
    yield from program(found, {"script": "..."}).rstrip().splitlines()
    yield "```"


def _finding(finding: dict[str, Any], found: dict[str, Any]) -> Iterator[str]:
    yield from ("", f"### {finding['name']}", "")
    yield f"{found['package']} {found['version']}: {' '.join(finding['what'].split())}"
    if "why" in finding:
        yield finding["why"].strip()
    yield ""
    yield from _decided(finding, found)
    yield ""
    if found["engine"] not in LIBRARIES:  # whose query and data are in the output
        yield f"```{found.get('language', 'python')}"
        yield from (*finding["script"].rstrip().splitlines(), "```", "")
        ends = f", and ends by {' or '.join(finding['ends'])}" if "ends" in finding else ""
        yield from (f"prints{ends}:", "")
    yield from ("```text", finding["prints"].rstrip(), "```")
    if here := [*_here(finding, found)]:
        yield from ("", f"Here: {here[0]}", *here[1:])


def _decided(finding: dict[str, Any], found: dict[str, Any]) -> Iterator[str]:
    name = finding["document"]
    _, address = max(  # a deviation names a section of a document, too
        each for each in found["documents"].items() if name.startswith(each[0])
    )
    whose = "" if found["engine"] in LIBRARIES else "Documentation, "
    quote = f": “{finding['quote']}”" if "quote" in finding else ""
    yield f"{whose}[{name}]({address}){quote}"
    if "against" in finding:
        yield f"Against it: “{finding['against']}”"


def _here(finding: dict[str, Any], found: dict[str, Any]) -> Iterator[str]:
    """Return the lines about a finding that are for readers of denota."""
    if finding in found.get("beside", ()):  # where the heading above is not that of its sort
        yield f"A {ONE[finding['sort']]}."
    if "here" in finding:
        yield finding["here"].strip()
    if "reading" in finding:
        yield f"The reading `{finding['reading']}` ([readings](../readings.md))."
    if "ruling" in finding:
        name = finding["ruling"]
        path = f"../../corpus/rulings/{finding['language']}/{name}.case.yaml"
        yield f"No reading says so, denota decides otherwise ([{name}]({path}))."
    if "cases" in finding:
        folder = f"../../corpus/peers/{found['engine']}"
        yield "; ".join(
            f"[{each['case']}]({folder}/{each['case']}.case.yaml) {_shown(each)}"
            for each in finding["cases"]
        ) + "."


def _shown(shown: dict[str, Any]) -> str:
    said = f" ({shown['says']})" if "says" in shown else ""
    return (", ".join(shown["shows"]) or "agrees") + said


def program(found: dict[str, Any], finding: dict[str, Any]) -> str:
    """Return the program that shows a finding with the engine's own API alone.

    All programs of an engine share their beginning and, in some languages, their end.
    """
    indent = " " * found.get("indent", 0)
    script = "".join(f"{indent}{line}".rstrip() + "\n" for line in finding["script"].splitlines())
    return f"{found['begins']}\n{script}{found.get('closes', '')}"


def main() -> None:
    """Write all pages."""
    for engine in pages():
        (HERE / f"{engine}.md").write_text(page(engine), encoding="utf-8")
    path = HERE / "index.md"
    path.write_text(index(path.read_text("utf-8")), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
