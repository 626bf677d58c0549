"""Manifests of the W3C's SPARQL tests, those that they include among them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from rdflib.term import URIRef

from ....semantics.model.errors import CaseError, StreamError
from ....semantics.model.terms import Graph, Term
from .documents import DocumentGraphs, file_iri

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
QT = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#"
DAWGT = "http://www.w3.org/2001/sw/DataAccess/tests/test-dawg#"
SD = "http://www.w3.org/ns/sparql-service-description#"
ENT = "http://www.w3.org/ns/entailment/"


@dataclass(frozen=True, slots=True)
class ManifestTest:
    """One entry of a manifest; documents are named by their IRIs.

    `kind` is the local name of its type in the mf: vocabulary, `approval` of its dawgt:approval.
    A syntax test has only a query; `result` is None for it. `root` is the folder outside of which
    no document is read, None for none.
    """

    iri: URIRef
    name: str
    kind: str
    manifest: Path
    query: URIRef | None = None
    data: tuple[URIRef, ...] = ()
    named: tuple[URIRef, ...] = ()
    result: URIRef | None = None
    approval: str = ""
    entailment: tuple[str, ...] = ()
    remote: bool = False
    lax_cardinality: bool = False
    root: Path | None = None


class _Description:
    """A graph, looked at from its subjects."""

    def __init__(self, graph: Graph) -> None:
        self._objects: dict[tuple[Term, str], list[Term]] = defaultdict(list)
        for subject, predicate, object_ in graph:
            self._objects[subject, str(predicate)].append(object_)

    def all(self, subject: Term, predicate: str) -> list[Term]:
        return sorted(self._objects.get((subject, predicate), ()), key=str)

    def one(self, subject: Term, predicate: str) -> Term | None:
        return next(iter(self.all(subject, predicate)), None)

    def subjects(self, predicate: str) -> list[Term]:
        return sorted({s for s, p in self._objects if p == predicate}, key=str)

    def list(self, head: Term | None) -> Iterator[Term]:
        while head is not None and head != URIRef(RDF + "nil"):
            first = self.one(head, RDF + "first")
            if first is not None:
                yield first
            head = self.one(head, RDF + "rest")


def read_manifest(path: str | Path, *, files_outside: bool = False) -> list[ManifestTest]:
    """The tests of a manifest and of those that it includes, in their order.

    Raises StreamError for what is not Turtle, CaseError for what is no manifest. With
    `files_outside` it may name files that are not in its folder.
    """
    path = Path(path).resolve()
    documents = DocumentGraphs(None if files_outside else path.parent)
    return list(_tests(path, set(), documents))


def _tests(path: Path, visited: set[Path], documents: DocumentGraphs) -> Iterator[ManifestTest]:
    if path in visited:
        return
    visited.add(path)
    iri = file_iri(path)
    if iri not in documents:
        raise CaseError("no such manifest", source=str(path))
    description = _Description(documents[iri])
    if documents.root is not None:
        _refuse_absolute(path, documents)
    manifests = {
        *description.subjects(MF + "entries"), *description.subjects(MF + "include"),
    }
    if not manifests:
        raise CaseError("no manifest: neither mf:entries nor mf:include", source=str(path))
    for manifest in sorted(manifests, key=str):
        for head in description.all(manifest, MF + "include"):
            for included in description.list(head):
                try:
                    place = documents.path(str(included))
                except StreamError as error:
                    raise CaseError(
                        f"the manifest includes <{included}>: {error.message}", source=str(path)
                    ) from None
                yield from _tests(place.resolve(), visited, documents)
        for head in description.all(manifest, MF + "entries"):
            for entry in description.list(head):
                yield replace(_test(description, entry, path), root=documents.root)


def _refuse_absolute(path: Path, documents: DocumentGraphs) -> None:
    """Raise CaseError for a manifest that names a file by its whole IRI.

    Only IRIs that are not relative are the same under another base.
    """
    for triple in documents.graph(file_iri(path), base="urn:denota:manifest"):
        for term in triple:
            if isinstance(term, URIRef) and term.lower().startswith("file:"):
                raise CaseError(
                    f"the manifest names <{term}>: files are named relative to it"
                    " (--allow-external-files)", source=str(path),
                )


def _test(about: _Description, entry: Term, path: Path) -> ManifestTest:
    action = about.one(entry, MF + "action")
    result = about.one(entry, MF + "result")
    query = about.one(action, QT + "query") if action is not None else None
    if query is None and isinstance(action, URIRef):
        query = action
    kinds = [str(kind).removeprefix(MF) for kind in about.all(entry, RDF + "type")]
    kind = next((kind for kind in kinds if "/" not in kind), "")
    if not kind and query is not None:
        kind = "QueryEvaluationTest" if result is not None else ""
    regimes = [] if action is None else about.all(action, SD + "entailmentRegime")
    in_lists = [regime for head in regimes for regime in about.list(head)]
    return ManifestTest(
        iri=URIRef(str(entry)),
        name=str(about.one(entry, MF + "name") or entry),
        kind=kind,
        manifest=path,
        query=query if isinstance(query, URIRef) else None,
        data=_documents(about, action, QT + "data"),
        named=_documents(about, action, QT + "graphData"),
        result=result if isinstance(result, URIRef) else None,
        approval=str(about.one(entry, DAWGT + "approval") or "").removeprefix(DAWGT),
        entailment=tuple(
            str(regime).removeprefix(ENT)
            for regime in in_lists or regimes
            if isinstance(regime, URIRef)
        ),
        remote=action is not None and bool(about.all(action, QT + "serviceData")),
        lax_cardinality=URIRef(MF + "LaxCardinality") in about.all(entry, MF + "resultCardinality"),
    )


def _documents(about: _Description, action: Term | None, predicate: str) -> tuple[URIRef, ...]:
    if action is None:
        return ()
    return tuple(term for term in about.all(action, predicate) if isinstance(term, URIRef))
