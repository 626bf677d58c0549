"""The parser of SPARQL 1.1 queries, and of the patterns that other languages embed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from inspect import getattr_static
from itertools import count
from typing import Any, ClassVar, TypeAlias, cast

from lark import Token, v_args
from lark.tree import Meta
from rdflib.term import BNode, Literal, URIRef, Variable

from ...model.errors import Position, QueryError, UnsupportedError
from ...model.iris import resolve
from ...model.terms import literal
from ...model.time import parse_integer
from . import tree as s
from .scoping import check_group, check_query
from .tree import ARITY, in_words
from .tree_builder import Builder, at, builds, load_grammar, parse_text

_XSD = "http://www.w3.org/2001/XMLSchema#"
_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDF_TYPE = URIRef(_RDF + "type")
RDF_FIRST = URIRef(_RDF + "first")
RDF_REST = URIRef(_RDF + "rest")
RDF_NIL = URIRef(_RDF + "nil")

NO_PROLOGUE = s.Prologue()
STREAM_PREFIXES = {"xsd": _XSD}
"""The predeclared prefixes of queries over streams: EP-SPARQL's paper writes xsd:duration bare."""

_UPDATE = re.compile(
    r"\s*(?:(?:PREFIX\s+[^\s:]*:|BASE)\s*<[^>]*>\s*|#[^\n]*\n\s*)*"
    r"(INSERT|DELETE|LOAD|CLEAR|CREATE|DROP|MOVE|COPY|ADD|WITH)\b",
    re.IGNORECASE,
)


def parse_query(text: str, source: str | None = None, base: str | None = None) -> s.SparqlQuery:
    """Return the tree of a SPARQL 1.1 query; `base` resolves relative IRIs before any BASE.

    Raises QueryError, or UnsupportedError for SERVICE and for an update.
    """
    parser = load_grammar("rdf/syntax/grammar.lark", ("query", "group_graph_pattern"))
    transformer = PatternTransformer(text, prologue=s.Prologue(base), source=source)
    try:
        query = parse_text(parser, transformer, text, "query")
    except QueryError:
        update = _UPDATE.match(text)
        if update is None:
            raise
        raise UnsupportedError(
            f"SPARQL Update ({update[1].upper()}) is not supported, only queries are",
            source=source, line=text.count("\n", 0, update.start(1)) + 1,
        ) from None
    return cast(s.SparqlQuery, query)


def parse_group(
    text: str, prologue: s.Prologue = NO_PROLOGUE, source: str | None = None
) -> s.GroupGraphPattern:
    """Return the tree of a group graph pattern `{ … }`, its names resolved by `prologue`.

    >>> parse_group("{ ?x a <urn:C> }").elements[0].triples[0].object
    rdflib.term.URIRef('urn:C')
    """
    parser = load_grammar("rdf/syntax/grammar.lark", ("query", "group_graph_pattern"))
    transformer = PatternTransformer(text, prologue=prologue, source=source)
    return cast(s.GroupGraphPattern, parse_text(parser, transformer, text, "group_graph_pattern"))


@dataclass(frozen=True, slots=True)
class _Node:
    """An object or subject written as [ … ] or ( … ): its blank node and what is said of it."""

    term: s.TermOrVariable
    triples: tuple[s.TriplePattern, ...]


@dataclass(frozen=True, slots=True)
class _InverseStep:
    """^iri in a negated property set"""

    link: URIRef


_PropertyList: TypeAlias = list[tuple[Any, list[Any], Position]]


@builds({
    "ascending": s.OrderCondition, "data_variables": tuple, "data_row": tuple,
    "optional_graph_pattern": s.OptionalPattern, "minus_graph_pattern": s.MinusPattern,
    "graph_graph_pattern": s.NamedGraphPattern, "group_or_union_graph_pattern": s.UnionPattern,
    "filter": s.Filter, "bind": s.Bind, "object_list_path": list,
    "path_alternative": s.AlternativePath, "path_sequence": s.SequencePath,
    "inverse_path": s.InversePath, "zero_or_one_path": s.ZeroOrOnePath,
    "zero_or_more_path": s.ZeroOrMorePath, "one_or_more_path": s.OneOrMorePath,
    "inverse_step": _InverseStep, "conditional_or_expression": s.Or,
    "conditional_and_expression": s.And, "negation": s.Not, "sign": s.Sign,
    "in_expression": s.In, "expression_list": tuple, "exists_func": s.Exists,
})
class PatternTransformer(Builder):
    """Turns the parse tree of `grammar.lark` into the syntax tree.

    Other languages subclass it, add a method for each of their own rules, and build one instance
    per text. PREFIX and BASE take effect as they are met, since a tree is visited from left to
    right; `declared` is the prologue so far. `predeclared` are prefixes that hold until a PREFIX
    says otherwise: SPARQL has none.
    """

    predeclared: ClassVar[Mapping[str, str]] = {}

    def __init__(
        self, text: str = "", *, prologue: s.Prologue = NO_PROLOGUE, source: str | None = None
    ) -> None:
        super().__init__(source=source)
        self._base = prologue.base
        self._prefixes = dict(prologue.prefixes)
        taken = set(re.findall(r"_:([^\s;,.(){}\[\]]+)", text))
        self._fresh_labels = (
            label for label in (f"b{n}" for n in count(1)) if label not in taken
        )

    def __getattr__(self, name: str) -> Any:
        # A rule that was imported along with another is called rdf__syntax__grammar__name.
        _, imported, plain = name.rpartition("__")
        if not imported or not plain or name.startswith("__"):
            raise AttributeError(name)
        # From now on the class knows it under this name too: it is asked for at every node.
        setattr(type(self), name, getattr_static(self, plain))
        return getattr(self, name)

    def prepared(self, text: str) -> str:
        r"""19.2: \uXXXX and \UXXXXXXXX stand for a code point anywhere in the query."""

        def character(match: re.Match[str]) -> str:
            code = int(match[1] or match[2], 16)
            if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
                line = text.count("\n", 0, match.start()) + 1
                column = match.start() - text.rfind("\n", 0, match.start())
                message = f"{match[0]} is not a Unicode character"
                raise self.error(message, Position(line, column))
            return chr(code)

        return re.sub(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})", character, text)

    @property
    def declared(self) -> s.Prologue:
        """BASE and PREFIX as declared so far."""
        return s.Prologue(self._base, tuple(self._prefixes.items()))

    # --- prologue ---------------------------------------------------------------------------

    def prologue(self, _: Sequence[Any]) -> s.Prologue:
        return self.declared

    def base_decl(self, children: Sequence[Token]) -> None:
        self._base = resolve(children[0][1:-1], self._base)

    def prefix_decl(self, children: Sequence[Token]) -> None:
        prefix, iri = children
        self._check_name(prefix)
        self._prefixes[str(prefix[:-1])] = resolve(iri[1:-1], self._base)

    # --- queries ----------------------------------------------------------------------------

    @v_args(meta=True)
    def query(self, meta: Meta, children: Sequence[Any]) -> s.SparqlQuery:
        query: s.SparqlQuery = children[1]
        query = replace(query, values=children[2], prologue=self.declared)
        check_query(query, lambda message: self.error(message, meta))
        return query

    @v_args(meta=True)
    def select_query(self, meta: Meta, children: Sequence[Any]) -> s.SelectQuery:
        (distinct, reduced, projection), dataset, where, modifier = children
        return s.SelectQuery(
            projection, where, modifier, distinct, reduced, dataset=dataset
        )

    @v_args(meta=True)
    def sub_select(self, meta: Meta, children: Sequence[Any]) -> s.SubSelect:
        (distinct, reduced, projection), where, modifier, values = children
        query = s.SelectQuery(projection, where, modifier, distinct, reduced, values=values)
        check_query(query, lambda message: self.error(message, meta))
        return s.SubSelect(query, at(meta))

    def select_clause(
        self, children: Sequence[Any]
    ) -> tuple[bool, bool, tuple[s.Projection, ...] | None]:
        form = children[0] if isinstance(children[0], str) and children[0].isalpha() else ""
        items = tuple(child for child in children if isinstance(child, s.Projection))
        return form == "DISTINCT", form == "REDUCED", items or None

    def select_form(self, children: Sequence[Token]) -> str:
        return children[0].upper()

    def projection(self, children: Sequence[Any]) -> s.Projection:
        if len(children) == 1:
            return s.Projection(children[0])
        expression, variable = children
        return s.Projection(variable, expression)

    def construct_query(self, children: Sequence[Any]) -> s.ConstructQuery:
        template, dataset, where, modifier = children
        return s.ConstructQuery(template, where, modifier, dataset=dataset)

    @v_args(meta=True)
    def construct_short(self, meta: Meta, children: Sequence[Any]) -> s.ConstructQuery:
        dataset, where, modifier = children
        if not all(isinstance(element, s.TriplesBlock) for element in where.elements):
            raise self.error("CONSTRUCT WHERE takes nothing but triple patterns", meta)
        triples = tuple(t for element in where.elements for t in element.triples)
        self._refuse_paths(triples, "CONSTRUCT WHERE")
        return s.ConstructQuery(triples, where, modifier, dataset=dataset)

    def construct_template(self, children: Sequence[Any]) -> tuple[s.TriplePattern, ...]:
        triples = tuple(triple for block in children for triple in block)
        self._refuse_paths(triples, "a CONSTRUCT template")
        return triples

    def _refuse_paths(self, triples: Sequence[s.TriplePattern], where: str) -> None:
        for triple in triples:
            if not isinstance(triple.predicate, URIRef | Variable):
                raise self.error(f"a property path cannot stand in {where}", triple.position)

    def describe_query(self, children: Sequence[Any]) -> s.DescribeQuery:
        targets = tuple(child for child in children if isinstance(child, URIRef | Variable))
        where = next((c for c in children if isinstance(c, s.GroupGraphPattern)), None)
        dataset = next((c for c in children if isinstance(c, s.DatasetClause)), None)
        return s.DescribeQuery(targets or None, where, children[-1], dataset=dataset)

    def ask_query(self, children: Sequence[Any]) -> s.AskQuery:
        dataset, where, modifier = children
        return s.AskQuery(where, modifier, dataset=dataset)

    def dataset_clauses(self, children: Sequence[tuple[bool, URIRef]]) -> s.DatasetClause | None:
        if not children:
            return None
        return s.DatasetClause(
            tuple(iri for named, iri in children if not named),
            tuple(iri for named, iri in children if named),
        )

    def default_graph_clause(self, children: Sequence[URIRef]) -> tuple[bool, URIRef]:
        return False, children[0]

    def named_graph_clause(self, children: Sequence[URIRef]) -> tuple[bool, URIRef]:
        return True, children[0]

    def solution_modifier(self, children: Sequence[dict[str, Any]]) -> s.SolutionModifier:
        return s.SolutionModifier(**{k: v for clause in children for k, v in clause.items()})

    def group_clause(self, children: Sequence[Any]) -> dict[str, Any]:
        return {"group_by": tuple(children)}

    def group_condition(self, children: Sequence[Any]) -> s.Projection | s.Expression:
        if len(children) == 2:
            return s.Projection(children[1], children[0])
        return cast(s.Expression, children[0])

    def having_clause(self, children: Sequence[Any]) -> dict[str, Any]:
        return {"having": tuple(children)}

    def order_clause(self, children: Sequence[Any]) -> dict[str, Any]:
        return {"order_by": tuple(children)}

    def descending(self, children: Sequence[Any]) -> s.OrderCondition:
        return s.OrderCondition(children[0], descending=True)

    def limit_offset_clauses(self, children: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return {k: v for clause in children for k, v in clause.items()}

    def limit_clause(self, children: Sequence[Token]) -> dict[str, Any]:
        return {"limit": parse_integer(children[0])}

    def offset_clause(self, children: Sequence[Token]) -> dict[str, Any]:
        return {"offset": parse_integer(children[0])}

    def values_clause(self, children: Sequence[Any]) -> s.InlineData | None:
        return children[0] if children else None

    # --- graph patterns ---------------------------------------------------------------------

    @v_args(meta=True)
    def group_graph_pattern(self, meta: Meta, children: Sequence[Any]) -> s.GroupGraphPattern:
        group = s.GroupGraphPattern(tuple(children))
        check_group(group, self.error, at(meta))
        return group

    def triples_block(self, children: Sequence[Any]) -> s.TriplesBlock:
        return s.TriplesBlock(tuple(triple for block in children for triple in block))

    @v_args(meta=True)
    def service_graph_pattern(self, meta: Meta, _: Sequence[Any]) -> s.Element:
        place = at(meta)
        raise UnsupportedError(
            "SERVICE (federated query) is not supported",
            source=self.source, line=place.line, column=place.column,
        )

    def inline_data_one_var(self, children: Sequence[Any]) -> s.InlineData:
        variable, *values = children
        return s.InlineData((variable,), tuple((value,) for value in values))

    @v_args(meta=True)
    def inline_data_full(self, meta: Meta, children: Sequence[Any]) -> s.InlineData:
        variables, *rows = children
        if len(set(variables)) != len(variables):
            raise self.error("VALUES names a variable twice", meta)
        for row in rows:
            if len(row) != len(variables):
                raise self.error(
                    f"VALUES has {len(variables)} variables but a row of {len(row)} terms", meta
                )
        return s.InlineData(variables, tuple(rows))

    def undef(self, _: Sequence[Any]) -> None:
        return None

    # --- triples ----------------------------------------------------------------------------

    @v_args(meta=True)
    def triples_same_subject_path(
        self, meta: Meta, children: Sequence[Any]
    ) -> tuple[s.TriplePattern, ...]:
        subject = children[0]
        properties: _PropertyList = children[1] if len(children) > 1 else []
        if isinstance(subject, _Node):
            return (*subject.triples, *_say(subject.term, properties, at(meta)))
        return _say(subject, properties, at(meta))

    @v_args(meta=True)
    def property_list_path_not_empty(self, meta: Meta, children: Sequence[Any]) -> _PropertyList:
        return [
            (children[i], children[i + 1], at(meta)) for i in range(0, len(children), 2)
        ]

    def blank_node_property_list_path(self, children: Sequence[Any]) -> _Node:
        node = self._fresh_blank_node()
        properties: _PropertyList = children[0]
        return _Node(node, _say(node, properties, properties[0][2]))

    @v_args(meta=True)
    def collection_path(self, meta: Meta, children: Sequence[Any]) -> _Node:
        cells = [self._fresh_blank_node() for _ in children]
        triples: list[s.TriplePattern] = []
        rests: list[s.TermOrVariable] = [*cells[1:], RDF_NIL]
        for cell, child, rest in zip(cells, children, rests, strict=True):
            term, said = (child.term, child.triples) if isinstance(child, _Node) else (child, ())
            triples += (
                s.TriplePattern(cell, RDF_FIRST, term, at(meta)),
                *said,
                s.TriplePattern(cell, RDF_REST, rest, at(meta)),
            )
        return _Node(cells[0], tuple(triples))

    def _fresh_blank_node(self) -> BNode:
        return BNode(next(self._fresh_labels))

    # --- property paths ---------------------------------------------------------------------

    def path_negated_property_set(self, children: Sequence[Any]) -> s.Path:
        return s.NegatedPropertySet(
            tuple(step for step in children if isinstance(step, URIRef)),
            tuple(step.link for step in children if isinstance(step, _InverseStep)),
        )

    def rdf_type(self, _: Sequence[Any]) -> URIRef:
        return RDF_TYPE

    # --- expressions ------------------------------------------------------------------------

    def comparison(self, children: Sequence[Any]) -> s.Expression:
        left, operator, right = children
        return s.Comparison(str(operator), left, right)

    def not_in_expression(self, children: Sequence[Any]) -> s.Expression:
        return s.In(children[0], children[1], negated=True)

    def arithmetic(self, children: Sequence[Any]) -> s.Expression:
        left, operator, right = children
        return s.Arithmetic(str(operator), left, right)

    def signed_addition(self, children: Sequence[Any]) -> s.Expression:
        left, (sign, product) = children
        return s.Arithmetic(sign, left, product)

    def signed_product(self, children: Sequence[Any]) -> tuple[str, s.Expression]:
        """?a -1 * ?b is ?a - (1 * ?b), although the lexer sees a negative number."""
        number, *rest = children
        product: s.Expression = _number(number[1:])
        for factor, operand in zip(rest[::2], rest[1::2], strict=True):
            product = s.Arithmetic(str(factor), product, operand)
        return str(number[0]), product

    def built_in_call(self, children: Sequence[Any]) -> s.Expression:
        token, arguments = children
        name = token.upper()
        if len(arguments) not in ARITY[name]:
            raise self.error(f"{name} takes {in_words(ARITY[name])}, not {len(arguments)}", token)
        if name == "BOUND" and not isinstance(arguments[0], Variable):
            raise self.error("BOUND takes a variable", token)
        return s.BuiltIn(name, arguments)

    @v_args(meta=True)
    def not_exists_func(self, meta: Meta, children: Sequence[Any]) -> s.Expression:
        return s.Exists(children[0], True, at(meta))

    def aggregate(self, children: Sequence[Any]) -> s.Expression:
        token, distinct, operand, *separator = children
        name = token.upper()
        star = isinstance(operand, Token)
        if star and name != "COUNT":
            raise self.error(f"{name}(*) is not an aggregate, only COUNT(*) is", token)
        if separator and name != "GROUP_CONCAT":
            raise self.error(f"{name} takes no SEPARATOR, only GROUP_CONCAT does", token)
        return s.Aggregate(
            name, None if star else operand, distinct, separator[0] if separator else None
        )

    @v_args(meta=True)
    def function_call(self, meta: Meta, children: Sequence[Any]) -> s.Expression:
        function, (distinct, arguments) = children
        return s.FunctionCall(function, arguments, distinct)

    def arg_list(self, children: Sequence[Any]) -> tuple[bool, tuple[s.Expression, ...]]:
        return (children[0], tuple(children[1:])) if children else (False, ())

    def distinct(self, children: Sequence[Token]) -> bool:
        return bool(children)

    # --- terms ------------------------------------------------------------------------------

    def var(self, children: Sequence[Token]) -> Variable:
        self._check_name(children[0])
        return Variable(children[0][1:])

    def iri(self, children: Sequence[Token]) -> URIRef:
        token = children[0]
        if token.startswith("<"):
            return URIRef(resolve(token[1:-1], self._base))
        self._check_name(token)
        prefix, _, local = token.partition(":")
        namespace = self._prefixes.get(prefix, self.predeclared.get(prefix))
        if namespace is None:
            raise self.error(f"the prefix '{prefix}:' is not declared", token)
        if "\\" in local:
            local = re.sub(r"\\(.)", r"\1", local)
        return URIRef(namespace + local)

    def rdf_literal(self, children: Sequence[Any]) -> Literal:
        lexical, *kind = children
        if not kind:
            return literal(lexical)
        if isinstance(kind[0], URIRef):
            return literal(lexical, str(kind[0]))
        return literal(lexical, language=str(kind[0][1:]))

    def numeric_literal(self, children: Sequence[Token]) -> Literal:
        return _number(children[0])

    def boolean_literal(self, children: Sequence[Token]) -> Literal:
        return literal(children[0].lower(), _XSD + "boolean")

    def string(self, children: Sequence[Token]) -> str:
        text = str(children[0])
        quotes = 3 if text.startswith(("'''", '"""')) else 1
        text = text[quotes:-quotes]
        if "\\" in text:
            text = re.sub(r"\\(.)", lambda match: _ESCAPED[match[1]], text)
        return text

    def blank_node(self, children: Sequence[Token]) -> BNode:
        if not children:
            return self._fresh_blank_node()
        self._check_name(children[0])
        return BNode(children[0][2:])

    def nil(self, _: Sequence[Any]) -> URIRef:
        return RDF_NIL

    def _check_name(self, token: Token) -> None:
        if not token.isascii() and not _exact_name().fullmatch(token):
            raise self.error(f"'{token}' has a character that no name may have", token)


_ESCAPED = {
    "t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\",
}


@lru_cache(maxsize=1)
def _exact_name() -> re.Pattern[str]:
    """PN_CHARS of 19.8 beyond ASCII (and whatever the grammar has let in within ASCII).

    The characters of PN_CHARS that may not begin a name are let in at its beginning too.
    """
    beyond = (
        "\u00b7\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u037d\u037f-\u1fff\u200c-\u200d\u203f-\u2040"
        "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
    )
    return re.compile(f"[\x00-\x7f{beyond}]*")


def _number(lexical: str) -> Literal:
    if "e" in lexical or "E" in lexical:
        return literal(str(lexical), _XSD + "double")
    return literal(str(lexical), _XSD + ("decimal" if "." in lexical else "integer"))


def _say(
    subject: s.TermOrVariable, properties: _PropertyList, position: Position
) -> tuple[s.TriplePattern, ...]:
    """4.2: the triples that `subject` and its predicate-object lists abbreviate."""
    triples: list[s.TriplePattern] = []
    for verb, objects, _ in properties:
        for object_ in objects:
            if isinstance(object_, _Node):
                triples.append(s.TriplePattern(subject, verb, object_.term, position))
                triples += object_.triples
            else:
                triples.append(s.TriplePattern(subject, verb, object_, position))
    return tuple(triples)
