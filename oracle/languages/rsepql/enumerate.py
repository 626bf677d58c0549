"""All RSEP-QL cases up to a size: every query of an alphabet's restriction, on every streamset.

Bodies have the alphabet's forms. Where a query's letters are all that streams need to know of it,
graphs of one triple have them (`enumerated_graphs`). Otherwise an event is (time, number of its
stream, number of its graph), and those of one instant on one stream have an order, as windows may
count them.

An alphabet restricts the drawing functions, and has forms of bodies and graphs of items.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import accumulate, product
from typing import Any, Final, NamedTuple

from rdflib.term import URIRef

from ....semantics.model.items import TimeKind
from ....semantics.model.trees import changed, find, has
from ....semantics.rdf.syntax.tree import GroupGraphPattern, TriplePattern
from ....semantics.rsepql.syntax.parse import parse
from ....semantics.rsepql.syntax.readings import Readings
from ....semantics.rsepql.syntax.settings import PolicyName
from ....semantics.rsepql.syntax.tree import Bounds as WindowBounds
from ....semantics.rsepql.syntax.tree import (
    ConsumptionPolicy,
    Event,
    Moment,
    RsepqlQuery,
    StreamOperator,
    TimeBasedWindow,
    WindowPattern,
)
from ...inputs.choices import COIN, Choices, NothingAllowed, Options
from ...inputs.forms import Forms, Placed, exchanged, graph, items, trig, words
from ...inputs.graphs import NAMESPACE, STREAMS, name
from ...ranks.numbered_streams import NumberedStreams, Symbols, choices, held_one_by_one
from ..enumerated_graphs import (
    GAPS,
    LETTERS,
    NOTHING,
    STEPS,
    GraphAlphabet,
    GraphEnumeration,
    instant_streams,
    placed,
)
from ..enumeration import Bounds
from .generate.events import Bodies
from .generate.queries import GRAMMAR_VERSION, query
from .generate.streams import suits

_PLAIN: Final[Options] = {
    "rsepql/time": (TimeKind.INTEGER,), "rsepql/streams": (1,), "rsepql/windows asked": (1,),
    "rsepql/shape": ("match",), "operators of a window": (0,), "rsepql/arrangement": ("any",),
    "rsepql/windows": ("in order",), "rsepql/window asked": (0,), "rsepql/window": ("time",),
    "rsepql/width": (2,), "rsepql/step": (None,), "rsepql/start": (0,),
    "rsepql/bounds": (WindowBounds.OPEN_CLOSED,), "rsepql/elements": (1,), "rsepql/every": (1,),
    "rsepql/landmark": (0,), "begin of BETWEEN": (1,), "length of BETWEEN": (2,),
    "rsepql/window functions": ("any",), "rsepql/from window": (False,),
    "rsepql/consuming": (False,), "rsepql/consumption": (ConsumptionPolicy.CHRONOLOGICAL,),
    "rsepql/operator": (StreamOperator.RSTREAM,), "rsepql/form": ("all",), "rsepql/listed": (1,),
    "rsepql/counted": ("by group",), "rsepql/filtered": (False,), "rsepql/dataset": (None,),
    "rsepql/policy": (None,),
}
"""An event pattern over one window, without clauses, evaluated when the content changes."""

@dataclass(frozen=True)
class RsepqlAlphabet(GraphAlphabet):
    """The bodies of EVENT and WINDOW, and the graphs of streams.

    `instants`: queries name instants. `background` has graphs by their names.
    """

    instants: bool = False
    background: tuple[tuple[str, str], ...] = ()

    @property
    def allowed(self) -> Options:
        """The whole restriction."""
        return {**_PLAIN, "rsepql/form of a body": self.forms, **self.more}


_POLICIES: Final = (None, "window-close", "non-empty-content", "periodic")
_CONSUMING: Final[Options] = {"rsepql/consuming": COIN}
_ONE: Final = "?x :A ?a"

ALPHABETS = {
    alphabet.name: alphabet
    for alphabet in (
        RsepqlAlphabet(STEPS.name, STEPS.summary, _CONSUMING),
        RsepqlAlphabet(GAPS.name, GAPS.summary, _CONSUMING),
        RsepqlAlphabet(
            "window-functions",
            "in RSEP-QL: one pattern over every window function and OF, with stream operators, "
            "report policies and a projection; windows are N wide (--within N; 2)",
            {
                "rsepql/shape": ("window", "match", "default alone"), "rsepql/events": (1,),
                "operators of a match": (0,), "operators of a window": range(10),
                "rsepql/window": ("time", "landmark", "interval", "identity", "count"),
                "rsepql/step": (None, 2), "rsepql/start": (0, 1),
                "rsepql/bounds": tuple(WindowBounds), "rsepql/elements": (1, 2),
                "rsepql/every": (1, 2), "rsepql/landmark": (1,),
                "rsepql/operator": tuple(StreamOperator), "rsepql/form": ("all", "list"),
                "rsepql/policy": _POLICIES,
            },
            ("?s :A ?a",), ("s A a", "s A b", NOTHING), alike=True, instants=True,
        ),
        RsepqlAlphabet(
            "two-windows",
            "in RSEP-QL: two windows, on one stream or on two, joined or in sequence, with report "
            "policies and CONSUME; each is N or N + 1 wide (--within N; 2)",
            {
                "rsepql/streams": (1, 2), "rsepql/windows asked": (2,),
                "rsepql/shape": (
                    "window window", "variable", "match window", "match match", "match",
                ),
                "rsepql/width": (2, 3), "rsepql/policy": _POLICIES, **_CONSUMING,
            },
            LETTERS[:2], ("a A o", "b A o", "a B o", "b B o", NOTHING), alike=True,
        ),
        RsepqlAlphabet(
            "event-joins",
            "in RSEP-QL: event patterns whose parts share variables or do not, have constants and "
            "two triples, in a window that is N wide (--within N; 2)",
            {
                "rsepql/operator": tuple(StreamOperator), "rsepql/form": ("all", "list"),
                **_CONSUMING, "rsepql/consumption": (
                    ConsumptionPolicy.CHRONOLOGICAL, ConsumptionPolicy.RECENT,
                ),
            },
            (_ONE, "?x :B ?b", ":a :A ?a", "?x :A ?a . ?x :B ?b", "?x :A ?a . ?other :B ?b"),
            (
                *(f"{node} {graph}" for node in "ab" for graph in ("A o", "B o")),
                "a A o . a B o", "b A o . b B o", NOTHING,
            ),
        ),
        RsepqlAlphabet(
            "group-patterns",
            "in RSEP-QL: OPTIONAL, MINUS, UNION, FILTER and GRAPH over windows, events and "
            "datasets, and the query forms, in a window that is N wide (--within N; 2)",
            {
                "rsepql/shape": ("match", "window"),
                "rsepql/form": ("all", "ask", "construct", "count"),
                "rsepql/dataset": (None, "two", "stream"),
            },
            (
                _ONE, "?x :A ?x", "?x :A ?a . ?x :B ?b", "{ ?x :A ?a } UNION { ?x :B ?b }",
                *(f"?x :A ?a {more}" for more in (
                    "OPTIONAL { ?x :B ?c }", "OPTIONAL { ?x :B ?b FILTER(?b != ?c) }",
                    "MINUS { ?x :B ?c }", "FILTER NOT EXISTS { ?x :B ?b }",
                    "FILTER EXISTS { ?x :B ?b }", "FILTER(?a = :o)",
                    "FILTER(?a != :o || ?c = :o)", "OPTIONAL { ?x :B ?c } FILTER(?c = ?a)",
                    "OPTIONAL { ?x :B ?c } FILTER(!bound(?c))", "GRAPH :g1 { ?x :K ?k }",
                    "GRAPH ?g { ?x :K ?k }", "GRAPH :s3 { ?x ?p ?c }",
                )),
            ),
            ("a A o", "a A b", "a B o", "a B b", "a A o . a B o", "b A b", "b A o . b A b . b B a"),
            others=1, background=(("g1", "a K o"), ("g2", "b K o")),
        ),
    )
}


_WIDE: Final = 2
_PERIODIC: Final = {"period": 2, "start": 1}


class About(NamedTuple):
    """The letters of a query where its streams have them, the numbers of its streams, and when it
    is evaluated."""

    letters: str
    streams: tuple[int, ...]
    policy: PolicyName | None


class RsepqlEnumeration(GraphEnumeration[RsepqlQuery, About, Readings]):
    """`within` is the width of windows; without it they are 2 wide, or, over letters, landmark
    windows."""

    language, prefixes, readings_type = "rsepql", {"": NAMESPACE}, Readings
    version = GRAMMAR_VERSION

    def __init__(self, bounds: Bounds) -> None:
        bounds.only_wide("windows of RSEP-QL are N wide, without SLIDE")
        super().__init__(bounds)
        self.alphabet: RsepqlAlphabet = bounds.alphabet_of(self.language)
        self.allowed = dict(self.alphabet.allowed)
        if not self.alphabet.graphs and bounds.within is None:
            self.allowed["rsepql/window"] = ("landmark",)
        self._width = bounds.within or (_WIDE if self.alphabet.graphs else 0)
        self.variants: Sequence[PolicyName | None] = self.allowed["rsepql/policy"]
        self._streams: dict[tuple[Sequence[int], int], NumberedStreams] = {}

    # --- queries ---------------------------------------------------------------------------------

    def drawn(
        self, choices: Choices, operators: int, variant: PolicyName | None
    ) -> RsepqlQuery:
        found = query(choices, operators, bodies=self._bodies())
        if variant is not None and not suits(variant, found):
            raise NothingAllowed("no window closes")
        if found.consumption is not ConsumptionPolicy.UNRESTRICTED and not has(found, Event):
            raise NothingAllowed("nothing is consumed")
        if self._width in (0, _WIDE):
            return found
        wide = partial(_as_wide, more=self._width - _WIDE)
        return replace(found, windows=changed(found.windows, wide))

    def _bodies(self) -> Bodies:
        """Return the function that draws the bodies of one query, each of a form."""
        alphabet, things = self.alphabet, list[str]()
        forms = Forms(
            "rsepql/form of a body", alphabet.forms, alphabet.others, in_order=alphabet.of_letters
        )
        return lambda choices, count: [
            _pattern(forms.drawn(choices, things, [])) for _ in range(count)
        ]

    def about(self, query: RsepqlQuery, variant: PolicyName | None) -> About:
        named = [clause.stream for clause in query.windows]
        dataset = query.form.dataset
        if dataset is not None:
            named += [*dataset.default, *dataset.named]
        letters = ""
        if not self.alphabet.graphs:
            found = find(query.form.where, TriplePattern)
            letters = "".join(sorted({str(each.predicate)[-1] for each in found}))
        return About(letters, tuple(k for k in range(3) if STREAMS[k] in named), variant)

    # --- streams ---------------------------------------------------------------------------------

    def streams(self, about: About, events: int) -> NumberedStreams:
        if not self.alphabet.graphs:
            return self.of_letters(instant_streams, about.letters, events)
        key = about.streams, events
        if key not in self._streams:
            self._streams[key] = held_one_by_one(self._words(*key), events, 3)
        return self._streams[key]

    def _words(self, streams: Sequence[int], events: int) -> Iterator[Symbols]:
        graphs, last = self.alphabet.graphs, self._width + 2
        # Where queries name no instants, those more than the width apart are alike.
        first, gaps = (last + 1, last + 1) if self.alphabet.instants else (1, last)
        chosen = choices(range(first), range(gaps), events)
        times = (tuple(accumulate(steps))[:events] for steps in chosen)
        if self.alphabet.instants:
            times = (each for each in times if each[-1:] <= (last,))
        turned = exchanged(graphs) if self.alphabet.alike else range(len(graphs))
        return words(times, events, list(product(streams, range(len(graphs)))), turned)

    def _events(self, streams: Symbols) -> Iterator[Placed]:
        if not self.alphabet.graphs:
            return placed(streams)
        graphs = self.alphabet.graphs
        return ((time, STREAMS[stream], graphs[number]) for time, stream, number in streams)

    def written(self, about: About, streams: Symbols) -> str:
        return trig(self._events(streams), [STREAMS[k] for k in about.streams])

    def items(self, about: About, streams: Symbols) -> dict[URIRef, tuple[Any, ...]]:
        return items(self._events(streams), [STREAMS[k] for k in about.streams])

    def beside(self, about: About) -> Mapping[str, Any]:
        found: dict[str, Any] = {}
        if self.alphabet.background:
            found["kb"] = {name(local): graph(text) for local, text in self.alphabet.background}
        if about.policy is not None:
            more = _PERIODIC if about.policy == "periodic" else {}
            found["evaluation"] = {"policy": about.policy, **more}
        return found


def _as_wide(part: object, more: int) -> object:
    """Return a window function that is so much wider, and its step, which is as long as it."""
    if not isinstance(part, TimeBasedWindow):
        return part
    step = None if part.step is None else Moment(part.step.value + more)
    return replace(part, width=Moment(part.width.value + more), step=step)


# --- bodies --------------------------------------------------------------------------------------

_FORM: Final = f"PREFIX : <{NAMESPACE}> " + (
    "SELECT * FROM NAMED WINDOW :w ON :s [ALL] WHERE { WINDOW :w { %s } }"
)


@cache
def _pattern(text: str) -> GroupGraphPattern:
    where = parse(_FORM % text).form.where
    return next(each.pattern for each in find(where, WindowPattern))


ENUMERATION = RsepqlEnumeration
