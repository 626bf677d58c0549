"""Throughput of checking small cases, in cases a second, and its costs by step.

    python bench/judging_speed.py [--cases 3000] [--profile]

Cases are generated as text, as in a corpus, then checked through `check_case`, which is what
`denota check` and sweeps call. Two kinds: `small` has one query for twenty streamsets, as
enumerated corpora have, `varied` a query for each.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import random
from collections.abc import Sequence
from time import process_time

from rdflib.term import URIRef

from denota.oracle.cases.case import Case, _parsed_stream, parsed_query
from denota.oracle.cases.embedded_text import Text
from denota.oracle.checking.case_checker import check_case, expectation_of
from denota.oracle.engines.engine_specs import engine

EX = "http://example.org/"
QUERY = """PREFIX : <http://example.org/>
SELECT ?x ?y WITHIN {within} FROM STREAM S1 :u1 FROM STREAM S2 :u2
WHERE {{ SEQ({sequence})
  DEFINE GPM A ON S1 {{ ?x :p ?z }}
  DEFINE GPM B ON S2 {{ ?y :q ?z }} }}
"""
SEQUENCES = ("A; B", "A, B", "A : B", "A; B+", "A & B", "A | B", "A; (A | B)", "A+")


def cases(count: int, per_query: int, seed: int) -> list[Case]:
    """Cases of two operators and four events at most, with the oracle's results."""
    chance = random.Random(seed)
    made: list[Case] = []
    while len(made) < count:
        sequence, within = chance.choice(SEQUENCES), chance.randint(2, 10 + len(made))
        query = Text(QUERY.format(sequence=sequence, within=within))
        for _ in range(per_query):
            streams = {
                URIRef(EX + name): _stream(chance, predicate)
                for name, predicate in (("u1", "p"), ("u2", "q"))
            }
            case = Case("spaseq", query, streams, prefixes={"": EX}, title=f"case {len(made)}")
            made.append(case.but(expect=expectation_of(case)))
    return made[:count]


def _stream(chance: random.Random, predicate: str) -> Text:
    lines = []
    time = 0
    for number in range(chance.randint(1, 2)):
        time += chance.randint(1, 3)
        triple = f":{chance.choice('abc')} :{predicate} :{chance.choice('kl')}"
        lines.append(f":g{number} prov:generatedAtTime {time} . :g{number} {{ {triple} }}\n")
    return Text("".join(lines))


def judged(judged_cases: Sequence[Case], name: str, *, expected: bool) -> float:
    """Cases a second of processor time; without `expected` the oracle says what to expect."""
    judged_engine = engine(name)
    given = judged_cases if expected else [case.but(expect=None) for case in judged_cases]
    began = process_time()
    for case in given:
        verdict = check_case(case, judged_engine)
        assert verdict.ok, (case.title, verdict)
    return len(given) / (process_time() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=3000)
    parser.add_argument("--profile", action="store_true", help="show where the time goes")
    arguments = parser.parse_args()
    for kind, per_query in (("small", 20), ("varied", 1)):
        for name, expected in (("oracle", True), ("production", True), ("production", False)):
            # Fresh cases each time: no run profits from what another has left in a cache.
            made = cases(arguments.cases, per_query, seed=hash((kind, name, expected)) % 1000)
            _forget()
            rate = judged(made, name, expected=expected)
            what = "against its expectation" if expected else "against the oracle"
            print(f"{kind:7} {name:11} {what:24} {rate:8.0f} cases/s")
            if arguments.profile:
                _forget()
                profile = cProfile.Profile()
                profile.runcall(judged, made, name, expected=expected)
                pstats.Stats(profile).sort_stats("tottime").print_stats(15)


def _forget() -> None:
    parsed_query.cache_clear()
    _parsed_stream.cache_clear()


if __name__ == "__main__":
    main()
