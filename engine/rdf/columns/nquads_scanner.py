"""The N-Quads scanner: a buffer of lines, the positions of their terms, and timestamps.

What is not plainly regular is not judged here: a line that these kernels do not take may be right
or wrong, for pyoxigraph to say. What they take, pyoxigraph takes, and as the same terms.
"""

from __future__ import annotations

import string
from codecs import BOM_UTF8
from typing import Any

import numpy as np

from ....semantics.model.time import TimeKind
from ...kernels import compiled
from ..data.tokens import RDF, Bytes, Numbers, are_equal, place_of

_PIECE = 1 << 16


class LineText:
    """A document's text that has been read and not skipped, with the number of lines before it.

    What goes wrong when bytes are read is raised when they are needed, as for one who asks for one
    line after the other.
    """

    def __init__(self, file: Any) -> None:
        self._some = getattr(file, "read1", None) or file.read
        self._failed: BaseException | None = None
        self._at = 0
        self._line = 0
        self._inside = False
        self.data = b""
        self.lines = 0
        self.ended = False
        """True if `data` reaches the document's end."""
        self.can_go_on = True
        """True if lines end where a line feed is, and nowhere else, for pyoxigraph too."""

    @property
    def finished(self) -> bool:
        """True if no text is left."""
        return self.ended and not self.data

    @property
    def failed(self) -> bool:
        """True if the next text cannot be read."""
        return self._failed is not None

    @property
    def begin(self) -> int:
        """The offset of the first line: after a byte order mark."""
        return len(BOM_UTF8) if not self.lines and self.data.startswith(BOM_UTF8) else 0

    @property
    def whole_lines(self) -> int:
        """The offset of the end of the last complete line."""
        return len(self.data) if self.ended else self.data.rfind(b"\n") + 1

    def fill(self, size: int) -> None:
        """Read that many bytes, or as many as there are."""
        pieces = [self.data]
        while size > 0 and not self.ended and self._failed is None:
            try:
                piece = self._some(size)
            except Exception as error:  # of whatever kind: it is raised later
                self._failed = error
                break
            self.ended = not piece
            pieces.append(piece)
            size -= len(piece)
        if len(pieces) > 1:
            self.data = b"".join(pieces)

    def pass_over(self, end: int) -> None:
        """Discard the bytes read, up to the beginning of a line."""
        self.lines += self.data.count(b"\n", 0, end)
        self.data = self.data[end:]

    # --- line by line ----------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to read line by line."""
        self._at = self._line = 0
        self._inside = False

    def readline(self, size: int = -1, /) -> bytes:
        """Return the next line, or a piece of it."""
        if not self._inside:
            self._line = self._at
        while True:
            end = self.data.find(b"\n", self._at) + 1
            if end:
                break
            if self.ended or 0 <= size <= len(self.data) - self._at:
                end = len(self.data)
                break
            self._more()
        end = min(end, self._at + size) if size >= 0 else end
        piece = self.data[self._at:end]
        self._at = end
        self._inside = bool(piece) and not piece.endswith(b"\n")
        if piece.count(b"\r") > piece.endswith(b"\r\n"):
            self.can_go_on = False
        return piece

    def _more(self) -> None:
        if self._failed is not None:
            raise self._failed
        passed = self._line
        self.pass_over(passed)
        self._at -= passed
        self._line = 0
        self.fill(_PIECE)

    def unread_line(self) -> None:
        """Go back to the beginning of the last line, and discard everything before it."""
        self.pass_over(self._line)

    def finish(self) -> None:
        """Mark the end of the input."""
        self.pass_over(len(self.data))


# What `parse_instant` finds: the instant, and what it counts.
INSTANT, KIND = 0, 1
INTEGER, DATETIME = 0, 1
KINDS = (TimeKind.INTEGER, TimeKind.DATETIME)

_MOST_DIGITS = 18
_XSD = b'"^^<http://www.w3.org/2001/XMLSchema#'
INTEGER_TYPE = np.frombuffer(_XSD + b"integer>", np.uint8).copy()
DATETIME_TYPE = np.frombuffer(_XSD + b"dateTime>", np.uint8).copy()


@compiled
def parse_instant(
    data: Bytes, start: int, quote: int, end: int, integer: Bytes, datetime: Bytes, found: Numbers
) -> bool:
    """Return True if a literal is a time that is plainly regular.

    `start` is after its first mark.
    """
    if end - quote == len(integer) and are_equal(integer, 0, len(integer), data, quote):
        at = start
        negative = at < quote and data[at] == 45
        if negative:
            at += 1
        if at == quote or quote - at > _MOST_DIGITS:
            return False
        value = digits(data, at, quote)
        if value < 0:
            return False
        found[INSTANT] = -value if negative else value
        found[KIND] = INTEGER
        return True
    long = len(datetime)
    if end - quote != long or not are_equal(datetime, 0, long, data, quote) or quote - start < 19:
        return False
    found[KIND] = DATETIME
    return parse_datetime(data, start, quote, found)


@compiled
def digits(data: Bytes, start: int, end: int) -> int:
    """Return the number that digits write; -1 if they are none."""
    value = 0
    for at in range(start, end):
        digit = int(data[at]) - 48
        if digit < 0 or digit > 9:
            return -1
        value = value * 10 + digit
    return value


@compiled
def parse_datetime(data: Bytes, start: int, end: int, found: Numbers) -> bool:
    """YYYY-MM-DDThh:mm:ss with at most six digits of a second, in UTC or so many hours off."""
    year, month = digits(data, start, start + 4), digits(data, start + 5, start + 7)
    day, hour = digits(data, start + 8, start + 10), digits(data, start + 11, start + 13)
    minute, second = digits(data, start + 14, start + 16), digits(data, start + 17, start + 19)
    if data[start + 4] != 45 or data[start + 7] != 45 or data[start + 10] != 84:
        return False
    if data[start + 13] != 58 or data[start + 16] != 58:
        return False
    if year < 1 or month < 1 or month > 12 or day < 1:
        return False
    if hour < 0 or hour > 23 or minute < 0 or minute > 59 or second < 0 or second > 59:
        return False
    leap = (year % 4 == 0 and year % 100 != 0) or year % 400 == 0
    longest = 31
    if month == 2:
        longest = 29 if leap else 28
    elif month == 4 or month == 6 or month == 9 or month == 11:
        longest = 30
    if day > longest:
        return False
    at = start + 19
    micro = 0
    if at < end and data[at] == 46:
        begin = at + 1
        at = begin
        while at < end and data[at] >= 48 and data[at] <= 57:
            at += 1
        if at == begin or at - begin > 6:
            return False
        micro = digits(data, begin, at)
        for _ in range(6 - (at - begin)):
            micro *= 10
    offset = 0
    if at < end and data[at] == 90:  # Z
        at += 1
    elif at + 6 == end and (data[at] == 43 or data[at] == 45) and data[at + 3] == 58:
        hours, minutes = digits(data, at + 1, at + 3), digits(data, at + 4, at + 6)
        if hours < 0 or minutes < 0 or minutes > 59 or hours * 60 + minutes > 14 * 60:
            return False
        offset = hours * 60 + minutes
        if data[at] == 45:
            offset = -offset
        at = end
    if at != end:
        return False
    # Days since 1970-01-01 in the proleptic Gregorian calendar: years begin in March.
    years = year - 1 if month <= 2 else year
    months = month + 9 if month <= 2 else month - 3
    days = 365 * years + years // 4 - years // 100 + years // 400
    days += (153 * months + 2) // 5 + day - 1 - 719468
    seconds = ((days * 24 + hour) * 60 + minute - offset) * 60 + second
    found[INSTANT] = seconds * 1000000 + micro
    return True


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
    """Return True if the text is an absolute IRI that is plain (see `data.tokens`)."""
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
    """Return True if the bytes are well-formed (Unicode, table 3-7)."""
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
    """Return True if a scanned term is plain; `quote` is as in `spans`."""
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
    """Return the end of the term that begins here; -1 if it is irregular."""
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
    """Return the offset of the next line; -1 if this one is irregular.

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
