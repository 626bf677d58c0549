"""The text of a document, read in large pieces, by kernels and line by line in turn."""

from __future__ import annotations

from codecs import BOM_UTF8
from typing import Any

_PIECE = 1 << 16


class LineText:
    """What has been read of a document and not passed over, with the number of lines before it.

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
        """Whether `data` goes up to the document's end."""
        self.can_go_on = True
        """Whether lines end where a line feed is, and nowhere else, for pyoxigraph too."""

    @property
    def finished(self) -> bool:
        """Whether nothing is left."""
        return self.ended and not self.data

    @property
    def failed(self) -> bool:
        """Whether what comes next cannot be read."""
        return self._failed is not None

    @property
    def begin(self) -> int:
        """Where the first line begins: after a byte order mark."""
        return len(BOM_UTF8) if not self.lines and self.data.startswith(BOM_UTF8) else 0

    @property
    def whole_lines(self) -> int:
        """Where the last line ends that is there as a whole."""
        return len(self.data) if self.ended else self.data.rfind(b"\n") + 1

    def fill(self, size: int) -> None:
        """Reads so many bytes, or as many as there are."""
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
        """Forgets what has been read, up to the beginning of a line."""
        self.lines += self.data.count(b"\n", 0, end)
        self.data = self.data[end:]

    # --- line by line ----------------------------------------------------------------------------

    def start(self) -> None:
        """Begins to read line by line."""
        self._at = self._line = 0
        self._inside = False

    def readline(self, size: int = -1, /) -> bytes:
        """The next line, or a piece of it."""
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
        """Goes back to the beginning of the last line, and forgets what was before."""
        self.pass_over(self._line)

    def finish(self) -> None:
        """All has been read."""
        self.pass_over(len(self.data))
