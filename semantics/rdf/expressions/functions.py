"""The built-in functions that take terms to a term (SPARQL 1.1 Query, 17.4).

One function a section, its docstring the section's number. The functional forms (BOUND, IF,
COALESCE, the logical connectives, IN, EXISTS), which look at expressions, are in `expressions`.
"""

from __future__ import annotations

import hashlib
import random
import re
import uuid
from collections.abc import Callable
from urllib.parse import quote

from rdflib.term import BNode, Literal, URIRef

from ...model.iris import resolve
from ...model.terms import Term, literal
from . import arithmetic
from .arithmetic import is_number
from .context import Context
from .operators import ExpressionError, numeric
from .regular_expressions import RegularExpressionError, compiled, replacement
from .values import (
    RDF_LANG_STRING,
    XSD_STRING,
    DateTime,
    LanguageString,
    boolean,
    day_time_duration,
    number,
    value_of,
    zone_text,
)

_ABSOLUTE_IRI = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*:[^<>"{}|^`\\\x00-\x20]*')

# --- 17.4.1 functional forms (the one that takes terms) ----------------------------------------


def same_term(_: Context, a: Term, b: Term) -> Term:
    """17.4.1.8 sameTerm"""
    return boolean(a == b)


# --- 17.4.2 functions on RDF terms --------------------------------------------------------------


def is_iri(_: Context, term: Term) -> Term:
    """17.4.2.1 isIRI"""
    return boolean(isinstance(term, URIRef))


def is_blank(_: Context, term: Term) -> Term:
    """17.4.2.2 isBlank"""
    return boolean(isinstance(term, BNode))


def is_literal(_: Context, term: Term) -> Term:
    """17.4.2.3 isLiteral"""
    return boolean(isinstance(term, Literal))


def is_numeric(_: Context, term: Term) -> Term:
    """17.4.2.4 isNumeric: an ill-typed literal is none"""
    return boolean(isinstance(term, Literal) and is_number(value_of(term)))


def str_(_: Context, term: Term) -> Term:
    """17.4.2.5 str: the lexical form, or an IRI's text"""
    if isinstance(term, BNode):
        raise ExpressionError("a blank node has no string")
    return literal(str(term))


def lang(_: Context, term: Term) -> Term:
    """17.4.2.6 lang"""
    return literal(_literal(term).language or "")


def datatype(_: Context, term: Term) -> Term:
    """17.4.2.7 datatype"""
    given = _literal(term)
    if given.language is not None:
        return URIRef(RDF_LANG_STRING)
    return URIRef(XSD_STRING) if given.datatype is None else given.datatype


def iri(context: Context, term: Term) -> Term:
    """17.4.2.8 IRI"""
    if isinstance(term, URIRef):
        return term
    text = resolve(_simple(term), context.execution.base)
    if not _ABSOLUTE_IRI.fullmatch(text):
        raise ExpressionError("{} does not name an absolute IRI", term)
    return URIRef(text)


def bnode(context: Context, label: Term | None = None) -> Term:
    """17.4.2.9 BNODE: one node a label and solution"""
    if label is None:
        return BNode()
    return context.labels.setdefault(_simple(label), BNode())


def strdt(_: Context, lexical: Term, kind: Term) -> Term:
    """17.4.2.10 STRDT"""
    text = _simple(lexical)
    if not isinstance(kind, URIRef):
        raise ExpressionError("{} is no datatype IRI", kind)
    return literal(text, str(kind))


_LANGUAGE_TAG = re.compile("[a-zA-Z]+(?:-[a-zA-Z0-9]+)*")
"""LANGTAG of the grammar, without its @: no other tag can be written."""


def strlang(_: Context, lexical: Term, tag: Term) -> Term:
    """17.4.2.11 STRLANG"""
    text, language = _simple(lexical), _simple(tag)
    if not _LANGUAGE_TAG.fullmatch(language):
        raise ExpressionError("not a language tag")
    return literal(text, language=language)


def uuid_(_: Context) -> Term:
    """17.4.2.12 UUID"""
    return URIRef(f"urn:uuid:{uuid.uuid4()}")


def struuid(_: Context) -> Term:
    """17.4.2.13 STRUUID"""
    return literal(str(uuid.uuid4()))


# --- 17.4.3 functions on strings ----------------------------------------------------------------


def strlen(_: Context, text: Term) -> Term:
    """17.4.3.2 STRLEN, in characters"""
    return number(len(_string(text)[0]))


def substr(_: Context, text: Term, start: Term, length: Term | None = None) -> Term:
    """17.4.3.3 SUBSTR: the characters p with start ≤ p < start + length, counted from 1"""
    string, language = _string(text)
    first = _integer(start)
    beyond = len(string) + 1 if length is None else first + _integer(length)
    kept = string[max(first, 1) - 1 : max(beyond, 1) - 1]
    return literal(kept, language=language)


def ucase(_: Context, text: Term) -> Term:
    """17.4.3.4 UCASE"""
    string, language = _string(text)
    return literal(string.upper(), language=language)


def lcase(_: Context, text: Term) -> Term:
    """17.4.3.5 LCASE"""
    string, language = _string(text)
    return literal(string.lower(), language=language)


def strstarts(_: Context, text: Term, part: Term) -> Term:
    """17.4.3.6 STRSTARTS"""
    string, other, _language = _compatible(text, part)
    return boolean(string.startswith(other))


def strends(_: Context, text: Term, part: Term) -> Term:
    """17.4.3.7 STRENDS"""
    string, other, _language = _compatible(text, part)
    return boolean(string.endswith(other))


def contains(_: Context, text: Term, part: Term) -> Term:
    """17.4.3.8 CONTAINS"""
    string, other, _language = _compatible(text, part)
    return boolean(other in string)


def strbefore(_: Context, text: Term, part: Term) -> Term:
    """17.4.3.9 STRBEFORE: where nothing is found, the simple literal \"\""""
    string, other, language = _compatible(text, part)
    before, found, _after = string.partition(other) if other else ("", True, string)
    return literal(before, language=language) if found or not other else literal("")


def strafter(_: Context, text: Term, part: Term) -> Term:
    """17.4.3.10 STRAFTER: where nothing is found, the simple literal \"\""""
    string, other, language = _compatible(text, part)
    _before, found, after = string.partition(other) if other else ("", True, string)
    return literal(after, language=language) if found or not other else literal("")


def encode_for_uri(_: Context, text: Term) -> Term:
    """17.4.3.11 ENCODE_FOR_URI"""
    return literal(quote(_string(text)[0], safe="-_.~"))


def concat(_: Context, *texts: Term) -> Term:
    """17.4.3.12 CONCAT: with a language tag if all have the same"""
    strings = [_string(text) for text in texts]
    languages = {language for _string, language in strings}
    joined = "".join(string for string, _language in strings)
    return literal(joined, language=languages.pop() if len(languages) == 1 else None)


def langmatches(_: Context, tag: Term, pattern: Term) -> Term:
    """17.4.3.13 langMatches: basic filtering (RFC 4647, 3.3.1)"""
    tag_text, range_text = _simple(tag).lower(), _simple(pattern).lower()
    if range_text == "*":
        return boolean(tag_text != "")
    return boolean(tag_text == range_text or tag_text.startswith(range_text + "-"))


def regex(_: Context, text: Term, pattern: Term, flags: Term | None = None) -> Term:
    """17.4.3.14 REGEX"""
    string = _string(text)[0]
    try:
        expression = compiled(_simple(pattern), _simple(flags) if flags is not None else "")
    except RegularExpressionError as error:
        raise ExpressionError(str(error)) from None
    return boolean(expression.search(string) is not None)


def replace(
    _: Context, text: Term, pattern: Term, by: Term, flags: Term | None = None
) -> Term:
    """17.4.3.15 REPLACE: a pattern that matches the empty string is an error"""
    string, language = _string(text)
    flag_text = _simple(flags) if flags is not None else ""
    try:
        expression = compiled(_simple(pattern), flag_text)
        substitute = replacement(_simple(by), expression.groups, literal_text="q" in flag_text)
    except RegularExpressionError as error:
        raise ExpressionError(str(error)) from None
    if expression.search("") is not None:
        raise ExpressionError("REPLACE with a pattern that matches the empty string")
    return literal(expression.sub(substitute, string), language=language)


# --- 17.4.4 functions on numerics ---------------------------------------------------------------


def abs_(_: Context, value: Term) -> Term:
    """17.4.4.1 abs"""
    return number(arithmetic.absolute(numeric(value)))


def round_(_: Context, value: Term) -> Term:
    """17.4.4.2 round"""
    return number(arithmetic.round_half_up(numeric(value)))


def ceil(_: Context, value: Term) -> Term:
    """17.4.4.3 ceil"""
    return number(arithmetic.ceiling(numeric(value)))


def floor(_: Context, value: Term) -> Term:
    """17.4.4.4 floor"""
    return number(arithmetic.floor(numeric(value)))


def rand(_: Context) -> Term:
    """17.4.4.5 RAND"""
    return number(random.random())


# --- 17.4.5 functions on dates and times --------------------------------------------------------


def now(context: Context) -> Term:
    """17.4.5.1 now"""
    return context.execution.now


def year(_: Context, moment: Term) -> Term:
    """17.4.5.2 year"""
    return number(_moment(moment).year)


def month(_: Context, moment: Term) -> Term:
    """17.4.5.3 month"""
    return number(_moment(moment).month)


def day(_: Context, moment: Term) -> Term:
    """17.4.5.4 day"""
    return number(_moment(moment).day)


def hours(_: Context, moment: Term) -> Term:
    """17.4.5.5 hours"""
    return number(_moment(moment).hour)


def minutes(_: Context, moment: Term) -> Term:
    """17.4.5.6 minutes"""
    return number(_moment(moment).minute)


def seconds(_: Context, moment: Term) -> Term:
    """17.4.5.7 seconds, with their fraction"""
    return number(_moment(moment).second)


def timezone(_: Context, moment: Term) -> Term:
    """17.4.5.8 timezone"""
    offset = _moment(moment).offset
    if offset is None:
        raise ExpressionError("{} has no timezone", moment)
    return day_time_duration(offset)


def tz(_: Context, moment: Term) -> Term:
    """17.4.5.9 tz: as it is written, \"\" where there is none"""
    offset = _moment(moment).offset
    if offset == 0 and not str(moment).rstrip().endswith("Z"):
        return literal(str(moment).strip()[-6:])
    return literal(zone_text(offset))


# --- 17.4.6 hash functions ----------------------------------------------------------------------


def _hash(algorithm: str) -> Callable[[Context, Term], Term]:
    def digest(_: Context, text: Term) -> Term:
        return literal(hashlib.new(algorithm, _simple(text).encode()).hexdigest())

    digest.__doc__ = f"17.4.6 {algorithm.upper()}, in hexadecimal digits"
    return digest


# --- arguments ----------------------------------------------------------------------------------


def _literal(term: Term) -> Literal:
    if not isinstance(term, Literal):
        raise ExpressionError("{} is no literal", term)
    return term


def _simple(term: Term) -> str:
    """Return a simple literal's text, which is an xsd:string's."""
    value = value_of(_literal(term))
    if not isinstance(value, str):
        raise ExpressionError("{} is no simple literal", term)
    return value


def _string(term: Term) -> tuple[str, str | None]:
    """17.4.3.1.1, a string literal: its text and its language tag, if it has one."""
    value = value_of(_literal(term))
    if isinstance(value, LanguageString):
        return value.text, value.language
    if isinstance(value, str):
        return value, None
    raise ExpressionError("{} is no string", term)


def _compatible(first: Term, second: Term) -> tuple[str, str, str | None]:
    """17.4.3.1.2: two strings of which the second has no language tag or the first's."""
    text, language = _string(first)
    other, other_language = _string(second)
    if other_language is not None and other_language != language:
        raise ExpressionError("{} and {} differ in language", first, second)
    return text, other, language


def _integer(term: Term) -> int:
    value = numeric(term)
    if not isinstance(value, int):
        raise ExpressionError("{} is no integer", term)
    return value


def _moment(term: Term) -> DateTime:
    value = value_of(_literal(term))
    if not isinstance(value, DateTime) or value.is_date:
        raise ExpressionError("{} is no xsd:dateTime", term)
    return value


FUNCTIONS: dict[str, Callable[..., Term]] = {
    "ABS": abs_,
    "BNODE": bnode,
    "CEIL": ceil,
    "CONCAT": concat,
    "CONTAINS": contains,
    "DATATYPE": datatype,
    "DAY": day,
    "ENCODE_FOR_URI": encode_for_uri,
    "FLOOR": floor,
    "HOURS": hours,
    "IRI": iri,
    "ISBLANK": is_blank,
    "ISIRI": is_iri,
    "ISLITERAL": is_literal,
    "ISNUMERIC": is_numeric,
    "ISURI": is_iri,
    "LANG": lang,
    "LANGMATCHES": langmatches,
    "LCASE": lcase,
    "MD5": _hash("md5"),
    "MINUTES": minutes,
    "MONTH": month,
    "NOW": now,
    "RAND": rand,
    "REGEX": regex,
    "REPLACE": replace,
    "ROUND": round_,
    "SAMETERM": same_term,
    "SECONDS": seconds,
    "SHA1": _hash("sha1"),
    "SHA256": _hash("sha256"),
    "SHA384": _hash("sha384"),
    "SHA512": _hash("sha512"),
    "STR": str_,
    "STRAFTER": strafter,
    "STRBEFORE": strbefore,
    "STRDT": strdt,
    "STRENDS": strends,
    "STRLANG": strlang,
    "STRLEN": strlen,
    "STRSTARTS": strstarts,
    "STRUUID": struuid,
    "SUBSTR": substr,
    "TIMEZONE": timezone,
    "TZ": tz,
    "UCASE": ucase,
    "URI": iri,
    "UUID": uuid_,
    "YEAR": year,
}
