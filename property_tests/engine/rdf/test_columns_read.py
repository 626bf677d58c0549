"""N-Quads read by the block are the items, and the refusals, that are read one by one."""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

import denota
from denota.engine.kernels import KERNELS
from denota.engine.rdf.columns.block_reader import read_blocks
from denota.engine.rdf.data.dictionary import Dictionary
from denota.engine.tuning import capacities
from denota.semantics.model.errors import StreamError
from denota.semantics.model.items import Item
from denota.semantics.streams.rdf.reader import read_items

from ...examples import examples

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
PLAIN = IRIS[:4] + LABELS[:3]
NAMES = [b"<http://e/g>", b"<http://e/i1>", b"_:g", b"_:a-b", b"<http://e/\xc3\xa4>"]
CHANGES = [b"", b" ", b"\n", b"\\", b'"', b">", b"\xc3", b"\0", b"."]
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


OTHERS = [
    b"\n", b"# hello\n", b"# \xff\n", b"#\r", b"\r\n", b"   \n", b"garbage\n",
    b"<a:> <a:> <rel> .\n", b"<a:> <urn:denota:heartbeat> \"5\" .\n",
    b"<a:> <urn:denota:empty-graph> <a:> .\n", b"\xef\xbb\xbf\n",
]  # fmt: skip
PROPERTIES = [
    b"startedAtTime endedAtTime", b"startedAtTime", b"generatedAtTime generatedAtTime",
    b"generatedAtTime endedAtTime",
]  # fmt: skip


class Writer:
    """Writes N-Quads of the regular layout, but for every so many choices."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._every = draw(st.sampled_from([0, 60, 20, 6]))

    def odd(self) -> bool:
        """Whether the next choice is an unusual one."""
        return self._every > 0 and self._draw(st.integers(1, self._every)) == 1

    def one_of(self, usual: list[bytes], unusual: list[bytes]) -> bytes:
        return self._draw(st.sampled_from(unusual if self.odd() else usual))

    def term(self, usual: list[bytes], unusual: list[bytes]) -> bytes:
        return self._draw(st.sampled_from(WRONG)) if self.odd() and self.odd() else self.one_of(
            usual, unusual
        )

    def line(self, *parts: bytes) -> bytes:
        gap = self.one_of([b" "], [b"\t", b"  ", b"", b"\r", b"\x0b"])
        ends = [b".\n", b" . \r\n", b"\t. # done\n", b" .", b" . .\n", b"\n", b" .\r"]
        return gap.join(parts) + self.one_of([b" .\n"], ends)

    def times(self, name: bytes, at: int) -> list[bytes]:
        """The lines that state when an item is."""
        time = self.one_of(self._times, TIMES) % at
        properties = self.one_of([b"generatedAtTime"], PROPERTIES)
        return [
            self.line(name, b"%b%b>" % (PROV, each), time)
            for each in properties.split()
        ]

    def item(self, number: int, at: int) -> list[bytes]:
        name = self.one_of([b"<http://e/i%d>" % number], NAMES)
        lines = [
            self.line(
                self.term(PLAIN, IRIS + LABELS), self.term(IRIS[:4], IRIS),
                self.term(PLAIN + LITERALS[:4], IRIS + LABELS + LITERALS), name,
            )
            for _ in range(self._draw(st.integers(1, 3)))
        ]
        place = self._draw(st.integers(0, len(lines)))
        if 0 < place < len(lines) and not self.odd():
            place = 0
        lines[place:place] = self.times(name, at)
        if self.odd():
            lines.insert(self._draw(st.integers(0, len(lines))), self.one_of(OTHERS, OTHERS))
        return lines

    def document(self) -> bytes:
        self._times = self._draw(st.sampled_from([TIMES[:1], TIMES[:1], TIMES[8:9]]))
        at = 1
        lines: list[bytes] = []
        for number in range(self._draw(st.integers(0, 7))):
            at += self._draw(st.sampled_from([0, 1, 1, 2])) - 2 * self.odd()
            lines += self.item(number, max(at, 0))
        text = b"".join(lines)
        if text and self.odd() and self.odd():
            place = self._draw(st.integers(0, len(text) - 1))
            change = self.one_of(CHANGES, CHANGES)
            text = text[:place] + change + text[place + self._draw(st.integers(0, 2)):]
        return text


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    """N-Quads, mostly of the regular layout."""
    return Writer(draw).document()


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


@examples(300)
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


QUERY = """
SELECT ?s ?o ?z
WITHIN 3
FROM STREAM S <http://e/S>
FROM STREAM T <http://e/T>
WHERE {
  SEQ(A%s B)
  DEFINE GPM A ON S { ?s ?p ?o }
  DEFINE GPM B ON %s { ?s ?q ?z }
}
"""


@examples(150)
@given(st.data(), st.lists(documents(), min_size=1, max_size=2), st.integers(1, 300))
def test_a_run_over_files_is_what_it_is_item_by_item(
    data: st.DataObject, texts: list[bytes], chunk: int
) -> None:
    operator = data.draw(st.sampled_from([";", ":", ","]))
    query = denota.parse(QUERY % (operator, data.draw(st.sampled_from("ST"))))
    ties = data.draw(st.sampled_from(["merge", "sequence", "sequence", "error"]))

    def results() -> list[Any]:
        found = []
        try:
            for pair in denota.run(query, files, readings={"ties": ties}):
                solutions = sorted(map(repr, pair.solutions))
                found.append((pair.time, pair.rank, f"{pair.window} {solutions}"))
        except denota.DenotaError as error:
            found.append((0, 0, str(error)))
        # Each document has a scope of blank nodes of its own. Of one instant, pairs have no order.
        plain = [(time, rank, re.sub(r"\bd\d+_", "d_", each)) for time, rank, each in found]
        return [sorted(some) for _, some in groupby(plain, key=lambda each: each[:2])]

    with TemporaryDirectory() as folder:
        files = {}
        for name, text in zip("ST", texts, strict=False):
            files[f"http://e/{name}"] = str(Path(folder, f"{name}.nq"))
            Path(folder, f"{name}.nq").write_bytes(text)
        with capacities(large=1 << 60):
            expected = results()
        sizes = {"chunk": chunk, "singly": 1, "together": 2, "handed_first": 1}
        with capacities(large=0, **sizes), KERNELS.allowing(-1):
            assert results() == expected
