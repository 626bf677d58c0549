"""ET, the instants at which a query is evaluated: listed, or found by a report policy (Def. 5)."""

from __future__ import annotations

from ..model.errors import QueryError
from .dataset import StreamingDataset, WindowedStream
from .report_policies import closes, content_change, non_empty_content, periodic, window_close
from .syntax.evaluation import Evaluation
from .window_functions import Nested, TimeBased, Window


def evaluation_times(sds: StreamingDataset, evaluation: Evaluation) -> list[int]:
    """ET in increasing order: a query is evaluated whenever one of its windows reports."""
    if evaluation.at is not None:
        return sorted(set(evaluation.at))
    windows = sds.all_windows
    if evaluation.policy == "window-close" and not any(closes(each.window) for each in windows):
        raise QueryError("policy window-close: no window of the query ever closes")
    period = _period(windows, evaluation)
    found = {t for each in windows for t in reports(each, evaluation, period, sds.until)}
    return sorted(
        t for t in found
        if (evaluation.first is None or evaluation.first <= t)
        and (evaluation.last is None or t <= evaluation.last)
    )


def reports(
    windowed: WindowedStream, evaluation: Evaluation, period: int, until: int | None
) -> list[int]:
    """The instants at which one window reports; `until` is the time of the last item."""
    window, stream = windowed.window, windowed.stream
    match evaluation.policy:
        case "content-change":
            return content_change(window, stream)
        case "window-close":
            return window_close(window, stream, until)
        case "non-empty-content":
            return non_empty_content(window, stream)
        case "periodic":
            return periodic(window, stream, period, evaluation.start, until)


def _period(windows: tuple[WindowedStream, ...], evaluation: Evaluation) -> int:
    steps = [step for each in windows for step in _steps(each.window)]
    if evaluation.period is not None:
        return evaluation.period
    if evaluation.policy == "periodic" and not steps:
        raise QueryError("policy periodic needs a period: no window of the query has a step")
    return min(steps, default=1)


def _steps(window: Window) -> list[int]:
    match window:
        case TimeBased():
            return [window.step]
        case Nested(outer, inner):
            return _steps(outer) + _steps(inner)
    return []
