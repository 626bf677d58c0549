"""The queries of CORE's stock market experiments (appendices D and G)."""

from __future__ import annotations

_NAMES = (
    "INTC", "RIMM", "QQQ", "IPIX", "AMAT", "CSCO", "YHOO", "DELL", "ORCL", "MSFT", "INTC", "RIMM",
)  # fmt: skip
_TYPES = ("SELL", "BUY", "BUY")


def _sequence(length: int, *, ending: bool = False, within: int = 10_000) -> str:
    """Sn, or Sn' with an event at the end that never comes."""
    steps = [f"{_TYPES[i % 3]} AS T{i + 1}" for i in range(length)]
    filters = [f"T{i + 1}[name = '{_NAMES[i % 12]}']" for i in range(length)]
    if ending:
        steps.append("BUY AS NE")
        filters.append("NE[name = 'NotExists']")
    return (
        f"SELECT * FROM S WHERE {' ; '.join(steps)} FILTER {' AND '.join(filters)}"
        f" WITHIN {within} [stock_time]"
    )


def _four(middle: str, *, prices: bool = False, partition: bool = False) -> str:
    filters = ["msft[name = 'MSFT']", "oracle[name = 'ORCL']", "csco[name = 'CSCO']"]
    filters.append("amat[name = 'AMAT']")
    if prices:
        filters += ["msft[price > 26.0]", "oracle[price > 11.14]", "amat[price >= 18.92]"]
    clauses = ("PARTITION BY [volume]", "CONSUME BY ANY") if partition else ("", "")
    return (
        f"SELECT * FROM S WHERE SELL AS msft ; {middle} AS oracle ; {middle} AS csco ;"
        f" SELL AS amat FILTER {' AND '.join(filters)} {clauses[0]} WITHIN 30000 [stock_time]"
        f" {clauses[1]}"
    )


_LENGTHS = (3, 6, 9, 12, 24)
_EITHER = "(BUY OR SELL)"

QUERIES: dict[str, str] = {
    **{f"S{n}": _sequence(n) for n in _LENGTHS},
    **{f"S{n}'": _sequence(n, ending=True) for n in _LENGTHS},
    **{f"S3' {k}×": _sequence(3, ending=True, within=k * 10_000) for k in (2, 3, 4)},
    "Q1": _four("BUY"),
    "Q2": _four("BUY", prices=True),
    "Q3": _four("BUY", partition=True),
    "Q4": _four(_EITHER),
    "Q5": _four(_EITHER, prices=True),
    "Q6": _four(_EITHER, partition=True),
    "Q7": (
        "SELECT * FROM S WHERE SELL AS msft ; (BUY OR SELL)+ AS qqq ; SELL AS amat"
        " FILTER msft[name = 'MSFT'] AND qqq[name = 'QQQ'] AND qqq[volume = 4000]"
        " AND amat[name = 'AMAT'] WITHIN 30000 [stock_time]"
    ),
}




def _test(query: str, *, strategy: str = "", consume: str = "ANY", within: int = 10_000) -> str:
    """A query of CORE's own tests: as one of the paper's, but for what is said here."""
    text = QUERIES[query][: QUERIES[query].index(" WITHIN")].replace("SELECT", f"SELECT {strategy}")
    return f"{text} WITHIN {within} [stock_time] CONSUME BY {consume}"


CORE_TESTS: dict[str, str] = {
    "Q1, any": _test("Q1"),
    "Q2, any": _test("Q2"),
    "Q4, any": _test("Q4"),
    "Q4": _test("Q4", consume="NONE"),
    "Q5": _test("Q5", consume="NONE"),
    "S6": _test("S6", consume="NONE"),
    "S9, any": _test("S9"),
    "S24, any": _test("S24"),
    "S6', any": _test("S6'"),
    "S6'": _test("S6'", consume="NONE"),
    "S3', last": _test("S3'", strategy="LAST", consume="NONE"),
}
"""The eleven of its tests on stocks (CONSUME BY ANY, except where nothing is consumed)."""


def within_events(events: int) -> str:
    """S3' with a window of so many events."""
    query = QUERIES["S3'"]
    return query[: query.index(" WITHIN")] + f" WITHIN {events} EVENTS"
