"""N-Quads read by the block are the items, and the refusals, that are read one by one."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable, Iterator
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from denota.engine.capacities import capacities
from denota.engine.kernels.compiled import KERNELS
from denota.engine.rdf.columns.reading import read_blocks
from denota.engine.rdf.data.dictionary import Dictionary
from denota.semantics.model.errors import StreamError
from denota.semantics.model.items import Item
from denota.semantics.streams.rdf.reading import read_items

SCOPE = "s"
PROV = b"<http://www.w3.org/ns/prov#"
XSD = b"<http://www.w3.org/2001/XMLSchema#"

IRIS = [
    b"<http://e/a>", b"<http://e/b>", b"<urn:x:y>", b"<a:>", b"<http://e:80/%41?q#f>",
    b"<http://u@e/>", b"<http://e/\xc3\xa4>", b"<http://e/\\u0041>", b"<http://e/A>",
]  # fmt: skip
LABELS = [b"_:a", b"_:b0", b"_:0a", b"_:a-b", b"_:0123456789abcdef0123", b"_:a.b"]
LITERALS = [
    b'"x"', b'"x"^^' + XSD + b"string>", b'""', b'"\xc3\xa4"', b'"\\u0078"', b'"a\\"b"', b'"a\tb"',
    b'"x"@en', b'"x"@EN', b'"x"@en-us', b'"1"^^' + XSD + b"integer>", b'"01"^^' + XSD + b"integer>",
    b'"y"^^<http://e/type>', b'"y"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#HTML>',
]  # fmt: skip
WRONG = [
    b"<rel>", b"<http://e/[>", b"<http://e/%4>", b"<http://e:x/>", b"<http://e/#a#b>", b"<_:x>",
    b"<http://e/ >", b"<http://e/a", b'"x', b'"x"@', b'"x"@abcdefghij', b'"\xff"',
    b'"\xed\xa0\x80"',
    b'"x"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>', b'"x"^^<rel>', b"_:", b"5",
    b"<< <a:> <a:> <a:> >>", b'"a\rb"', b'"\\x"', b"<http://a@b@c/>", b'"x"^^"y"', b"",
]  # fmt: skip
TIMES = [
    b'"%d"^^' + XSD + b"integer>", b'"+%d"^^' + XSD + b"integer>", b'"00%d"^^' + XSD + b"integer>",
    b'"-%d"^^' + XSD + b"integer>", b'"%d"^^' + XSD + b"int>",
    b'"99999999999999999999%d"^^' + XSD + b"integer>", b'"%d"', b"<a:%d>",
    b'"2026-01-01T00:00:0%d"^^' + XSD + b"dateTime>",
    b'"2026-02-28T23:59:5%d.25Z"^^' + XSD + b"dateTime>",
    b'"2024-02-29T00:00:0%d+01:00"^^' + XSD + b"dateTime>",
    b'"1969-12-31T00:00:0%d-14:00"^^' + XSD + b"dateTimeStamp>",
    b'"2026-02-29T00:00:0%d"^^' + XSD + b"dateTime>",
    b'"2026-01-01T24:00:00"^^' + XSD + b"dateTime> #%d",
]  # fmt: skip


def _terms(usual: list[bytes], *unusual: list[bytes]) -> st.SearchStrategy[bytes]:
    first = st.sampled_from(usual)
    return st.one_of(first, first, first, *(st.sampled_from(each) for each in unusual))


SUBJECTS = _terms(IRIS[:4], IRIS, LABELS)
OBJECTS = _terms(IRIS[:4] + LITERALS[:1], LITERALS, LABELS)
NAMES = st.sampled_from(
    [b"<http://e/g%d>" % n for n in range(9)] + [b"_:g%d" % n for n in range(3)]
)
GAPS = _terms([b" "], [b"\t", b"  ", b"", b"\r", b"\x0b"])
ENDS = _terms([b" .\n"], [b".\n", b" . \r\n", b"\t. # done\n", b" .", b" . .\n", b"\n", b" .\r"])
OTHERS = st.sampled_from([
    b"\n", b"# hello\n", b"# \xff\n", b"#\r", b"\r\n", b"   \n", b"garbage\n",
    b"<a:> <a:> <a:> .\n", b"<a:> <a:> <rel> .\n", b"<a:> <urn:denota:heartbeat> \"5\" .\n",
    b"<a:> <urn:denota:empty-graph> <a:> .\n", b"\xef\xbb\xbf\n",
])  # fmt: skip


@st.composite
def times_of(draw: st.DrawFn, name: bytes, at: int) -> list[bytes]:
    """The lines that state when an item is, mostly as they should."""
    time = draw(_terms(TIMES[:1], TIMES)) % at
    properties = draw(
        _terms([b"generatedAtTime"], [b"startedAtTime endedAtTime", b"startedAtTime",
                                      b"generatedAtTime generatedAtTime",
                                      b"generatedAtTime endedAtTime"])
    )
    return [
        b"%b %b%b> %b%b" % (name, PROV, each, time, draw(ENDS)) for each in properties.split()
    ]


@st.composite
def documents(draw: st.DrawFn, wrong: bool = True) -> bytes:
    """N-Quads, mostly of the regular layout."""
    lines: list[bytes] = []
    at = 1
    for number in range(draw(st.integers(0, 6))):
        name = draw(NAMES) if draw(st.integers(0, 5)) == 0 else b"<http://e/i%d>" % number
        at += draw(st.sampled_from([0, 1, 1, 1, 1, 2, -1] if wrong else [0, 1, 2]))
        triples = draw(st.lists(st.tuples(SUBJECTS, SUBJECTS, OBJECTS), min_size=1, max_size=3))
        for s, p, o in triples:
            parts = [s, p if p[:1] == b"<" else b"<a:p>", o, name]
            if wrong and draw(st.integers(0, 30)) == 0:
                parts[draw(st.integers(0, 3))] = draw(st.sampled_from(WRONG))
            lines.append(draw(GAPS).join(parts) + draw(ENDS))
        place = draw(st.integers(0, len(triples))) or len(triples)
        lines[len(lines) - place:len(lines) - place] = draw(times_of(name, max(at, 0)))
        if draw(st.integers(0, 6)) == 0:
            lines.insert(draw(st.integers(0, len(lines))), draw(OTHERS))
    text = b"".join(lines)
    if wrong and text and draw(st.integers(0, 3)) == 0:
        place = draw(st.integers(0, len(text) - 1))
        change = draw(st.sampled_from([b"", b" ", b"\n", b"\\", b'"', b">", b"\xc3", b"\0", b"."]))
        text = text[:place] + change + text[place + draw(st.integers(0, 2)):]
    return text


def outcome(items: Iterable[Item]) -> list[Any]:
    """The items, and the error that ends them."""
    found: list[Any] = []
    try:
        for item in items:
            found.append((item, item.name))
    except StreamError as error:
        found.append((error.message, error.line, error.column, error.source))
    return found


def by_blocks(file: Any, dictionary: Dictionary) -> Iterator[Item]:
    for block in read_blocks(file, dictionary, format="nquads", scope=SCOPE):
        yield from block if isinstance(block, list) else block.items()
        if dictionary.due:
            dictionary.sweep()


@settings(max_examples=300)
@given(
    documents(), st.integers(1, 300), st.integers(1, 3), st.booleans(), st.integers(0, 60)
)
@example(b"<a:> <a:> <a:> .\n", 1, 1, False, 0)
def test_blocks_hold_the_items(
    text: bytes, chunk: int, singly: int, small: bool, compress: int
) -> None:
    def file() -> Any:
        if compress > 3:
            return io.BytesIO(text)
        packed = gzip.compress(text)  # sometimes cut off
        return gzip.GzipFile(fileobj=io.BytesIO(packed[:len(packed) - compress]))

    expected = outcome(read_items(file(), format="nquads", scope=SCOPE))
    terms = 0 if small else 1 << 14
    with capacities(chunk=chunk, singly=singly, together=singly, terms=terms), KERNELS.allowing(-1):
        assert outcome(by_blocks(file(), Dictionary())) == expected
