"""Dictionary encoding: RDF terms to small integers and back.

An id is at least 1; 0 means "unbound"; a negative id names a list of ids, the value that
`kleene=collect` binds a variable to. Two terms have the same id iff they are the same RDF term
(RDF 1.1 Concepts, 3.3; language tags are compared without regard to case).

Memory stays bounded over unbounded streams. Terms of queries and background graphs are kept
for ever; the others live until a sweep finds that nobody has retained them:

    if dictionary.due:
        dictionary.retain(ids that partial matches still hold)
        dictionary.sweep()

After a sweep the ids of forgotten terms are given to new terms, so an id that was not retained
must not be looked at again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

from ....semantics.model.errors import Impossible
from ....semantics.model.mappings import Value as BoundValue
from ....semantics.model.terms import BNode, Graph, Literal, Term, URIRef
from ....semantics.rdf.syntax.rdfs import Entailment
from ...checkpoints.state_schema import stateful
from ...tuning import IN_USE
from ..expressions.functions import now
from ..expressions.values import ValueCache
from .entailment import entailed_triples
from .graphs import EncodedPair, EncodedTriple, IndexedGraph, by_predicate

if TYPE_CHECKING:
    from .tokens import InternedTerms

LiteralKind: TypeAlias = tuple[URIRef | None, str | None]
"""Datatype and language tag: what two literals of one lexical form may differ in."""

UNBOUND = 0
_NONE: dict[str, int] = {}

_STRING = URIRef("http://www.w3.org/2001/XMLSchema#string")


@stateful(
    kept=(
        "_terms", "_lists", "_list_items", "_free", "_free_lists", "_permanent", "_alive",
        "_threshold", "sweeps", "started", "base", "substitutes",
    ),
    compiled=("_backgrounds",),
    anew=("_iris", "_blanks", "_literals", "_latest", "values", "_interned", "_holders"),
)
class Dictionary:
    """A growing and shrinking bijection between terms and positive integers.

    >>> dictionary = Dictionary()
    >>> one = dictionary.encode(URIRef("http://example.org/1"))
    >>> dictionary.decode(one)
    rdflib.term.URIRef('http://example.org/1')
    """

    def __init__(self, base: str | None = None, *, substitutes: bool = False) -> None:
        self._terms: list[Term | None] = [None]
        # Keyed by plain strings: hashing and comparing rdflib's terms costs several times as much.
        self._iris: dict[str, int] = {}
        self._blanks: dict[str, int] = {}
        self._literals: dict[LiteralKind, dict[str, int]] = {}
        self._lists: dict[tuple[int, ...], int] = {}
        self._list_items: dict[int, tuple[int, ...]] = {}
        self._free: list[int] = []
        self._free_lists: list[int] = []
        self._permanent: set[int] = set()
        self._alive: set[int] = set()
        self._threshold = IN_USE.terms
        self._backgrounds: dict[tuple[int, Entailment], tuple[Graph, IndexedGraph]] = {}
        self._latest: tuple[Graph, IndexedGraph] | None = None
        self._interned: InternedTerms | None = None
        self._holders: list[Callable[[], Iterable[int]]] = []
        self.values = ValueCache(self._terms)
        self.sweeps = 0
        """The number of sweeps: facts about ids are valid until the next."""
        self.started = now()
        """The value of NOW(): the same throughout the execution that the dictionary serves."""
        self.base = base
        """The base IRI against which IRI() resolves a relative IRI, in that execution."""
        self.substitutes = substitutes
        """Within EXISTS, values stand in the place of variables: an end of a path is a constant."""

    def complete(self) -> None:
        """Make the terms that exist only as bytes, before all terms are saved."""
        if self._interned is not None:
            for number in self._interned.ids_held():
                self.decode(number)

    def resumed(self) -> None:
        """Rebuild the lookup tables from the restored terms."""
        for found_out in (self._iris, self._blanks, self._literals, self.values):
            found_out.clear()
        self._latest = self._interned = self.values.interned = None
        for number, term in enumerate(self._terms):
            if isinstance(term, Literal):
                self._literals_of((term._datatype, term._language))[str(term)] = number
            elif term is not None:
                (self._iris if isinstance(term, URIRef) else self._blanks)[str(term)] = number

    def __len__(self) -> int:
        """Return the number of terms and lists held now."""
        return len(self._terms) - 1 - len(self._free) + len(self._list_items)

    # --- encoding -------------------------------------------------------------------------------

    def encode(self, term: Term, *, permanent: bool = False) -> int:
        """Return the id of a term; `permanent` keeps it through every sweep."""
        if isinstance(term, Literal):
            # The properties of rdflib's literals cost more than all the rest.
            kind = (term._datatype, term._language)
            table = self._literals.get(kind) or self._literals_of(kind)
        elif isinstance(term, URIRef):
            table = self._iris
        elif isinstance(term, BNode):
            table = self._blanks
        else:
            raise Impossible(f"not an RDF term: {term!r}")
        key = str(term)
        number = table.get(key)
        if number is None:
            number = table[key] = self._new(term)
        if permanent:
            self._permanent.add(number)
        return number

    def _new(self, term: Term) -> int:
        interned = self._interned
        number = 0 if interned is None else interned.id_of(term)
        if number:
            self._terms[number] = term
            return number
        if self._free:
            number = self._free.pop()
            self._terms[number] = term
        else:
            number = len(self._terms)
            self._terms.append(term)
        if interned is not None:
            interned.add(term, number)
        return number

    @property
    def interned(self) -> InternedTerms:
        """The terms as bytes, for readers that make no objects of them; made when asked for."""
        if self._interned is None:
            from .tokens import InternedTerms

            self._interned = self.values.interned = InternedTerms(self._terms)
        return self._interned

    def new_ids(self, count: int) -> list[int]:
        """Return `count` ids of terms that are known by their bytes alone: see `interned`."""
        taken = max(len(self._free) - count, 0)
        ids = self._free[taken:]
        del self._free[taken:]
        first, missing = len(self._terms), count - len(ids)
        ids.extend(range(first, first + missing))
        self._terms.extend([None] * missing)
        return ids

    def _literals_of(self, kind: LiteralKind) -> dict[str, int]:
        """Return the table of a kind of literals; kinds that RDF does not tell apart share one."""
        datatype, language = kind
        normal = (
            None if datatype == _STRING else datatype,
            None if language is None else language.lower(),
        )
        table = self._literals.setdefault(normal, {})
        self._literals[kind] = table
        return table

    def encode_graph(self, graph: Graph) -> list[EncodedTriple]:
        """Return the triples of a graph as triples of ids, in no particular order."""
        return IndexedGraph(self._buckets(graph)).triples

    def _buckets(self, graph: Graph) -> dict[int, list[EncodedPair]]:
        """Return the encoded graph by predicate."""
        iris = self._iris
        encode = self.encode
        buckets: dict[int, list[EncodedPair]] = {}
        for subject, predicate, obj in graph:
            s = iris.get(str(subject)) if type(subject) is URIRef else None
            p = iris.get(str(predicate)) if type(predicate) is URIRef else None
            o = iris.get(str(obj)) if type(obj) is URIRef else None
            if s is None:
                s = encode(subject)
            if p is None:
                p = encode(predicate)
            if o is None:
                o = encode(obj)
            bucket = buckets.get(p)
            if bucket is None:
                buckets[p] = [(s, o)]
            else:
                bucket.append((s, o))
        return buckets

    def index(self, graph: Graph) -> IndexedGraph:
        """Return the graph encoded and ready for matching.

        The latest graph is remembered, so that several patterns over one event encode it once.
        """
        latest = self._latest
        if latest is not None and latest[0] is graph:
            return latest[1]
        indexed = IndexedGraph(self._buckets(graph))
        self._latest = (graph, indexed)
        return indexed

    def remembers(self, graph: Graph) -> bool:
        """Return True if this is the latest graph, which need not be encoded again."""
        return self._latest is not None and self._latest[0] is graph

    def background(self, graph: Graph, entailment: Entailment = "none") -> IndexedGraph:
        """Index a permanent graph as `index` does: its terms are permanent, its indexes shared.

        It holds what the graph entails as well; that is worked out once.
        """
        key = id(graph), entailment
        known = self._backgrounds.get(key)
        if known is None:
            triples = entailed_triples(
                self.encode_graph(graph), entailment, self.encode, self.decode
            )
            for triple in triples:
                self._permanent.update(triple)
            # The graph is held too: its id() must not be given to another.
            known = self._backgrounds[key] = (graph, IndexedGraph(by_predicate(triples)))
        return known[1]

    def encode_list(self, ids: Iterable[int]) -> int:
        """Return the (negative) id of a list of ids; equal lists have equal ids.

        Such a value equals only itself and is a type error in every expression.
        """
        items = tuple(ids)
        number = self._lists.get(items)
        if number is None:
            number = self._free_lists.pop() if self._free_lists else -1 - len(self._list_items)
            self._lists[items] = number
            self._list_items[number] = items
        return number

    # --- decoding -------------------------------------------------------------------------------

    def decode(self, number: int) -> Term:
        """Return the term of a positive id."""
        term = self._terms[number] if number > 0 else None
        if term is None and number > 0 and self._interned is not None:
            term = self._interned.term(number)
        if term is None:
            raise Impossible(f"{number} is not the id of a term")
        return term

    def decode_value(self, number: int) -> BoundValue:
        """Return a variable's value: the term of a positive id, the terms of a negative one."""
        if number < 0:
            return tuple(self.decode(item) for item in self._list_items[number])
        return self.decode(number)

    # --- forgetting -----------------------------------------------------------------------------

    @property
    def due(self) -> bool:
        """True if the number of new terms since the last sweep makes another one worthwhile."""
        return len(self) >= self._threshold

    def keep(self, ids: Iterable[int]) -> None:
        """Make ids permanent."""
        self._permanent.update(number for number in ids if number > 0)

    def retain(self, ids: Iterable[int]) -> None:
        """Mark ids as still in use, for the next sweep. Unbound is skipped, lists keep items."""
        self._alive.update(ids)

    def hold_for(self, holder: Callable[[], Iterable[int]]) -> Callable[[], None]:
        """Let every sweep retain the ids of `holder`; return a function that ends that."""
        self._holders.append(holder)
        return lambda: self._holders.remove(holder)

    def sweep(self) -> int:
        """Evict every term that is neither permanent nor retained; return their number."""
        alive = self._alive
        for holder in self._holders:
            alive.update(holder())
        for number in [number for number in alive if number < 0]:
            alive.update(self._list_items[number])
        forgotten = self._sweep_lists(alive) + self._sweep_terms(alive | self._permanent)
        self._alive = set()
        self._latest = None
        self.sweeps += 1
        # Sweeping when the population has doubled makes its cost per new term constant.
        self._threshold = max(IN_USE.terms, IN_USE.grown * len(self))
        return forgotten

    def _sweep_lists(self, alive: set[int]) -> int:
        dead = [number for number in self._list_items if number not in alive]
        for number in dead:
            del self._lists[self._list_items.pop(number)]
        # Ids are -1 … -n in use or free, so that a new one is always below them all.
        self._free_lists.extend(dead)
        if not self._list_items:
            self._free_lists.clear()
        return len(dead)

    def _sweep_terms(self, alive: set[int]) -> int:
        forgotten: list[int] = []
        terms = self._terms
        values = self.values
        for number in range(1, len(terms)):
            term = terms[number]
            if term is None or number in alive:
                continue
            if isinstance(term, URIRef):
                self._iris.pop(str(term), None)  # one that was decoded only is not there
            elif isinstance(term, BNode):
                self._blanks.pop(str(term), None)
            else:
                kind = term._datatype, term._language
                self._literals.get(kind, _NONE).pop(str(term), None)
            terms[number] = None
            values.pop(number, None)
            forgotten.append(number)
        if self._interned is not None:
            forgotten = list({*forgotten, *self._interned.forget(alive)})
        self._free.extend(forgotten)
        self._literals = {kind: table for kind, table in self._literals.items() if table}
        return len(forgotten)
