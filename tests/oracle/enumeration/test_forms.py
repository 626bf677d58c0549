"""SPAseq's forms of bodies, against all queries that naive loops make of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

import pytest

from denota.oracle.inputs.graphs import NAMESPACE
from denota.oracle.languages.enumeration import Bounds
from denota.oracle.languages.spaseq.enumerate import ALPHABETS
from denota.oracle.ranks.space import Space
from denota.semantics.spaseq.syntax.parse import parse
from denota.semantics.spaseq.syntax.tree import KleenePlus, Operator, SpaseqQuery

STREAM = "WITHIN 100 FROM STREAM S1 :s1 WHERE"
SLOT = re.compile(r"\?(x|y|z|other)\b")


def in_order(text: str) -> str:
    """The text with its variables called x, y, z, w in the order in which they are met."""
    met: dict[str, str] = {}
    return re.sub(r"\?(\d)", lambda v: "?" + met.setdefault(v[0], "xyzw"[len(met)]), text)


def every_body(name: str, gpms: int) -> Iterator[str]:
    """The bodies of so many GPMs, with a | between them, up to names."""
    plain, *_ = forms = ALPHABETS[name].forms
    for chosen in product(forms, repeat=gpms):
        if sum(form != plain for form in chosen) > ALPHABETS[name].most[gpms - 1]:
            continue
        slots = [list(dict.fromkeys(SLOT.findall(form))) for form in chosen]
        count = sum(map(len, slots))
        for numbers in product(map(str, range(count)), repeat=count):
            left, bodies = iter(numbers), []
            for form, own in zip(chosen, slots, strict=True):
                named = {slot: next(left) for slot in own}
                if "other" in named and named["other"] == named["x"]:
                    break
                bodies.append(SLOT.sub(lambda slot, named=named: "?" + named[slot[1]], form))
            else:
                yield in_order(" | ".join(bodies))


def every_query(name: str, sequence: str, gpms: int) -> Iterator[SpaseqQuery]:
    for text in set(every_body(name, gpms)):
        defined = " ".join(
            f"DEFINE GPM {gpm} ON S1 {{ {body} }}"
            for gpm, body in zip("AB", text.split(" | "), strict=False)
        )
        bound = sorted(set(re.findall(r"(\?\w) :p", text))) if name == "sequences" else []
        for select in ("*", *bound):
            yield parse(
                f"PREFIX : <{NAMESPACE}> SELECT {select} {STREAM} {{ SEQ({sequence}) {defined} }}"
            )


@pytest.mark.parametrize("name", ["sequences", "filters", "optionals"])
def test_every_query_once(name: str) -> None:
    space = Space.of("spaseq", Bounds(1, 0, alphabet=name))
    listed = [run.query for run in space.runs(0, space.cases) if run.operators == 1]
    pairs = [
        query for query in listed
        if [step.operator for step in query.sequence.steps] == [Operator.NEXT]
    ]
    assert len(set(pairs)) == len(pairs)
    assert set(pairs) == set(every_query(name, "A ; B", 2))
    repeated = [query for query in listed if isinstance(query.sequence.first, KleenePlus)]
    assert len(set(repeated)) == len(repeated)
    assert set(repeated) == set(every_query(name, "A+", 1))
