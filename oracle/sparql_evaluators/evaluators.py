"""The evaluators: pyoxigraph and rdflib, each with the query as text and the same terms."""

from __future__ import annotations

import logging
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any, Protocol

from rdflib.term import BNode, Identifier, Literal, URIRef, Variable

from ...semantics.model.errors import UnsupportedError
from ...semantics.model.mappings import SolutionMapping
from ...semantics.model.terms import Term, Triple, literal
from .pattern_cases import Question, Solutions

_XSD_STRING = "http://www.w3.org/2001/XMLSchema#string"


class Refusal(Exception):
    """An evaluator gives no answer but an error."""


class Opinion(Protocol):
    """Another evaluator of SPARQL."""

    name: str
    ruled: bool
    """whether it goes by denota's rulings where the recommendation leaves something open"""

    @property
    def version(self) -> str: ...

    def solutions(self, question: Question) -> Solutions:
        """Return its answer. Raises Refusal."""


class Pyoxigraph:
    """Oxigraph, by its Python binding."""

    name = "pyoxigraph"
    ruled = False

    @property
    def version(self) -> str:
        from importlib.metadata import version

        return version("pyoxigraph")

    def solutions(self, question: Question) -> Solutions:
        import pyoxigraph as ox

        store = ox.Store()
        try:
            for triple in question.dataset.default:
                store.add(_quad(triple, ox.DefaultGraph()))
            for name, graph in question.named.items():
                named = ox.NamedNode(str(name))
                store.add_graph(named)
                for triple in graph:
                    store.add(_quad(triple, named))
            rows: Any = store.query(question.text)
            names = [variable.value for variable in rows.variables]
            return Counter(
                SolutionMapping(
                    (Variable(name), _from_oxigraph(value))
                    for name, value in zip(names, row, strict=True)
                    if value is not None
                )
                for row in rows
            )
        except (SyntaxError, ValueError, OSError, RuntimeError) as error:
            raise Refusal(str(error)) from None


class EngineOpinion:
    """The production engine's matcher; it has no deviations that are known.

    If it is `small`, so are its capacities.
    """

    ruled = True

    def __init__(self, *, small: bool = False) -> None:
        self.name = "production:small" if small else "production"
        self._small = small

    def varied(self, number: int) -> Opinion:
        """Return the same engine, in turns with small capacities; for fuzzing."""
        return opinion("production:small") if number % 2 else self

    @property
    def version(self) -> str:
        from ... import __version__

        return __version__

    def solutions(self, question: Question) -> Solutions:
        from ...engine.tuning import IN_USE, SMALL, capacities

        with capacities(SMALL if self._small else IN_USE):
            return self._solutions(question)

    def _solutions(self, question: Question) -> Solutions:
        from ...engine.rdf.data.dictionary import Dictionary
        from ...engine.rdf.matcher import compile_pattern

        dictionary = Dictionary()
        try:
            matcher = compile_pattern(question.pattern, dictionary, question.named, defer=False)
            for graph in question.named.values():
                # What it remembers of one graph must not show in the answer over another.
                matcher.match(graph)
                dictionary.sweep()
            rows = matcher.match(question.dataset.default)
        except Exception as error:  # a crash is an answer, and a discovery
            raise Refusal(f"{type(error).__name__}: {error}") from None
        return Counter(
            SolutionMapping(
                (variable, dictionary.decode(number))
                for variable, number in zip(matcher.columns, row, strict=True)
                if number
            )
            for row in rows
        )


def _quad(triple: Triple, graph: Any) -> Any:
    import pyoxigraph as ox

    subject, predicate, object_ = map(_oxigraph_term, triple)
    return ox.Quad(subject, predicate, object_, graph)


def _oxigraph_term(term: Term) -> Any:
    import pyoxigraph as ox

    if isinstance(term, URIRef):
        return ox.NamedNode(str(term))
    if isinstance(term, BNode):
        return ox.BlankNode(str(term))
    if term.language is not None:
        return ox.Literal(str(term), language=term.language)
    datatype = None if term.datatype is None else ox.NamedNode(str(term.datatype))
    return ox.Literal(str(term), datatype=datatype)


def _from_oxigraph(value: Any) -> Term:
    import pyoxigraph as ox

    if isinstance(value, ox.NamedNode):
        return URIRef(value.value)
    if isinstance(value, ox.BlankNode):
        return BNode(value.value)
    if value.language is not None:
        return literal(value.value, None, value.language)
    return literal(value.value, value.datatype.value)


class Rdflib:
    """rdflib's own evaluator of SPARQL."""

    name = "rdflib"
    ruled = False

    @property
    def version(self) -> str:
        from importlib.metadata import version

        return version("rdflib")

    def solutions(self, question: Question) -> Solutions:
        from rdflib import Dataset

        with _as_it_is_written():
            dataset = Dataset(default_union=False)
            for triple in question.dataset.default:
                dataset.add(tuple(map(_rdflib_term, triple)))  # type: ignore[arg-type]
            for name, graph in question.named.items():
                context = dataset.graph(name)
                for triple in graph:
                    context.add(tuple(map(_rdflib_term, triple)))  # type: ignore[arg-type]
            try:
                return Counter(
                    SolutionMapping(
                        (variable, _exact(value)) for variable, value in row.items()
                    )
                    for row in _bindings(dataset, question.text)
                )
            except Exception as error:  # it raises whatever its evaluation stumbles on
                raise Refusal(f"{type(error).__name__}: {error}") from None


def _bindings(dataset: Any, text: str) -> Iterable[Mapping[Variable, Any]]:
    # What `Dataset.query` does, without the result object: that one tells an attribute that the
    # evaluation misses as if its own were missing, and leaves out empty solutions.
    from rdflib.plugins.sparql import prepareQuery
    from rdflib.plugins.sparql.evaluate import evalQuery

    bindings: Iterable[Mapping[Variable, Any]] = evalQuery(dataset, prepareQuery(text))["bindings"]
    return bindings


@contextmanager
def _as_it_is_written() -> Iterator[None]:
    """Disable rdflib's rewriting of lexical forms, and its warnings about them."""
    import rdflib

    log = logging.getLogger("rdflib.term")
    before, disabled = rdflib.NORMALIZE_LITERALS, log.disabled
    rdflib.NORMALIZE_LITERALS = False
    log.disabled = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        rdflib.NORMALIZE_LITERALS = before
        log.disabled = disabled


def _rdflib_term(term: Term) -> Term:
    """Return a literal as rdflib makes it, with the value that it takes from the lexical form."""
    if not isinstance(term, Literal):
        return term
    if term.language is not None:
        return Literal(str(term), lang=term.language)
    return Literal(str(term), datatype=term.datatype, normalize=False)


def _exact(term: Identifier) -> Term:
    if isinstance(term, Literal):
        datatype = None if term.datatype is None else str(term.datatype)
        return literal(str(term), datatype, term.language)
    assert isinstance(term, URIRef | BNode)
    return term


NAMES = ("production", "pyoxigraph", "rdflib")


@cache
def opinion(name: str) -> Opinion:
    """Return the evaluator of this name. Raises UnsupportedError for any other."""
    match name:
        case "production":
            return EngineOpinion()
        case "production:small":
            return EngineOpinion(small=True)
        case "pyoxigraph":
            return Pyoxigraph()
        case "rdflib":
            return Rdflib()
    raise UnsupportedError(f"'{name}' does not answer SPARQL here (who does: {', '.join(NAMES)})")
