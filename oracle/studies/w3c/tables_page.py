"""docs/w3c.md: the verdicts on the suites' tests, and why some are excluded."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...judging.verdicts import Outcome
from .manifests import ManifestTest
from .running import ManifestVerdict
from .tables import category, figures, reasons

_INTRODUCTION = """\
# The W3C's SPARQL tests

Every language here stands on SPARQL's graph patterns, so the oracle and the production engine are
judged by the W3C's own tests of SPARQL 1.0 and 1.1. They lie in rdflib's source distribution.
`make w3c` fetches that with pip, runs all of them on both, prints the table below and writes EARL
reports (`build/w3c/earl-*.ttl`). This page is made from the same run:
`make w3c W3C='--page docs/w3c.md'`.

Any manifest in the W3C's format can be judged, a whole suite or one category:

<!-- not run: the suites are not part of the project -->
```console
$ denota check build/w3c/sparql11/property-path/manifest.ttl
$ denota check build/w3c/sparql11/manifest-all.ttl --engine oracle --earl earl.ttl --junit junit.xml
```

Query evaluation tests (results in SRX, SRJ, CSV, TSV, Turtle and RDF/XML) and positive and negative
syntax tests are run. A test under an entailment regime is run if one of its regimes is RDFS, over
graphs closed as by the reading `entailment=rdfs-reflexive` ([readings](readings.md)), or RDF. The
exit code is 1 if a test fails, 2 if a manifest cannot be read.

A manifest reads no file outside of its folder, links followed, unless `--allow-external-files`; it
names files by relative IRIs, and nothing is fetched ([security](security.md)).
"""

_MEANING = """\
## Meaning of a pass

Of the {run} tests that are run, {syntax} are **syntax tests** ({positive} positive,
{negative} negative; {excluded} more are
excluded). Oracle and engine share one parser, so such a test runs the same code for both, and
counts twice in the table. A pass shows that the parser accepts or rejects a text as the W3C does.
It shows nothing about the tree that the parser makes, about the oracle or the engine, or about
their agreement.

The other {evaluation} are **evaluation tests**. Oracle and engine each evaluate the query on their
own, and
each result is compared with the W3C's. A wrong tree of the shared parser can make both fail. Three
steps run the same code for both, so for them, too, two passes are one: reading data, results and
FROM; making a graph from the template of CONSTRUCT; closing a graph under the regime RDF.

Solutions of a query with ORDER BY compare in order. Another order than the W3C's is right only if
SPARQL 1.1 (15.1) leaves open which of the two it is, as for `"1"` and `1`.
"""


def page(judged: Mapping[str, Sequence[ManifestVerdict]]) -> str:
    """The page's text, from the verdicts on everybody who was judged."""
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
    heading, *rows, totals = figures(judged)
    yield "## Figures"
    yield ""
    yield _row(("suite and category", *heading[1:]))
    yield "|---|" + "---:|" * (len(heading) - 1)
    for row in rows:
        yield _row(row if "/" in row[0] else _bold(row))
    yield _row(_bold(totals))


def _bold(cells: Iterable[str]) -> list[str]:
    return [f"**{cell}**" for cell in cells]


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
