"""The verdicts on the W3C's tests for people: a table, the failures, the reasons for exclusions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ..checking.verdicts import Outcome
from .reading import ManifestTest
from .running import ManifestVerdict

Row = tuple[str, ...]


def category(test: ManifestTest) -> str:
    """Return the suite and category of a test: the last two folders that its manifest is in."""
    folder = test.manifest.parent
    return f"{folder.parent.name}/{folder.name}"


def against(verdicts: Iterable[ManifestVerdict]) -> list[ManifestVerdict]:
    """Return the verdicts that are failures."""
    return [v for v in verdicts if v.outcome not in (Outcome.PASS, Outcome.UNSUPPORTED)]


def figures(judged: Mapping[str, Sequence[ManifestVerdict]]) -> list[Row]:
    """Return a heading, a row a category, one a suite if there are several, and the totals.

    Each is a title, passed and failed for everybody who was checked, and what was excluded. What
    somebody alone does not support is excluded too.
    """
    passed: dict[str, Counter[str]] = defaultdict(Counter)
    failed: dict[str, Counter[str]] = defaultdict(Counter)
    excluded: Counter[str] = Counter()
    for who, verdicts in judged.items():
        for verdict in verdicts:
            name = category(verdict.test)
            passed[name][who] += verdict.outcome is Outcome.PASS
            failed[name][who] += verdict in against([verdict])
    for verdict in _excluded(judged):
        excluded[category(verdict.test)] += 1

    def row(title: str, names: Sequence[str]) -> Row:
        counts = [
            sum(counter[name][who] for name in names)
            for who in judged
            for counter in (passed, failed)
        ]
        return (title, *map(str, counts), str(sum(excluded[name] for name in names)))

    whose = [f"{who} " for who in judged] if len(judged) > 1 else [""]
    heading = ("", *(who + word for who in whose for word in ("passed", "failed")), "excluded")
    rows: list[Row] = [heading]
    names = sorted(passed)
    suites = sorted({name.partition("/")[0] for name in names})
    for suite in suites:
        within = [name for name in names if name.partition("/")[0] == suite]
        rows += [row(name, [name]) for name in within]
        if len(suites) > 1:
            rows.append(row(f"{suite} in all", within))
    return [*rows, row("total", names)]


def reasons(judged: Mapping[str, Sequence[ManifestVerdict]]) -> dict[str, list[ManifestTest]]:
    """Return the tests that were excluded by the reasons, the commonest first."""
    found: dict[str, list[ManifestTest]] = defaultdict(list)
    for verdict in _excluded(judged):
        found[verdict.detail].append(verdict.test)
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))


def _excluded(judged: Mapping[str, Sequence[ManifestVerdict]]) -> list[ManifestVerdict]:
    """Return one verdict for each test excluded for at least one subject."""
    found: dict[str, ManifestVerdict] = {}
    for verdicts in judged.values():
        for verdict in verdicts:
            if verdict.outcome is Outcome.UNSUPPORTED:
                found.setdefault(f"{verdict.test.manifest} {verdict.test.iri}", verdict)
    return list(found.values())


def summary(judged: Mapping[str, Sequence[ManifestVerdict]]) -> list[str]:
    """Return the table, the failures, and the reasons for what was excluded, as lines."""
    rows = figures(judged)
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = [
        "  ".join(
            cell.ljust(width) if k == 0 else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    failures = [
        f"{verdict.outcome.upper():8}{f'{who}: ' if len(judged) > 1 else ''}{verdict.test.iri}: "
        f"{verdict.detail}"
        for who, verdicts in judged.items()
        for verdict in against(verdicts)
    ]
    if failures:
        lines += ["", *failures]
    excluded = reasons(judged)
    if excluded:
        lines += ["", "excluded:", *(f"{len(t):5}  {why}" for why, t in excluded.items())]
    return lines
