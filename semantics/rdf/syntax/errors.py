"""The symbols that a parser expected, in plain words and at their position."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lark import Lark, Token
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken
from lark.lexer import PatternStr

from ...model.errors import QueryError

_WORDS = {
    "IRIREF": "an IRI",
    "PNAME_LN": "a prefixed name",
    "PNAME_NS": "a prefix",
    "VAR": "a variable",
    "BLANK_NODE_LABEL": "a blank node",
    "INTEGER": "a number",
    "STRING_LITERAL1": "a string",
    "LANGTAG": "a language tag",
    "BUILT_IN": "a function",
    "AGGREGATE": "an aggregate",
    "NAME": "a name",
}
# Said once, by the first of their kind above.
_SAID_ELSEWHERE = ("DECIMAL", "DOUBLE", "INTEGER_", "STRING_LITERAL")
_MOST = 8
_END = "the end of the query"
_CLOSING = ("'}'", "')'", "']'")


def syntax_error(
    error: UnexpectedInput,
    parser: Lark,
    text: str,
    source: str | None,
    words: Mapping[str, str] = {},
) -> QueryError:
    """Return the QueryError that says what lark's error says.

    `words` is what a language calls its terminals; those that it calls "" go without saying.
    """
    expected: Iterable[str] = ()
    match error:
        case UnexpectedCharacters():
            expected = error.allowed or ()
            found = _word_at(text, error.pos_in_stream or 0)
        case UnexpectedToken(token=token):
            expected = _acceptable(error, parser)
            found = _found(token, text)
        case UnexpectedEOF():
            expected = error.expected
            found = _END
        case _:
            found = "input"
    line, column = _place(error, text)
    at_end = found == _END
    message = f"unexpected {'end of the query' if at_end else found}"
    told = in_words(expected, parser, words, closing_first=at_end)
    if told:
        message += f", expected {told}"
    return QueryError(message, source=source, line=line, column=column)


def _acceptable(error: UnexpectedToken, parser: Lark) -> set[str]:
    """Return the terminals that the parser could go on with.

    Lark's own list leaves out terminals that came by import, whose names are not all capitals.
    """
    stopped = error.interactive_parser
    if stopped is None:
        return set(error.expected)
    terminals = {terminal.name for terminal in parser.terminals} | {"$END"}
    accepted = set()
    choices = stopped.choices()  # type: ignore[no-untyped-call]
    for name in terminals.intersection(choices):
        attempt = stopped.copy(deepcopy_values=False)  # type: ignore[no-untyped-call]
        try:
            attempt.feed_token(Token(name, ""))
        except UnexpectedInput:
            continue
        accepted.add(name)
    return accepted


def in_words(
    terminals: Iterable[str],
    parser: Lark,
    called: Mapping[str, str] = {},
    *,
    closing_first: bool = False,
) -> str:
    """Return the terminals as a person would name them, `a, b or c`.

    `closing_first` names closing brackets before all others: at the end of a text one of them is
    what it most likely lacks.
    """
    patterns = {terminal.name: terminal.pattern for terminal in parser.terminals}
    named: set[str] = set()
    literal: set[str] = set()
    for terminal in terminals:
        name = terminal.rsplit("__", 1)[-1]
        pattern = patterns.get(terminal)
        if terminal == "$END":
            literal.add(_END)
        elif name in called:
            (literal if called[name].isupper() else named).add(called[name])
        elif name in _WORDS:
            named.add(_WORDS[name])
        elif name.startswith(_SAID_ELSEWHERE):
            continue
        elif isinstance(pattern, PatternStr):
            value = pattern.value
            literal.add(value.upper() if value.isalpha() and pattern.flags else f"'{value}'")
        else:
            named.add(name.lower().replace("_", " "))
    words = [*sorted(named), *sorted(literal, key=lambda word: (word.startswith("'"), word))]
    words = [word for word in words if word]
    if closing_first:
        words.sort(key=lambda word: word not in _CLOSING)
    if len(words) > _MOST:
        return ", ".join(words[:_MOST]) + ", …"
    if len(words) < 2:
        return "".join(words)
    return ", ".join(words[:-1]) + " or " + words[-1]


def _found(token: Token, text: str) -> str:
    if token.type == "$END":
        return _END
    return f"'{token}'" if len(token) <= 40 else f"'{token[:37]}…'"


def _word_at(text: str, offset: int) -> str:
    rest = text[offset : offset + 40]
    if not rest:
        return _END
    word = rest.split()[0] if rest.split() else rest
    if word[0].isalnum() or word[0] == "_":
        end = next((i for i, c in enumerate(word) if not (c.isalnum() or c in "_-:")), len(word))
        return f"'{word[:end]}'"
    return f"'{word[0]}'"


def _place(error: UnexpectedInput, text: str) -> tuple[int, int]:
    line, column = error.line, error.column
    if isinstance(error, UnexpectedToken) and error.token.type != "$END":
        return line, column
    if isinstance(error, UnexpectedCharacters):
        return line, column
    kept = text.rstrip()
    return kept.count("\n") + 1, len(kept) - (kept.rfind("\n") + 1) + 1
