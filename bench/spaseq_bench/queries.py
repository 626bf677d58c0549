"""Queries in the shape of the paper's (Section 4 and Appendix A), and the same in EP-SPARQL.

`contiguity` is SPAseq's operator between the elements of the sequence: `,` is strict contiguity,
`;` skip-till-next, `:` skip-till-any. Windows are seconds.
"""

from __future__ import annotations

from .data import EX

_STEPS = "abcdefg"
_RISES = ("", "?bp > ?ap", "?cp < ?bp", "?dp > ?bp", "?ep < ?dp && ?ep > ?cp",
          "?fp > ?ep && ?fp < ?dp", "?gp < ?fp && ?gp > ?ep")  # fmt: skip
_TRADE = "?{step} :company ?company ; :price ?{step}p ; :volume ?{step}v ."


def _spaseq(
    select: str, window: int, streams: str, sequence: str, definitions: list[tuple[str, str, str]]
) -> str:
    given = " ".join(f"FROM STREAM {name} :{name}" for name in streams.split())
    defined = "\n".join(
        f"DEFINE GPM {name} ON {stream} {{ {pattern} }}" for name, stream, pattern in definitions
    )
    return (
        f"PREFIX : <{EX}>\nSELECT {select} WITHIN {window} {given}\n"
        f"WHERE {{ SEQ({sequence})\n{defined} }}"
    )


def _filtered(pattern: str, condition: str) -> str:
    return f"{pattern} FILTER ({condition})" if condition else pattern


def stock_market(
    window: int, contiguity: str, steps: int = 3, *, kleene: bool = False, register: bool = False
) -> str:
    """Q3, Q4: prices that rise, fall (V) and go on as head and shoulders do, of one company."""
    names = [step.upper() for step in _STEPS[:steps]]
    sequence = f"{contiguity} ".join(names)
    if kleene:
        sequence = sequence.replace("B", "B+", 1)
    definitions = [
        (step.upper(), "stocks", _filtered(_TRADE.format(step=step), condition))
        for step, condition in zip(_STEPS[:steps], _RISES, strict=False)
    ]
    if register:
        name, stream, pattern = definitions[-1]
        known = "GRAPH :register { ?company :name ?name ; :address ?address }"
        definitions[-1] = name, stream, f"{pattern} {known}"
    select = "?company " + " ".join(f"?{step}p" for step in _STEPS[:steps])
    return _spaseq(select, window, "stocks", sequence, definitions)


def smart_home(window: int, contiguity: str) -> str:
    """Q1: three streams, constant filters."""
    low = "?{0} :house ?house ; :value ?{0}v . FILTER (?{0}v < {1})"
    return _spaseq(
        "?house ?av ?bv ?cv", window, "power storage weather",
        f"{contiguity} ".join("ABC"),
        [("A", "power", low.format("a", 100)), ("B", "storage", low.format("b", 200)),
         ("C", "weather", low.format("c", 200))],
    )  # fmt: skip


def credit_cards(window: int, contiguity: str, *, register: bool = False) -> str:
    """Q2: a big payment after a small one of the same card."""
    after = "?b :card ?card ; :amount ?ba . FILTER (?ba >= 100 * ?aa)"
    if register:
        after += " GRAPH :register { ?card :holder ?holder ; :bank ?bank }"
    return _spaseq(
        "?card ?aa ?ba", window, "payments", f"A{contiguity} B",
        [("A", "payments", "?a :card ?card ; :amount ?aa . FILTER (?aa > 0)"),
         ("B", "payments", after)],
    )  # fmt: skip


def traffic(window: int, contiguity: str) -> str:
    """Q5: after much traffic at one place, more at two others at one instant."""
    return _spaseq(
        "?av ?bv ?cv", window, "traffic1 traffic2 traffic3", f"A{contiguity} (B & C)",
        [("A", "traffic1", "?a :road ?ar ; :value ?av . FILTER (?av > 5)"),
         ("B", "traffic2", "?b :road ?br ; :value ?bv . FILTER (?bv >= ?av)"),
         ("C", "traffic3", "?c :road ?cr ; :value ?cv . FILTER (?cv >= ?bv)")],
    )  # fmt: skip


def _epsparql(select: str, parts: list[str], filters: list[str], window: int) -> str:
    where = " SEQ ".join(f"{{ {part} }}" for part in parts)
    limit = f"getDURATION() < {window}"
    conditions = " ".join(f"FILTER ({each})" for each in [*filter(None, filters), limit])
    return (
        f"PREFIX : <{EX}>\nSELECT {select}\nWHERE {where} {conditions}"
    )


def stock_market_in_epsparql(window: int, steps: int = 3) -> str:
    """The same in EP-SPARQL; its policies say which of the answers there are."""
    return _epsparql(
        "?company " + " ".join(f"?{step}p" for step in _STEPS[:steps]),
        [_TRADE.format(step=step) for step in _STEPS[:steps]], list(_RISES[:steps]), window,
    )


def smart_home_in_epsparql(window: int) -> str:
    kinds = (("a", "power", 100), ("b", "storage", 200), ("c", "weather", 200))
    parts = [
        f"?{name} :house ?house ; :value ?{name}v ; :kind :{kind} . FILTER (?{name}v < {low})"
        for name, kind, low in kinds
    ]
    return _epsparql("?house ?av ?bv ?cv", parts, [], window)


def credit_cards_in_epsparql(window: int) -> str:
    return _epsparql(
        "?card ?aa ?ba",
        ["?a :card ?card ; :amount ?aa", "?b :card ?card ; :amount ?ba"],
        ["?ba >= 100 * ?aa"], window,
    )


def traffic_in_epsparql(window: int) -> str:
    return _epsparql(
        "?av ?bv ?cv",
        ["?a :kind :traffic1 ; :value ?av . FILTER (?av > 5)",
         "{ ?b :kind :traffic2 ; :value ?bv } EQUALS { ?c :kind :traffic3 ; :value ?cv }"],
        ["?bv >= ?av", "?cv >= ?bv"], window,
    )  # fmt: skip
