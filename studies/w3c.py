"""Runs the W3C's SPARQL suites, or other manifests: `python -m denota.studies.w3c [MANIFEST …]`."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tarfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path, PurePosixPath

from ..oracle.checking.verdicts import Outcome
from ..oracle.manifests.reading import ManifestTest
from ..oracle.manifests.running import NAMES, ManifestVerdict, run_manifest, subject
from ..oracle.manifests.tables import against, category, figures, reasons, summary
from ..oracle.reports.earl import now, quoted, write_report
from ..semantics.model.errors import DenotaError
from ..semantics.model.printable import printable

# The suites of SPARQL 1.0 and 1.1 lie in rdflib's source distribution.
_SUITES = PurePosixPath("test/data/suites/w3c")
MANIFESTS = (
    "dawg-data-r2/manifest-syntax.ttl",
    "dawg-data-r2/manifest-evaluation.ttl",
    "sparql11/manifest-all.ttl",
)


def fetch_suites(directory: Path) -> list[Path]:
    """Return the manifests of the suites below `directory`, fetched with pip if missing."""
    manifests = [directory / name for name in MANIFESTS]
    if not all(manifest.exists() for manifest in manifests):
        directory.mkdir(parents=True, exist_ok=True)
        _unpack(_downloaded(directory), directory)
    return manifests


def _downloaded(directory: Path) -> Path:
    requirement = f"rdflib=={version('rdflib')}"
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--no-binary", ":all:", "--no-deps",
        "--dest", str(directory), requirement,
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    archives = sorted(directory.glob("rdflib-*.tar.gz"))
    if done.returncode != 0 or not archives:
        last = (done.stderr.strip() or "no archive came").splitlines()[-1]
        raise DenotaError(f"the source distribution of {requirement} cannot be fetched: {last}")
    return archives[-1]


def _unpack(archive: Path, directory: Path) -> None:
    with tarfile.open(archive) as content:
        for member in content:
            inside = PurePosixPath(*PurePosixPath(member.name).parts[1:])
            wanted = inside.is_relative_to(_SUITES) and member.isfile()
            if wanted and inside.relative_to(_SUITES).parts[0] in ("dawg-data-r2", "sparql11"):
                member.name = str(inside.relative_to(_SUITES))
                content.extract(member, directory, filter="data")


# --- EARL -----------------------------------------------------------------------------------------

_OUTCOMES = {
    Outcome.PASS: "passed",
    Outcome.FAIL: "failed",
    Outcome.UNSUPPORTED: "untested",
    Outcome.TIMEOUT: "failed",
    Outcome.CRASH: "failed",
}


def write_earl(
    verdicts: Iterable[ManifestVerdict], path: Path, subject: str = "denota oracle"
) -> None:
    """Write one assertion a test about the software called `subject`."""
    write_report(_assertions(verdicts, subject, now()), path)


def _assertions(
    verdicts: Iterable[ManifestVerdict], subject: str, now: str
) -> Iterator[str]:
    yield "_:subject a earl:Software, earl:TestSubject, doap:Project ;"
    yield f"  doap:name {quoted(subject)} ."
    for verdict in verdicts:
        yield ""
        yield f"<{verdict.test.iri}> a earl:TestCase ; dct:title {quoted(verdict.test.name)} ."
        yield "[] a earl:Assertion ; earl:assertedBy _:denota ; earl:subject _:subject ;"
        yield f"  earl:test <{verdict.test.iri}> ; earl:mode earl:automatic ;"
        yield "  earl:result [ a earl:TestResult ;"
        yield f"    earl:outcome earl:{_OUTCOMES[verdict.outcome]} ;"
        if verdict.detail:
            yield f"    earl:info {quoted(verdict.detail)} ;"
        yield f'    dct:date "{now}"^^xsd:dateTime ] .'


# --- the page of the docs -------------------------------------------------------------------------

_INTRODUCTION = """\
# The W3C's SPARQL tests

All languages here use SPARQL's graph patterns. The oracle and the production engine are therefore
tested with the W3C's tests of SPARQL 1.0 and 1.1, which are in rdflib's source distribution.
`make w3c` fetches it with pip, runs all tests on both, prints the figures below and writes EARL
reports (`build/w3c/earl-*.ttl`); `make w3c W3C='--page docs/w3c.md'` writes this page.

`denota check` takes any manifest in the W3C's format, of a suite or of one category:

<!-- not run: the suites are not part of the project -->
```console
$ denota check build/w3c/sparql11/property-path/manifest.ttl
$ denota check build/w3c/sparql11/manifest-all.ttl --engine oracle --earl earl.ttl --junit junit.xml
```

It runs query evaluation tests (results in SRX, SRJ, CSV, TSV, Turtle and RDF/XML) and positive and
negative syntax tests. It runs a test under an entailment regime if one of its regimes is RDF, or
RDFS, over graphs closed as by the reading `entailment=rdfs-reflexive` ([readings](readings.md)).
The exit code is 1 if a test fails, 2 if a manifest cannot be read.

A manifest reads no file outside of its folder, links followed, unless `--allow-external-files`. It
names files by relative IRIs; nothing is fetched ([security](security.md)).
"""

_MEANING = """\
## Meaning of a pass

Of the {run} tests that are run, {syntax} are **syntax tests** ({positive} positive,
{negative} negative; {excluded} more are
excluded). Oracle and engine share one parser, so such a test runs the same code for both and
counts twice. A pass shows only that the parser accepts or rejects a text as the W3C
does: nothing about its tree, the oracle, the engine or their agreement.

In the other {evaluation}, **evaluation tests**, oracle and engine each evaluate the query, and
each result is compared with the W3C's. A wrong tree of the shared parser can make both fail. Three
steps run the same code for both, so that two passes are one: reading data, results and
FROM; making a graph from the template of CONSTRUCT; closing a graph under the regime RDF.

Solutions of a query with ORDER BY compare in order. Another order than the W3C's is right only if
SPARQL 1.1 (15.1) leaves the order open, as for `"1"` and `1`.
"""


def page(judged: Mapping[str, Sequence[ManifestVerdict]]) -> str:
    """Return the page's text from the verdicts on all subjects."""
    parts = [_INTRODUCTION, _meaning(judged), *_table(judged), "", *_exclusions(judged)]
    return "\n".join(parts) + "\n"


def _meaning(judged: Mapping[str, Sequence[ManifestVerdict]]) -> str:
    verdicts = next(iter(judged.values()), ())
    kinds = Counter(
        (v.test.kind.removesuffix("11"), v.outcome is Outcome.UNSUPPORTED) for v in verdicts
    )
    positive, negative = (kinds[f"{each}SyntaxTest", False] for each in ("Positive", "Negative"))
    excluded = sum(kinds[f"{each}SyntaxTest", True] for each in ("Positive", "Negative"))
    run = sum(count for (_, is_excluded), count in kinds.items() if not is_excluded)
    return _MEANING.format(
        run=run, syntax=positive + negative, positive=positive, negative=negative,
        excluded=excluded, evaluation=run - positive - negative,
    )


def _table(judged: Mapping[str, Sequence[ManifestVerdict]]) -> Iterator[str]:
    yield "## Figures"
    yield ""
    yield from _columns(figures(judged))


def _columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a list item a suite; equal columns are one, a column of zeros is a sentence."""
    columns: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for heading, *cells in list(zip(*rows, strict=True))[1:]:
        columns[tuple(cells)].append(heading)
    zero = [name for cells, names in columns.items() if set(cells) == {"0"} for name in names]
    if zero:
        yield f"In every category: {', '.join(zero)}: 0."
        yield ""
    kept = {", ".join(names): cells for cells, names in columns.items() if set(cells) != {"0"}}
    yield f"After each category: {' / '.join(kept)}."
    yield ""
    listed: list[str] = []
    for title, *counts in zip([row[0] for row in rows[1:]], *kept.values(), strict=True):
        category = title.rpartition("/")[2]
        listed.append(f"{category} {'/'.join(counts)}")
        if "/" not in title:
            *within, of_all = listed
            yield f"* **{of_all}**" + (f": {', '.join(within)}" if within else "")
            listed = []


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _exclusions(judged: Mapping[str, Sequence[ManifestVerdict]]) -> Iterator[str]:
    yield "## Excluded tests"
    yield ""
    yield _row(("tests", "reason", "which"))
    yield "|---:|---|---|"
    sizes = Counter(category(v.test) for v in next(iter(judged.values()), ()))
    for reason, tests in reasons(judged).items():
        which = "; ".join(_names(tests, sizes))
        yield _row((str(len(tests)), reason.replace("|", "\\|"), which))


def _names(tests: Iterable[ManifestTest], sizes: Mapping[str, int]) -> Iterator[str]:
    by_category: dict[str, list[str]] = defaultdict(list)
    for test in tests:
        by_category[category(test)].append(test.iri.rpartition("#")[2])
    for name, local in by_category.items():
        listed = ", ".join(f"`{each}`" for each in local)
        yield f"{name}: {f'all {len(local)}' if len(local) == sizes[name] else listed}"


# --- command line ---------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, report, and return 1 if a test fails."""
    parser = argparse.ArgumentParser(
        prog="python -m denota.studies.w3c", description=__doc__
    )
    parser.add_argument("manifests", nargs="*", type=Path, metavar="MANIFEST")
    parser.add_argument(
        "--suites", type=Path, default=Path("build/w3c"), metavar="DIR",
        help="where the W3C's suites lie, or are put, if no manifest is named (%(default)s)",
    )
    parser.add_argument(
        "--engine", action="append", choices=NAMES, dest="engines",
        help="who is judged (repeatable; default: both)",
    )
    parser.add_argument(
        "--earl", type=Path, metavar="DIR", help="write EARL reports, one for each who is judged"
    )
    parser.add_argument("--page", type=Path, metavar="FILE", help="write the page of the docs")
    options = parser.parse_args(arguments)
    try:
        manifests = options.manifests or fetch_suites(options.suites)
        judged = {
            name: [v for path in manifests for v in run_manifest(path, subject(name))]
            for name in options.engines or NAMES
        }
    except DenotaError as error:
        print(printable(str(error)), file=sys.stderr)
        return 2
    if options.earl is not None:
        options.earl.mkdir(parents=True, exist_ok=True)
        for name, verdicts in judged.items():
            write_earl(verdicts, options.earl / f"earl-{name}.ttl", f"denota {name}")
    if options.page is not None:
        options.page.write_text(page(judged), encoding="utf-8")
    print(printable("\n".join(summary(judged)), keep="\n"))
    return 1 if any(against(verdicts) for verdicts in judged.values()) else 0


if __name__ == "__main__":
    raise SystemExit(main())
