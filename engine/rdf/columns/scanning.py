"""Lines of N-Quads, as far as they are plain: where their terms begin and end.

What is not plainly regular is not judged here: a line that these kernels do not take may be right
or wrong, for pyoxigraph to say. What they take, pyoxigraph takes, and as the same terms.
"""

from __future__ import annotations

import string
from typing import Any

import numpy as np

from ...kernels import compiled
from ..data.tokens import RDF, Numbers
from ..data.words import Bytes, are_equal, place_of

# What a character may be part of.
BODY, SCHEME, HOST, DIGIT, LABEL, HEX, LETTER, LOWER = (1 << bit for bit in range(8))


def _classes() -> Bytes:
    found = np.zeros(256, np.uint8)
    unreserved = string.ascii_letters + string.digits + "-._~!$&'()*+,;="
    for kind, characters in (
        (BODY, unreserved + ":@/"),
        (SCHEME, string.ascii_letters + string.digits + "+-."),
        (HOST, unreserved),
        (DIGIT, string.digits),
        (LABEL, string.ascii_letters + string.digits + "_"),
        (HEX, string.hexdigits),
        (LETTER, string.ascii_letters),
        (LOWER, string.ascii_lowercase),
    ):
        for character in characters:
            found[ord(character)] |= kind
    return found


CLASSES = _classes()
XSD_STRING = np.frombuffer(b"^^<http://www.w3.org/2001/XMLSchema#string>", np.uint8).copy()
RDF_NAMESPACE = np.frombuffer(RDF.encode(), np.uint8).copy()
LONGEST_LABEL = 19

# Of each of a line's terms: where it begins and ends, and where the quotation mark of a literal
# that ends its lexical form stands (0: it is none); then how many terms there are.
START, END, QUOTE = 0, 1, 2
SPAN = 3
TERMS = 4 * SPAN


@compiled
def is_plain_iri(data: Bytes, start: int, end: int, classes: Bytes) -> bool:
    """Whether the text is an absolute IRI that is plain (see `data.tokens`)."""
    at = start
    if at == end or not classes[data[at]] & LETTER:
        return False
    while at < end and classes[data[at]] & SCHEME:
        at += 1
    if at == end or data[at] != 58:  # :
        return False
    at += 1
    if at + 1 < end and data[at] == 47 and data[at + 1] == 47:  # //
        at += 2
        while at < end and classes[data[at]] & HOST:
            at += 1
        if at < end and data[at] == 58:
            at += 1
            while at < end and classes[data[at]] & DIGIT:
                at += 1
        if at < end and data[at] != 47 and data[at] != 63 and data[at] != 35:
            return False
    fragment = False
    while at < end:
        c = data[at]
        if classes[c] & BODY:
            at += 1
        elif c == 37:  # %
            if at + 2 >= end or not classes[data[at + 1]] & HEX or not classes[data[at + 2]] & HEX:
                return False
            at += 3
        elif c == 63:  # ?
            at += 1
        elif c == 35 and not fragment:  # #
            fragment = True
            at += 1
        else:
            return False
    return True


@compiled
def is_utf8(data: Bytes, start: int, end: int) -> bool:
    """Whether the bytes are well-formed (Unicode, table 3-7)."""
    at = start
    while at < end:
        c = int(data[at])
        at += 1
        if c < 0x80:
            continue
        if c < 0xC2 or c > 0xF4:
            return False
        more = 1 if c < 0xE0 else (2 if c < 0xF0 else 3)
        if at + more > end:
            return False
        low, high = 0x80, 0xBF
        if c == 0xE0:
            low = 0xA0
        elif c == 0xED:
            high = 0x9F
        elif c == 0xF0:
            low = 0x90
        elif c == 0xF4:
            high = 0x8F
        for _ in range(more):
            following = int(data[at])
            if following < low or following > high:
                return False
            low, high = 0x80, 0xBF
            at += 1
    return True


@compiled
def is_plain(
    data: Bytes, start: int, end: int, quote: int, classes: Bytes, namespace: Bytes
) -> bool:
    """Whether a term that has been scanned is plain; `quote` is as in `spans`."""
    if quote == 0:
        return data[start] != 60 or is_plain_iri(data, start + 1, end - 1, classes)
    if place_of(data, start, quote, 92) < quote or place_of(data, start, quote, 13) < quote:
        return False
    if not is_utf8(data, start + 1, quote):
        return False
    if end == quote + 1 or data[quote + 1] == 64:  # @
        return True
    begin = quote + 4  # "^^<
    if not is_plain_iri(data, begin, end - 1, classes):
        return False
    # rdf:langString is no datatype of a literal without a language.
    return end - 1 - begin < len(namespace) or not are_equal(
        namespace, 0, len(namespace), data, begin
    )


@compiled
def scan_term(
    data: Bytes, start: int, end: int, place: int, spans: Numbers, classes: Bytes,
    xsd_string: Bytes,
) -> Any:
    """Where the term that begins here has been read to; -1 if it is irregular."""
    quote = 0
    first = data[start]
    if first == 60:  # <
        at = place_of(data, start, end, 62) + 1
        if at > end:
            return -1
        stop = at
    elif first == 34:  # "
        quote = place_of(data, start + 1, end, 34)
        if quote == end:
            return -1
        at = quote + 1
        stop = at
        if at < end and data[at] == 64:  # @
            at += 1
            while at < end and classes[data[at]] & LOWER:
                at += 1
            if at - stop < 3 or at - stop > 4:
                return -1
            if at == end or (data[at] != 32 and data[at] != 9):
                return -1
            stop = at
        elif at < end and data[at] == 94:  # ^^<
            if at + 2 >= end or data[at + 1] != 94 or data[at + 2] != 60:
                return -1
            at = place_of(data, at, end, 62) + 1
            if at > end:
                return -1
            long = len(xsd_string)
            if at - stop != long or not are_equal(xsd_string, 0, long, data, stop):
                stop = at
    elif first == 95:  # _
        at = start + 2
        if at >= end or data[start + 1] != 58:
            return -1
        while at < end and classes[data[at]] & LABEL:
            at += 1
        if at == start + 2 or at - start - 2 > LONGEST_LABEL:
            return -1
        if at == end or (data[at] != 32 and data[at] != 9):
            return -1
        stop = at
    else:
        return -1
    spans[place * SPAN + START] = start
    spans[place * SPAN + END] = stop
    spans[place * SPAN + QUOTE] = quote
    return at


@compiled
def scan_line(
    data: Bytes, at: int, whole: int, spans: Numbers, classes: Bytes, xsd_string: Bytes
) -> Any:
    """Where the next line begins; -1 if this one is irregular.

    The terms of the line are told in `spans`; an empty line has none.
    """
    feed = place_of(data, at, whole, 10)
    end = feed
    if end > at and data[end - 1] == 13:
        if feed == whole:
            return -1
        end -= 1
    number = 0
    while at < end and (data[at] == 32 or data[at] == 9):
        at += 1
    while at < end and number < 4 and data[at] != 46:
        at = scan_term(data, at, end, number, spans, classes, xsd_string)
        if at < 0:
            return -1
        number += 1
        while at < end and (data[at] == 32 or data[at] == 9):
            at += 1
    spans[TERMS] = number
    if number > 0:
        if number < 3 or at == end or data[at] != 46:
            return -1
        at += 1
        # A literal stands as the object only; the predicate is an IRI.
        if spans[QUOTE] != 0 or data[spans[SPAN + START]] != 60:
            return -1
        if number == 4 and spans[3 * SPAN + QUOTE] != 0:
            return -1
        while at < end and (data[at] == 32 or data[at] == 9):
            at += 1
    if at < end:
        return -1
    return feed + 1 if feed < whole else whole
