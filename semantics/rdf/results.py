"""Query results as documents: SPARQL 1.1 Query Results in XML, JSON, CSV and TSV; comparing them.

CSV keeps less than the others: neither the kind of a term nor whether it is bound. `as_csv` is what
it keeps of a result. Also read is the vocabulary of the DAWG's tests, results as RDF graphs.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from rdflib.term import BNode, Literal, URIRef, Variable

from ..model.errors import DenotaError
from ..model.mappings import SolutionMapping
from ..model.terms import Graph, Term, literal
from ..model.terms import variable as named
from ..streams.files.boundaries import input_errors
from .expressions.values import NUMERIC_DATATYPES, XSD, XSD_BOOLEAN, Valueless, value_of
from .isomorphism import Row, isomorphic
from .queries import SelectResult
from .syntax.printing import iri as iri_text
from .syntax.printing import to_text

FORMATS = ("srx", "srj", "csv", "tsv")

_SRX = "{http://www.w3.org/2005/sparql-results#}"
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_RS = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#"


class ResultError(DenotaError):
    """A result document that does not follow its format."""


def read_results(text: str, format: str, source: str | None = None) -> SelectResult | bool:
    """The result that a document states; `format` is one of FORMATS. Raises ResultError."""
    with input_errors(source, what=f"not a result in the format {format}", kind=ResultError):
        return _read(text, format, source)


def _read(text: str, format: str, source: str | None) -> SelectResult | bool:
    try:
        match format:
            case "srx":
                return _from_srx(text)
            case "srj":
                return _from_srj(text)
            case "csv":
                return _from_csv(text)
            case "tsv":
                return _from_tsv(text)
    except ElementTree.ParseError as error:
        line, column = error.position
        raise ResultError(
            f"not XML: {error.msg}", source=source, line=line, column=column + 1
        ) from None
    except json.JSONDecodeError as error:
        raise ResultError(
            f"not JSON: {error.msg}", source=source, line=error.lineno, column=error.colno
        ) from None
    except ResultError as error:
        raise ResultError(error.message, source=source) from None
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ResultError(f"not a result in the format {format}: {error}", source=source) from None
    raise ResultError(f"no such result format: {format} (there is: {', '.join(FORMATS)})")


def write_results(result: SelectResult | bool, format: str) -> str:
    """The document that states a result; CSV and TSV have none for a truth value."""
    match format:
        case "srx":
            return _to_srx(result)
        case "srj":
            return json.dumps(_to_srj(result), ensure_ascii=False, indent=1) + "\n"
        case "csv" | "tsv":
            if isinstance(result, bool):
                raise ResultError(f"the format {format} has no truth values")
            return _to_csv(result) if format == "csv" else _to_tsv(result)
    raise ResultError(f"no such result format: {format} (there is: {', '.join(FORMATS)})")


# --- comparing -----------------------------------------------------------------------------------


def same_results(
    expected: SelectResult | bool,
    actual: SelectResult | bool,
    *,
    ordered: bool = False,
    reduced: bool = False,
) -> bool:
    """Are two results equal, up to the names of blank nodes?

    Solutions compare as a bag, if `ordered` as a sequence; if `reduced` (the query says REDUCED),
    a solution may come fewer times than expected, but at least once. Numbers and truth values of
    the same datatype compare by value, since the recommendation does not fix how a computed value
    is written.
    """
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    if set(expected.variables) != set(actual.variables):
        return False
    variables = sorted(set(expected.variables))
    wanted = [_row(mu, variables) for mu in expected.solutions]
    came = [_row(mu, variables) for mu in actual.solutions]
    if reduced:
        if len(came) > len(wanted):
            return False
        wanted, came = list(dict.fromkeys(wanted)), list(dict.fromkeys(came))
    if ordered:
        wanted = [(position, *row) for position, row in enumerate(wanted)]
        came = [(position, *row) for position, row in enumerate(came)]
    return isomorphic(wanted, came)


def _row(mu: SolutionMapping, variables: Iterable[Variable]) -> Row:
    return tuple(_compared(mu.get(variable)) for variable in variables)


_BY_VALUE = NUMERIC_DATATYPES | {XSD_BOOLEAN}


def _compared(value: object) -> object:
    if isinstance(value, Literal) and str(value.datatype) in _BY_VALUE:
        number = value_of(value)
        if not isinstance(number, Valueless):
            # A NaN is no other NaN's equal, but its text is.
            return str(value.datatype), str(number) if number != number else number
    return value


# --- XML -----------------------------------------------------------------------------------------


def _from_srx(text: str) -> SelectResult | bool:
    root = ElementTree.fromstring(text)
    if root.tag != f"{_SRX}sparql":
        raise ResultError(f"the root element is {root.tag}, expected {_SRX}sparql")
    boolean = root.find(f"{_SRX}boolean")
    if boolean is not None:
        return (boolean.text or "").strip() == "true"
    variables = tuple(
        named(each.attrib["name"]) for each in root.iter(f"{_SRX}variable")
    )
    return SelectResult(variables, tuple(
        SolutionMapping({
            named(binding.attrib["name"]): _term_from_srx(binding[0])
            for binding in result.iter(f"{_SRX}binding")
        })
        for result in root.iter(f"{_SRX}result")
    ))


def _term_from_srx(element: ElementTree.Element) -> Term:
    text = element.text or ""
    match element.tag.removeprefix(_SRX):
        case "uri":
            return URIRef(text.strip())
        case "bnode":
            return BNode(text.strip())
        case "literal":
            return literal(text, element.get("datatype"), element.get(_XML_LANG))
    raise ResultError(f"a binding has no {element.tag}")


def _to_srx(result: SelectResult | bool) -> str:
    lines = ['<?xml version="1.0"?>', '<sparql xmlns="http://www.w3.org/2005/sparql-results#">']
    if isinstance(result, bool):
        lines += [" <head/>", f" <boolean>{'true' if result else 'false'}</boolean>"]
    else:
        names = "".join(f"<variable name={quoteattr(v)}/>" for v in result.variables)
        lines += [f" <head>{names}</head>", " <results>"]
        for mu in result.solutions:
            bindings = "".join(
                f"<binding name={quoteattr(v)}>{_term_to_srx(term)}</binding>"
                for v, term in _bound(mu, result)
            )
            lines.append(f"  <result>{bindings}</result>")
        lines.append(" </results>")
    return "\n".join([*lines, "</sparql>", ""])


def _term_to_srx(term: Term) -> str:
    # A parser would turn a bare carriage return into a line feed.
    text = escape(term, {"\r": "&#13;"})
    if isinstance(term, URIRef):
        return f"<uri>{text}</uri>"
    if isinstance(term, BNode):
        return f"<bnode>{text}</bnode>"
    if term.language is not None:
        return f"<literal xml:lang={quoteattr(term.language)}>{text}</literal>"
    if term.datatype is not None:
        return f"<literal datatype={quoteattr(term.datatype)}>{text}</literal>"
    return f"<literal>{text}</literal>"


def _bound(mu: SolutionMapping, result: SelectResult) -> Iterable[tuple[Variable, Term]]:
    for variable in result.variables:
        value = mu.get(variable)
        if value is not None and not isinstance(value, tuple):
            yield variable, value


# --- JSON ----------------------------------------------------------------------------------------


def _from_srj(text: str) -> SelectResult | bool:
    document = json.loads(text)
    if "boolean" in document:
        return bool(document["boolean"])
    return SelectResult(tuple(map(named, document["head"]["vars"])), tuple(
        SolutionMapping({named(name): _term_from_srj(term) for name, term in row.items()})
        for row in document["results"]["bindings"]
    ))


def _term_from_srj(term: Mapping[str, Any]) -> Term:
    match term["type"]:
        case "uri":
            return URIRef(term["value"])
        case "bnode":
            return BNode(term["value"])
        case "literal" | "typed-literal":
            return literal(term["value"], term.get("datatype"), term.get("xml:lang"))
    raise ResultError(f"a term's type is uri, bnode or literal, not {term['type']}")


def _to_srj(result: SelectResult | bool) -> dict[str, Any]:
    if isinstance(result, bool):
        return {"head": {}, "boolean": result}
    return {
        "head": {"vars": [str(variable) for variable in result.variables]},
        "results": {"bindings": [
            {str(variable): _term_to_srj(term) for variable, term in _bound(mu, result)}
            for mu in result.solutions
        ]},
    }


def _term_to_srj(term: Term) -> dict[str, str]:
    if isinstance(term, URIRef):
        return {"type": "uri", "value": str(term)}
    if isinstance(term, BNode):
        return {"type": "bnode", "value": str(term)}
    written = {"type": "literal", "value": str(term)}
    if term.language is not None:
        written["xml:lang"] = term.language
    elif term.datatype is not None:
        written["datatype"] = str(term.datatype)
    return written


# --- CSV and TSV ---------------------------------------------------------------------------------


def as_csv(result: SelectResult) -> SelectResult:
    """What CSV keeps of a result: strings and blank nodes; the empty string is not bound."""
    return SelectResult(result.variables, tuple(
        SolutionMapping({
            v: term if isinstance(term, BNode) else literal(str(term))
            for v, term in _bound(mu, result)
            if isinstance(term, BNode) or term != literal("")
        })
        for mu in result.solutions
    ))


def _from_csv(text: str) -> SelectResult:
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    variables = tuple(map(named, header))
    return SelectResult(variables, tuple(
        SolutionMapping({
            v: BNode(cell[2:]) if cell.startswith("_:") else literal(cell)
            for v, cell in zip(variables, row, strict=True)
            if cell
        })
        for row in (row or [""] for row in rows)
    ))


def _to_csv(result: SelectResult) -> str:
    written = io.StringIO(newline="")
    writer = csv.writer(written, lineterminator="\r\n")
    writer.writerow(result.variables)
    for mu in result.solutions:
        bound = dict(_bound(mu, result))
        writer.writerow(
            f"_:{term}" if isinstance(term, BNode) else "" if term is None else str(term)
            for term in map(bound.get, result.variables)
        )
    return written.getvalue()


_TSV_TERM = re.compile(
    r"""<(?P<iri>[^>]*)>|_:(?P<bnode>\S+)
    |(?:"(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>(?:[^'\\]|\\.)*)')
     (?:@(?P<lang>[A-Za-z0-9-]+)|\^\^<(?P<datatype>[^>]*)>)?
    |(?P<integer>[+-]?[0-9]+)|(?P<decimal>[+-]?[0-9]*\.[0-9]+)
    |(?P<exponent>[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]+)|(?P<boolean>true|false)""",
    re.VERBOSE,
)
_TSV_ESCAPES = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


def _from_tsv(text: str) -> SelectResult:
    header, *rows = text.removesuffix("\n").split("\n")
    header = header.removesuffix("\r")
    variables = tuple(named(name) for name in header.split("\t") if name)
    cells = (row.removesuffix("\r").split("\t") if variables else [] for row in rows)
    return SelectResult(variables, tuple(
        SolutionMapping({
            v: _term_from_tsv(cell.strip(" "))
            for v, cell in zip(variables, row, strict=True)
            if cell.strip(" ")
        })
        for row in cells
    ))


def _term_from_tsv(cell: str) -> Term:
    match = _TSV_TERM.fullmatch(cell)
    if match is None:
        raise ResultError(f"not a term: {cell}")
    parts = match.groupdict()
    if parts["iri"] is not None:
        return URIRef(_unescaped(parts["iri"]))
    if parts["bnode"] is not None:
        return BNode(parts["bnode"])
    for bare in ("integer", "decimal", "boolean"):
        if parts[bare] is not None:
            return literal(parts[bare], XSD + bare)
    if parts["exponent"] is not None:
        return literal(parts["exponent"], XSD + "double")
    lexical = parts["double"] if parts["double"] is not None else parts["single"]
    datatype = parts["datatype"]
    return literal(
        _unescaped(lexical), None if datatype is None else _unescaped(datatype), parts["lang"]
    )


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        code = match[1] or match[2]
        return chr(int(code, 16)) if code else _TSV_ESCAPES.get(match[3], match[3])

    return re.sub(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", character, text)


def _to_tsv(result: SelectResult) -> str:
    lines = ["\t".join(f"?{variable}" for variable in result.variables)]
    for mu in result.solutions:
        bound = dict(_bound(mu, result))
        lines.append("\t".join(
            "" if term is None else iri_text(term) if isinstance(term, URIRef) else to_text(term)
            for term in map(bound.get, result.variables)
        ))
    return "\n".join([*lines, ""])


# --- the DAWG's result vocabulary ----------------------------------------------------------------


def results_in_graph(graph: Graph) -> tuple[SelectResult | bool, bool]:
    """The result that an RDF graph states as an rs:ResultSet, and whether its order is stated."""
    def objects(subject: Term, name: str) -> list[Term]:
        return [o for s, p, o in graph if s == subject and p == URIRef(_RS + name)]

    for _, predicate, truth in graph:
        if predicate == URIRef(_RS + "boolean"):
            return str(truth) in ("true", "1"), False
    sets = [s for s, _, o in graph if o == URIRef(_RS + "ResultSet")]
    if len(sets) != 1:
        raise ResultError(f"the graph has {len(sets)} result sets, expected one")
    variables = tuple(sorted(Variable(str(name)) for name in objects(sets[0], "resultVariable")))
    rows = []
    for solution in objects(sets[0], "solution"):
        index = objects(solution, "index")
        mu = SolutionMapping({
            Variable(str(objects(binding, "variable")[0])): objects(binding, "value")[0]
            for binding in objects(solution, "binding")
        })
        rows.append((int(str(index[0])) if index else None, mu))
    ordered = any(index is not None for index, _ in rows)
    rows.sort(key=lambda row: row[0] or 0)
    return SelectResult(variables, tuple(mu for _, mu in rows)), ordered
