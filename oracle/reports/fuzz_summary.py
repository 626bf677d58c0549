"""The findings of a run of the fuzzer: for people, and for programs."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Iterable, Iterator, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from ..explanations.plurals import counted
from ..fuzzing.clusters import in_order, with_variants
from ..fuzzing.coverage import reason
from .console import translated_lines

if TYPE_CHECKING:
    from pathlib import Path

    from ..fuzzing.clusters import Cluster
    from ..fuzzing.fuzz_report import FuzzReport
    from ..sparql_evaluators.evaluator_comparison import OpinionReport


def sparql_summary(report: OpinionReport) -> str:
    """Return the summary of a run on SPARQL as text."""
    lines = _graph_patterns(report)
    if report.known:
        lines.append(f"{_deviations(report)}:")
        lines += [f"  {count:5}  {name}" for name, count in report.known.most_common()]
    for found in report.discoveries.values():
        lines += ["", str(found)]
    return "\n".join(lines)


def brief_sparql_summary(report: OpinionReport, width: int, saved: Path | None) -> str:
    """Return at most ten lines for a terminal of a width; `saved` is the folder of discoveries."""
    lines = _graph_patterns(report)
    if report.known:
        lines.append(_deviations(report))
    found = [" ".join(each.question.text.split()) for each in report.discoveries.values()]
    for number, text in enumerate(found[:_SHOWN_CLUSTERS], start=1):
        lines.append("  " + shorten(f"{number}. {text}", width - 2, placeholder="…"))
    if found and saved is not None:
        lines.append(f"  {_discoveries(len(found))} in {saved}")
    lines.append("  more: --save-failures DIR, or write the output to a file or pipe")
    return "\n".join(lines)


def _graph_patterns(report: OpinionReport) -> list[str]:
    """Return the verdict and the counts of the graph patterns."""
    return [
        f"{report.who} {report.version} vs. oracle: "
        f"{_discoveries(len(report.discoveries)) if report.discoveries else 'no new discrepancy'}",
        f"  {report.examples:,} graph patterns in {report.seconds:.1f} s (sparql), "
        f"{_share(report.answered, report.examples)} with a solution; seed {report.seed}",
    ]


def _discoveries(number: int) -> str:
    return f"{number} new discrepanc{'y' if number == 1 else 'ies'}"


def _deviations(report: OpinionReport) -> str:
    disagreements = counted(report.known.total(), "disagreement")
    return f"  {disagreements} by {counted(len(report.known), 'known deviation')}"


def summary(report: FuzzReport, engine: str | None = None) -> str:
    """Return the summary of a run as text; `engine` is its ENGINE option."""
    from ..cases.case_writer import case_text

    engine = report.engine if engine is None else engine
    lines = _cases(report, f" ({', '.join(report.languages) or 'in no language'})")
    for language, coverage in report.coverage.items():
        if coverage.possible:
            seen, possible = len(coverage.cases), len(coverage.possible)
            lines.append(
                f"  {language}: {seen} of {possible} pairs of grammar rules seen,"
                f" {_share(seen, possible)}; with results {len(coverage.answered)}"
            )
    lines += _known(report)
    for number, cluster in enumerate(report.clusters, start=1):
        lines += _cluster(number, cluster, report, engine)
    unsaved = [each.witness for each in report.clusters if each.witness.path is None]
    if unsaved:
        lines += ["", "Shrunk cases (--save-failures DIR writes them to files):"]
        for discrepancy in unsaved:
            lines += ["", case_text(discrepancy.case).rstrip()]
    return "\n".join(lines)


def brief_summary(
    report: FuzzReport, engine: str, width: int, elsewhere: Sequence[str] = ()
) -> str:
    """Return at most ten lines for a terminal of a width: counts, clusters, where the rest is.

    Args:
        elsewhere: the files that have more, each with the option that names it.
    """
    lines = _cases(report)
    shares = {
        name: (len(each.cases), len(each.possible))
        for name, each in report.coverage.items() if each.possible
    }
    if report.judged and shares:
        seen, possible = map(sum, zip(*shares.values(), strict=True))
        told = ", ".join(f"{name} {_share(*share)}" for name, share in shares.items())
        lines.append(f"  pairs of grammar rules covered: {_share(seen, possible)} ({told})")
    for number, cluster in enumerate(report.clusters[:_SHOWN_CLUSTERS], start=1):
        title = f"  {number}. {counted(cluster.count, 'case')}: {cluster.witness.case.title}"
        lines.append(shorten(title.strip(), width - 2, placeholder="…"))
        lines[-1] = f"  {lines[-1]}"
    saved = [
        each.witness.path for each in with_variants(report.clusters)
        if each.witness.path is not None
    ]
    if saved:
        lines.append(f"  {counted(len(saved), 'shrunk case')} in {saved[0].parent}")
    elif report.clusters:
        again = repeated_by(report.clusters[0], report, engine)
        lines.append(f"  reproduce 1. with: {again} | cat")
    written = f"written: {', '.join(elsewhere)}; " if elsewhere else ""
    lines.append(
        f"  {written}more: --save-failures DIR, --coverage FILE, --html FILE, or a pipe"
    )
    return "\n".join(lines)


def _cases(report: FuzzReport, languages: str = "") -> list[str]:
    """Return the verdict, the counts of the cases, and the languages that are not supported."""
    limit = ""
    if report.out_of_time:
        of = f" of {report.wanted:,}" if report.wanted is not None else ""
        limit = f" (time limit of {report.time_limit:g} s: {report.examples:,}{of} completed)"
    lines = [
        f"{report.engine} vs. oracle: {_found(report)}",
        f"  {counted(report.examples, 'case')} in {report.seconds:.1f} s{languages}, "
        f"{_share(report.answered, report.examples)} with a non-empty result, "
        f"{report.unsupported} unsupported; seed {report.seed}"
        + (f", {report.passed_over:,} skipped" if report.passed_over else "")
        + (" (interrupted)" if report.interrupted and not report.endless else "")
        + limit,
    ]
    if report.refused:
        lines.append(
            f"  {report.engine} does not support {', '.join(report.refused)}"
            f" (supported: {', '.join(report.takes) or 'none'})"
        )
    if not report.judged:
        lines += [f"  {count:5}  {why}" for why, count in report.reasons.most_common(3)]
    return lines


def _found(report: FuzzReport) -> str:
    if not report.judged:
        return "no cases were run"
    if not report.failing:
        return "no discrepancy"
    if not report.failures:
        return f"{counted(report.failing, 'failing case')}, all known differences"
    known = report.known_met.total()
    flaky = sum(each.witness.flaky for each in report.clusters)
    return (
        f"{counted(report.failing, 'failing case')}, {counted(len(report.clusters), 'cluster')}"
        + (f" ({flaky} flaky)" if flaky else "")
        + (f", {known:,} known differences" if known else "")
    )


def _known(report: FuzzReport) -> Iterator[str]:
    """Yield the known differences that were observed, and those that were not."""
    what = {each.name: each.what for each in report.known}
    for name, count in report.known_met.most_common():
        passed = report.foretold[name]
        more = f", {passed:,} more skipped" if passed else ""
        yield f"  known difference {name} ({counted(count, 'case')}{more}): {what[name]}"
    if report.never_met:
        names = ", ".join(each.name for each in report.never_met)
        yield f"  known differences not observed: {names}"


def _cluster(
    number: int, cluster: Cluster, report: FuzzReport, engine: str
) -> Iterator[str]:
    witness = cluster.witness
    verdict, case = witness.verdict, witness.case
    word = "flaky: " if witness.flaky else "" if cluster.shrunk else "not shrunk: "
    yield f"  {number}. {word}{case.title}"
    yield f"     {counted(cluster.count, 'case')}; {cluster.cause}"
    yield f"     definitions: {case.cites}"
    yield from (f"     {line}" for line in meaning(cluster))
    if verdict.detail:
        yield f"     {verdict.detail}"
    if verdict.stderr:
        yield "     end of its stderr:"
        yield from (f"       {line}" for line in verdict.stderr.splitlines()[-_STDERR_LINES:])
    yield from (f"     {line}" for line in translated_lines(verdict))
    if witness.engine != report.engine:
        yield f"     with --engine {witness.engine}"
    if witness.path is not None:
        yield f"     saved to {witness.path}"
    yield f"     reproduce with: {repeated_by(cluster, report, engine)}"
    for variant in cluster.variants:
        yield f"     also ({counted(variant.count, 'case')}): {variant.witness.case.title}"
        yield f"       {repeated_by(variant, report, engine)}"


def meaning(cluster: Cluster) -> Iterator[str]:
    """Yield the readings that explain a cluster, and the number of generated cases they explain."""
    if not cluster.meanings:
        return
    readings = " or ".join(
        ", ".join(f"{name}={value}" for name, value in each.items()) for each in cluster.meanings
    )
    title = cluster.witness.case.language.title
    cases = f"{cluster.read_so} of {counted(cluster.count, 'generated case')}"
    yield (
        f"semantic difference: the results agree with the oracle under {readings} "
        f"({cases}; docs/readings.md, {title})"
    )


def repeated_by(cluster: Cluster, report: FuzzReport, engine: str) -> str:
    """Return the command that reproduces the witness of a cluster."""
    witness = cluster.witness
    if witness.engine != report.engine:
        engine = witness.engine
    if witness.path is not None:
        return shlex.join(["denota", "check", str(witness.path), "--engine", engine])
    files = dict.fromkeys(each.source for each in report.known)
    return fuzz_command(engine, report.seed, witness.example, report.languages, files)


def fuzz_command(
    engine: str, seed: int | str, examples: int | str, languages: Iterable[str],
    known: Iterable[object], schedule: str | None = None,
) -> str:
    """Return the command that generates the cases of a seed; they depend on known differences."""
    words = ["denota", "fuzz", "--engine", engine, "--seed", str(seed)]
    words += ["--cases", str(examples)]
    words += [word for language in languages for word in ("--language", language)]
    words += [word for file in known for word in ("--known-differences", str(file))]
    words += [] if schedule is None else ["--schedule", schedule]
    return shlex.join(words)


def coverage_table(report: FuzzReport) -> str:
    """Return, as CSV, how many cases had a rule of the grammar directly inside another.

    The last column says why no case has a pair, where there is a reason.
    """
    rows = io.StringIO()
    table = csv.writer(rows, lineterminator="\n")
    table.writerow(("language", "rule", "inside", "cases", "with_results", "reason"))
    for language, coverage in report.coverage.items():
        for outer, inner in sorted(coverage.grammar):
            cases, answered = coverage.cases[outer, inner], coverage.answered[outer, inner]
            table.writerow((language, inner, outer, cases, answered, reason((outer, inner))))
    return rows.getvalue()


_STDERR_LINES = 8
_SHOWN_CLUSTERS = 3


def in_json(report: FuzzReport) -> dict[str, Any]:
    """Return the summary of a run as a JSON object."""
    from ..cases.case_writer import case_text

    return {
        "engine": report.engine,
        "languages": list(report.languages),
        "seed": report.seed,
        "seconds": round(report.seconds, 3),
        "cases": report.examples,
        "answered": report.answered,
        "unsupported": report.unsupported,
        "passed over": report.passed_over + report.foretold.total(),
        "failed": report.failing,
        "interrupted": report.interrupted,
        "version": report.version,
        "known": {each.name: report.known_met[each.name] for each in report.known},
        "coverage": {
            language: {"pairs": len(each.cases), "possible": len(each.possible)}
            for language, each in report.coverage.items() if each.possible
        },
        "discrepancies": [
            {
                "cases": cluster.count,
                "shrunk": cluster.shrunk,
                "language": cluster.witness.case.language_name,
                "features": sorted(cluster.cause.features),
                "shape": in_order(cluster.cause.shape).split(", "),
                "message": cluster.cause.message,
                "translated": cluster.witness.verdict.translated,
                "meanings": [dict(each) for each in cluster.meanings],
                "example": cluster.witness.example,
                "flaky": cluster.witness.flaky,
                "engine": cluster.witness.engine,
                "path": None if cluster.witness.path is None else str(cluster.witness.path),
                "case": case_text(cluster.witness.case),
                "variants": [
                    {
                        "cases": each.count, "features": sorted(each.cause.features),
                        "shape": in_order(each.cause.shape).split(", "),
                        "example": each.witness.example, "case": case_text(each.witness.case),
                    }
                    for each in cluster.variants
                ],
            }
            for cluster in report.clusters
        ],
    }


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "none"
