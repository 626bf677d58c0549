"""The parser from text to EP-SPARQL's syntax tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

from lark import Lark, Token, v_args
from lark.exceptions import UnexpectedInput, UnexpectedToken
from lark.tree import Meta
from rdflib.term import Literal, URIRef, Variable

from ...model.errors import Position, QueryError
from ...model.terms import literal
from ...model.time import XSD, duration_at, format_duration
from ...rdf.syntax import tree as s
from ...rdf.syntax.parse import STREAM_PREFIXES, PatternTransformer
from ...rdf.syntax.scoping import check_group, check_query
from ...rdf.syntax.tree_builder import at, load_grammar, parse_text
from .tree import EpsparqlQuery, Form, Operator, Rule, StreamClause, TemporalPattern


def parse(text: str, *, source: str | None = "<query>") -> EpsparqlQuery:
    """Return the tree of an EP-SPARQL query: CONSTRUCT rules and at most one SELECT.

    Raises QueryError, with line and column, for what does not follow the grammar.

    >>> len(parse("SELECT ?x WHERE {?x <p> 1} SEQ {?x <q> 2}").select.where.elements)
    1
    """
    parser = load_grammar("epsparql/syntax/grammar.lark", ("query",))
    return cast(EpsparqlQuery, parse_text(parser, _Builder(text, source=source), text, "query"))


class _Clauses(NamedTuple):
    """The clauses between a query's head and its WHERE."""

    streams: tuple[StreamClause, ...]
    default: tuple[URIRef, ...]
    named: tuple[URIRef, ...]


class _Body(NamedTuple):
    """The group of a WHERE clause, and a VALUES clause that was read along with it."""

    group: s.GroupGraphPattern
    values: s.InlineData | None = None


class _Statement(NamedTuple):
    tree: Rule | s.SelectQuery
    clauses: _Clauses
    position: Position
    form: Form = Form.SELECT
    described: tuple[URIRef, ...] = ()


class _Builder(PatternTransformer):
    """Adds EP-SPARQL's own rules to those of SPARQL 1.1."""

    predeclared = STREAM_PREFIXES

    def explain(self, error: UnexpectedInput, parser: Lark, text: str) -> QueryError:
        word = str(error.token) if isinstance(error, UnexpectedToken) else ""
        if word.upper() in Operator.__members__:
            return self.error(
                f"{word.upper()} combines two groups, and each of them stands in braces",
                error.token if isinstance(error, UnexpectedToken) else None,
            )
        return super().explain(error, parser, text)

    @v_args(meta=True)
    def query(self, meta: Meta, children: Sequence[Any]) -> EpsparqlQuery:
        statements = [child for child in children if isinstance(child, _Statement)]
        selects = [each for each in statements if isinstance(each.tree, s.SelectQuery)]
        if len(selects) > 1:
            raise self.error(
                "a query has one SELECT, ASK or DESCRIBE, and any number of CONSTRUCT rules that"
                " serve it",
                selects[1].position,
            )
        default = tuple(dict.fromkeys(iri for each in statements for iri in each.clauses.default))
        named = tuple(dict.fromkeys(iri for each in statements for iri in each.clauses.named))
        streams = {clause.iri: clause for each in statements for clause in each.clauses.streams}
        return EpsparqlQuery(
            cast(s.SelectQuery, selects[0].tree) if selects else None,
            tuple(each.tree for each in statements if isinstance(each.tree, Rule)),
            tuple(streams.values()),
            s.DatasetClause(default, named) if default or named else None,
            self.declared,
            selects[0].form if selects else Form.SELECT,
            selects[0].described if selects else (),
        )

    # --- statements -------------------------------------------------------------------------

    @v_args(meta=True)
    def rule(self, meta: Meta, children: Sequence[Any]) -> _Statement:
        template, clauses, body = children
        if body.values is not None:
            raise self.error("a CONSTRUCT rule has no VALUES clause after its pattern", meta)
        return _Statement(Rule(template, body.group, at(meta)), clauses, at(meta))

    @v_args(meta=True)
    def short_rule(self, meta: Meta, children: Sequence[Any]) -> _Statement:
        clauses, where = children
        if not all(isinstance(element, s.TriplesBlock) for element in where.elements):
            raise self.error("CONSTRUCT WHERE takes nothing but triple patterns", meta)
        triples = tuple(t for element in where.elements for t in element.triples)
        self._refuse_paths(triples, "CONSTRUCT WHERE")
        return _Statement(Rule(triples, where, at(meta)), clauses, at(meta))

    def template(self, children: Sequence[Any]) -> tuple[s.TriplePattern, ...]:
        return self.construct_template(children)

    @v_args(meta=True)
    def select(self, meta: Meta, children: Sequence[Any]) -> _Statement:
        clause, clauses, body, modifier, values = children
        return _Statement(self._select(meta, clause, body, modifier, values), clauses, at(meta))

    @v_args(meta=True)
    def ask(self, meta: Meta, children: Sequence[Any]) -> _Statement:
        clauses, body, modifier, values = children
        select = self._select(meta, (False, False, ()), body, modifier, values)
        return _Statement(select, clauses, at(meta), Form.ASK)

    @v_args(meta=True)
    def describe(self, meta: Meta, children: Sequence[Any]) -> _Statement:
        targets, clauses, *where, modifier, values = children
        (body,) = where or [_Body(s.GroupGraphPattern())]
        projection = None if targets is None else tuple(
            s.Projection(each) for each in targets if isinstance(each, Variable)
        )
        select = self._select(meta, (False, False, projection), body, modifier, values)
        named = tuple(each for each in targets or () if isinstance(each, URIRef))
        return _Statement(select, clauses, at(meta), Form.DESCRIBE, named)

    def described(self, children: Sequence[Any]) -> tuple[URIRef | Variable, ...] | None:
        return None if isinstance(children[0], Token) else tuple(dict.fromkeys(children))

    @v_args(meta=True)
    def sub_select(self, meta: Meta, children: Sequence[Any]) -> s.SubSelect:
        clause, body, modifier, values = children
        return s.SubSelect(self._select(meta, clause, body, modifier, values), at(meta))

    def _select(
        self, meta: Meta, clause: Any, body: _Body, modifier: Any, values: Any
    ) -> s.SelectQuery:
        distinct, reduced, projection = clause
        where = body.group
        if body.values is not None:
            if values is None and modifier == s.SolutionModifier():
                values = body.values
            else:
                where = s.GroupGraphPattern((s.UnionPattern((where,)), body.values))
        query = s.SelectQuery(projection, where, modifier, distinct, reduced, values=values)
        check_query(query, lambda message: self.error(message, meta))
        return query

    # --- clauses ----------------------------------------------------------------------------

    def clauses(self, children: Sequence[Any]) -> _Clauses:
        graphs = [child for child in children if not isinstance(child, StreamClause)]
        return _Clauses(
            tuple(child for child in children if isinstance(child, StreamClause)),
            tuple(iri for named, iri in graphs if not named),
            tuple(iri for named, iri in graphs if named),
        )

    @v_args(meta=True)
    def stream_clause(self, meta: Meta, children: Sequence[Any]) -> StreamClause:
        return StreamClause(children[-1], at(meta))

    @v_args(meta=True)
    def body(self, meta: Meta, children: Sequence[Any]) -> _Body:
        match children:
            case [s.UnionPattern((whole,))]:
                return _Body(whole)
            case [s.UnionPattern((whole,)), s.InlineData() as values]:
                return _Body(whole, values)
        group = s.GroupGraphPattern(tuple(children))
        check_group(group, self.error, at(meta))
        return _Body(group)

    braced_body = body

    def open_projection(self, children: Sequence[Any]) -> s.Projection:
        """?a + ?b AS ?c: the products first, then from the left."""
        first, *tail, variable = children
        terms: list[tuple[str, s.Expression]] = [("+", first)]
        for operator, operand in zip(map(str, tail[::2]), tail[1::2], strict=True):
            if operator in "*/":
                sign, factor = terms[-1]
                terms[-1] = (sign, s.Arithmetic(operator, factor, operand))
            else:
                terms.append((operator, operand))
        expression = terms[0][1]
        for operator, operand in terms[1:]:
            expression = s.Arithmetic(operator, expression, operand)
        return s.Projection(variable, expression)

    def reversed_projection(self, children: Sequence[Any]) -> s.Projection:
        variable, expression = children
        return s.Projection(variable, expression)

    # --- patterns and expressions -----------------------------------------------------------

    def group_or_union_graph_pattern(self, children: Sequence[Any]) -> s.UnionPattern:
        chain = s.UnionPattern((children[0],))
        for word, group in zip(children[1::2], children[2::2], strict=True):
            if word.upper() != "UNION":
                operator = Operator(word.upper())
                chain = TemporalPattern((_operand(chain), group), operator, at(word))
            elif isinstance(chain, TemporalPattern):
                chain = s.UnionPattern((_operand(chain), group))
            else:
                chain = replace(chain, alternatives=(*chain.alternatives, group))
        return chain

    def connective(self, children: Sequence[Token]) -> Token:
        return children[0]

    def interval_function(self, children: Sequence[Token]) -> s.BuiltIn:
        return s.BuiltIn(children[0].upper(), ())

    @v_args(meta=True)
    def duration(self, meta: Meta, children: Sequence[Token]) -> Literal:
        """30 MINUTES, 10m, PT10M: an xsd:dayTimeDuration"""
        microseconds, _ = duration_at(children, self.source, at(meta))
        return literal(format_duration(microseconds), XSD + "dayTimeDuration")


def _operand(chain: s.UnionPattern) -> s.GroupGraphPattern:
    """Return the left operand of an operator: a group, or several in a row as one group."""
    if len(chain.alternatives) == 1 and not isinstance(chain, TemporalPattern):
        return chain.alternatives[0]
    return s.GroupGraphPattern((chain,))
