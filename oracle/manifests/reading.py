"""Manifests of the W3C's SPARQL tests: the documents they name, and the tests that are excluded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from rdflib.term import URIRef

from ...semantics.model.errors import CaseError, StreamError
from ...semantics.model.terms import Graph, Term
from ...semantics.streams.files.input_errors import input_errors, named_file
from ...semantics.streams.rdf.graphs import read_graph


def file_iri(path: Path) -> URIRef:
    """Return the IRI of a file."""
    return URIRef(path.absolute().as_uri())


class DocumentGraphs(Mapping[URIRef, Graph]):
    """The documents in a folder by their IRIs, as files, as texts and, read once, as graphs.

    A manifest may come from a stranger: with a `root`, documents outside of this folder are not
    read. Nothing is fetched from elsewhere. Relative IRIs in a document are relative to the
    document.
    """

    def __init__(self, root: Path | None = None) -> None:
        self.root = root
        self._read: dict[URIRef, Graph] = {}

    def path(self, iri: str) -> Path:
        """Return the file that an IRI names. Raises StreamError where there is none to be read."""
        try:
            parts = urlsplit(iri)
        except ValueError as error:
            raise StreamError(f"<{iri}> is no IRI: {error}") from None
        if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
            raise StreamError(f"<{iri}> is no file, and nothing is fetched from elsewhere")
        return named_file(unquote(parts.path), self.root or Path("/"), self.root is None)

    def text(self, iri: str) -> str:
        """Return the text of a document. Raises StreamError."""
        path = self.path(iri)
        with input_errors(str(path)):
            return path.read_text(encoding="utf-8")

    def graph(self, iri: URIRef, base: str | None = None) -> Graph:
        """Return the graph of a document; raises StreamError. `base` is an IRI other than its own.
        """
        path = self.path(iri)
        if not path.is_file():
            raise StreamError(f"there is no file {path}")
        return read_graph(str(path), base=base or iri)

    def __getitem__(self, iri: URIRef) -> Graph:
        if iri not in self._read:
            self._read[iri] = self.graph(iri)
        return self._read[iri]

    def __contains__(self, iri: object) -> bool:
        try:
            return isinstance(iri, str) and self.path(iri).is_file()
        except StreamError:
            return False

    def __iter__(self) -> Iterator[URIRef]:
        return iter(self._read)

    def __len__(self) -> int:
        return len(self._read)


# --- manifests ------------------------------------------------------------------------------------

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
    """Return the tests of a manifest and of those that it includes, in their order.

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


# --- exclusions -----------------------------------------------------------------------------------

JUDGED_KINDS = (
    "QueryEvaluationTest", "CSVResultFormatTest", "PositiveSyntaxTest", "PositiveSyntaxTest11",
    "NegativeSyntaxTest", "NegativeSyntaxTest11",
)
JUDGED_REGIMES = ("RDFS", "RDF")
"""The entailment regimes that tests can be checked under, the stronger first."""

_WITHDRAWN = ("Withdrawn", "Rejected", "Obsoleted")


@dataclass(frozen=True, slots=True)
class Exclusions:
    """The reasons, by kinds of tests and by the IRIs of single tests."""

    kinds: Mapping[str, str]
    tests: Mapping[str, str]


@cache
def exclusions() -> Exclusions:
    """Return the contents of exclusions.yaml."""
    import yaml

    said = yaml.safe_load(Path(__file__).with_name("exclusions.yaml").read_text(encoding="utf-8"))
    tests = {}
    for entry in said["tests"]:
        for name in entry["tests"]:
            suite, _, rest = name.partition("/")
            category, _, local = rest.partition("#")
            tests[f"{said['suites'][suite]}{category}/manifest#{local}"] = entry["reason"]
    return Exclusions(said["kinds"], tests)


def exclusion(test: ManifestTest) -> str | None:
    """Return the reason that a test is not run; None if it is."""
    listed = exclusions()
    if str(test.iri) in listed.tests:
        return listed.tests[str(test.iri)]
    if test.approval in _WITHDRAWN:
        return f"the working group has marked the test {test.approval}"
    if test.kind in listed.kinds:
        return listed.kinds[test.kind]
    if test.entailment and regime(test) is None:
        return f"entailment regimes ({', '.join(test.entailment)}) are beyond RDFS"
    if test.remote:
        return "SERVICE (federated query) is not supported"
    if test.kind not in JUDGED_KINDS:
        return f"tests of type mf:{test.kind} are not known" if test.kind else "it has no type"
    return None


def regime(test: ManifestTest) -> str | None:
    """Return the entailment regime of a test: it has one answer for all that it names."""
    return next((each for each in JUDGED_REGIMES if each in test.entailment), None)
