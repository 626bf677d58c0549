"""SPAseq's Algorithms 1 to 10, as they are printed: engines to be checked.

    denota fuzz --language spaseq --engine python:denota.studies.printed.spaseq:AsPrinted

`AsPrinted` goes by the code of the algorithms and `AsExplained` by the sentences about it, where
the two differ. `Algorithm10` has the lazy conjunction, `Algorithm10Corrected` the same with another
test of the stream. `Corrected` has the answers of the definitions. Names are the paper's: G_e is an
event, u its stream, r a run, x a state, τ is `tau`. Of what the paper leaves out, the GPM evaluator
is that of the definitions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import ClassVar, Literal, TypeAlias

from rdflib.term import URIRef

from ...oracle.cases.case import Task
from ...oracle.checking.levels import Level
from ...semantics.model.errors import UnsupportedError
from ...semantics.model.mappings import Solutions
from ...semantics.model.trees import has
from ...semantics.rdf.mapping_sets import project
from ...semantics.spaseq.context import Context, contexts
from ...semantics.spaseq.denotation import iteration
from ...semantics.spaseq.stateful_filters import NO_PAST, STAR, Join, join, owed_by, without_past
from ...semantics.spaseq.streamset import Event, Instant
from ...semantics.spaseq.syntax.results import Pair
from ...semantics.spaseq.syntax.scoping import atoms, variables
from ...semantics.spaseq.syntax.tree import (
    Atom,
    Conjunction,
    Disjunction,
    KleenePlus,
    Negation,
    Operator,
    OptionalEvent,
    Reference,
    SpaseqQuery,
    WithinUnit,
)

Symbol: TypeAlias = Literal["", ";", "+", "&", "|", "?", "!"]
"""op of Def. 17; "" is the paper's ∅."""


@dataclass(frozen=True, slots=True)
class Theta:
    """θ = (U, op, P), the label of an edge; P by its name."""

    U: frozenset[URIRef]
    op: Symbol
    P: str


@dataclass(slots=True, eq=False)
class Run:
    """r: its active state, H (the join of the mappings that it has), its initialising time."""

    x: int
    H: Solutions
    initialised: int


def compiled(query: SpaseqQuery) -> list[list[Theta]]:
    """Section 6.2: the edges of x_0, x_1, …, each from x_i to x_{i+1}; x_f is the last target.

    Three kinds of edges are left out: no algorithm reads the loop ({U}, ;, ∅) of Figures 7 and 10
    or the ε of Figures 24 and 25, and KleenePlus takes both edges of Figure 5 for one.
    """
    def edge(op: Symbol, operand: object) -> Theta:
        if not isinstance(operand, Reference):
            raise UnsupportedError("a BOp of other operands than GPM expressions")
        stream = query.definition(operand.name).stream
        return Theta(frozenset({query.stream_iri(stream)}), op, operand.name)

    def edges(operator: Operator, psi: Atom) -> list[Theta]:
        match psi:
            case Reference():
                return [edge("" if operator is Operator.STRICT else ";", psi)]
            case KleenePlus(operand):
                return [edge("+", operand)]
            case Conjunction(operands):
                return [edge("&", each) for each in operands]
            case Disjunction(operands):
                return [edge("|", each) for each in operands]
            case OptionalEvent(operand):
                return [edge("?", operand)]
            case Negation(operand):
                return [edge("!", operand)]

    operators = [Operator.STRICT, *(step.operator for step in query.sequence.steps)]
    if Operator.ANY in operators:
        raise UnsupportedError("':', which the paper leaves to later work (appendix C.2)")
    return [edges(*each) for each in zip(operators, atoms(query.sequence), strict=True)]


def joins(query: SpaseqQuery, context: Context) -> list[Join]:
    """Return the join of an event's mappings with H, by state: for P+ by the reading `kleene`."""
    past, made = frozenset[object](), list[Join]()
    for psi in atoms(query.sequence):
        own = variables(psi, context.bindable)
        plus = isinstance(psi, KleenePlus)
        made.append(iteration(context.readings.kleene, own - past) if plus else join)
        past |= own
    return made


class AsPrinted:
    """Algorithms 1 to 9."""

    name = "SPAseq algorithms"
    version = "as printed"
    languages = ("spaseq",)
    level: Level = "pair"
    explained = False
    capabilities: ClassVar[Mapping[str, Mapping[str, list[str]]]] = {"spaseq": {
        "operators": [",", ";", "+", "&", "|", "!", "?", "+ first", "+ after an operand"],
        "windows": ["dateTime"],
    }}

    def run(self, case: Task) -> Iterable[Pair]:
        """Return the query matches. A run has a window of its own, so that a pair names none."""
        query: SpaseqQuery = case.tree
        if query.within.unit is WithinUnit.EVENTS or query.slide is not None:
            raise UnsupportedError("windows that Algorithm 2 does not have")
        self.omega, self.A = query.within.value, compiled(query)
        self.matches: set[tuple[Instant, Solutions]] = set()
        for context in _whole(query, case):
            self.context, self.joins = context, joins(query, context)
            self.algorithm_1(context.streamset.events)
        return frozenset(
            Pair(None, time, omega if query.select is None else project(omega, query.select), rank)
            for (time, rank), omega in self.matches
        )

    def algorithm_1(self, sigma: Iterable[Event]) -> None:
        """Algorithm 1. H is kept in the runs."""
        self.R: list[Run] = []
        self.D: dict[tuple[Run, int, Theta], Instant] = {}
        self.B: list[Event] = []
        for G_e in sigma:
            self.process_event(G_e)

    def process_event(self, G_e: Event) -> None:
        """Algorithm 2, with the functions of appendix C.4 integrated.

        A run that is added meanwhile does not see the event. As explained, line 3 asks whether r is
        outside of the window (as printed it compares ω with a point in time), and an operator at
        x_0 has its own function see the event (footnote 1).
        """
        for r in list(self.R):
            late = G_e.time[0] - r.initialised > self.omega
            if late if self.explained else self.omega > r.initialised:
                self.R.remove(r)
                continue
            self.function(r.x)(G_e, r, self.A[r.x])
        E0 = self.A[0]
        r_i = Run(0, NO_PAST, G_e.time[0])
        if self.explained and E0[0].op != "":
            self.R.append(r_i)
            self.function(0)(G_e, r_i, E0)
            if r_i in self.R and r_i.H is NO_PAST and r_i.x == 0:
                self.R.remove(r_i)
        elif G_e.stream in E0[0].U and self.gpm(G_e, E0[0], r_i):
            r_i.x = 1
            if len(self.A) > 1:  # else it is in x_f, which has no edge to be processed
                self.R.append(r_i)

    def function(self, x: int) -> Callable[[Event, Run, Sequence[Theta]], None]:
        """Lines 9 to 16 of Algorithm 2."""
        functions: dict[Symbol, Callable[[Event, Run, Sequence[Theta]], None]] = {
            "": self.event_selection, ";": self.event_selection, "+": self.kleene_plus,
            "&": self.conjunction, "|": self.disjunction, "?": self.optional, "!": self.negation,
        }
        return functions[self.A[x][0].op]

    def gpm(self, G_e: Event, theta: Theta, r: Run) -> bool:
        """Gpm(G_e, P_θ, H): whether P_θ has a match that joins H, which is then kept in H."""
        Y = self.context.gpm_solutions(theta.P, G_e.graph)
        if r.H is NO_PAST:
            Y = without_past(Y)
        joined = self.joins[r.x](r.H, Y)
        r.H = joined or r.H
        return bool(joined)

    def finish(self, r: Run, tau: Instant) -> None:
        """Add the match of r and remove r if r is in x_f: "a query match has been found"."""
        if r.x == len(self.A):
            self.matches.add((tau, r.H))
            self.R.remove(r)

    def kleene_plus(self, G_e: Event, r: Run, E: Sequence[Theta]) -> None:
        """Algorithm 3: at x_f line 8 removes r and not its clone."""
        theta = E[0]
        if G_e.stream in theta.U and self.gpm(G_e, theta, r):
            r_c = Run(r.x + 1, r.H, r.initialised)
            if r_c.x == len(self.A):
                self.matches.add((G_e.time, r_c.H))
                self.R.remove(r)
            else:
                self.R.append(r_c)
        else:
            self.R.remove(r)

    def event_selection(self, G_e: Event, r: Run, E: Sequence[Theta]) -> None:
        """Algorithm 4. As printed, `and` binds more than `or` in line 8; as explained, less."""
        theta, u = E[0], G_e.stream
        if u in theta.U and self.gpm(G_e, theta, r):
            r.x += 1
            self.finish(r, G_e.time)
        elif theta.op == ";" and (u not in theta.U or self.explained):
            pass
        elif self.explained or self.gpm(G_e, theta, r):
            self.R.remove(r)

    def conjunction(self, G_e: Event, r: Run, E: Sequence[Theta]) -> None:
        """Algorithm 5. Where AME is empty, line 7 has no a and nothing is compared."""
        tau = G_e.time
        AME = {e for e in E if (r, r.x, e) in self.D}
        if any(self.D[r, r.x, a] != tau for a in AME):
            self.R.remove(r)
            return
        for e in E:
            if e not in AME and G_e.stream in e.U and self.gpm(G_e, e, r):
                self.D[r, r.x, e] = tau
                AME.add(e)
        if len(AME) == len(set(E)):
            r.x += 1
            self.finish(r, tau)

    def disjunction(self, G_e: Event, r: Run, E: Sequence[Theta]) -> None:
        """Algorithm 6. Of several edges that match, H keeps the mappings of the first."""
        matched = any(G_e.stream in e.U and self.gpm(G_e, e, r) for e in E)
        if matched:
            r.x += 1
            self.finish(r, G_e.time)
        else:
            self.R.remove(r)

    def optional(self, G_e: Event, r: Run, E: Sequence[Theta]) -> None:
        """Algorithm 7."""
        theta = E[0]
        if G_e.stream in theta.U and self.gpm(G_e, theta, r):
            r.x += 1
        else:
            r.x += 2 if self.proceeding_state(G_e, r) else 1
        self.finish(r, G_e.time)

    def proceeding_state(self, G_e: Event, r: Run) -> bool:
        """Algorithm 8, of whose parameters Algorithms 7 and 9 give four; of several edges, one."""
        if r.x + 1 == len(self.A):
            return False
        theta = self.A[r.x + 1][0]
        return G_e.stream in theta.U and self.gpm(G_e, theta, r)

    def negation(self, G_e: Event, r: Run, E: Sequence[Theta]) -> None:
        """Algorithm 9."""
        theta = E[0]
        if G_e.stream in theta.U and self.gpm(G_e, theta, r):
            self.R.remove(r)
            return
        r.x += 2 if self.proceeding_state(G_e, r) else 1
        self.finish(r, G_e.time)


def _whole(query: SpaseqQuery, case: Task) -> Iterator[Context]:
    """Return all events from t on as one context; none if there are none."""
    within = replace(query.within, value=1 << 64)
    found = contexts(
        replace(query, within=within), case.streams, case.kb,
        replace(case.readings, window="tumbling"), case.evaluation.get("from"),
    )
    return (context for _, context in found)


class AsExplained(AsPrinted):
    """The same, where the text says something else than the code."""

    version = "as explained"
    explained = True


class Algorithm10(AsExplained):
    """The same with the lazy conjunction."""

    name = "SPAseq Algorithm 10"
    own_stream = False

    def conjunction(self, G_e: Event, r: Run, E: Sequence[Theta]) -> None:
        """Algorithm 10. B has to have a first event, too, and a run that has matched is removed.

        Line 17 compares the edge with u, the stream of the event that came last; as corrected with
        that of the buffered event G_i.
        """
        tau, B, at = G_e.time, self.B, r.x
        if B and B[0].time != tau:
            B.clear()
            self.R.remove(r)
            return
        if G_e not in B:
            B.append(G_e)
        unmatched = [e for e in E if (r, at, e) not in self.D]
        if len(unmatched) == len(B):
            for e in unmatched:
                for G_i in list(B):
                    u = G_i.stream if self.own_stream else G_e.stream
                    if u in e.U and self.gpm(G_i, e, r):
                        B.remove(G_i)
                        self.D[r, at, e] = G_i.time
            if all((r, at, e) in self.D for e in E):
                r.x += 1
                self.finish(r, tau)


class Algorithm10Corrected(Algorithm10):
    """The same with the stream of the buffered event."""

    version = "stream corrected"
    own_stream = True


@dataclass(slots=True, eq=False)
class Waiting:
    """A corrected run: how its state waits, since when, and the last instant at which it may go on.

    Before x_0 there is nothing to wait since.
    """

    x: int
    H: Solutions
    operator: Operator
    since: Instant | None = None
    until: Instant | None = None


class Corrected(AsPrinted):
    """Algorithms 1 to 9, corrected: all but `negation=absence`.

    The windows are those of Def. 16 (SPA-8). A run in x_0 never ends (SPA-29). A run leaves its
    state as a clone, and ends behind the instant at which its operator says so, whatever the state
    is (SPA-23, SPA-24); an iteration of P+ waits for the next one at its own state. At one instant
    the operands are collected from all events (SPA-13), and each way to match goes on (SPA-9).
    """

    version = "corrected"
    capabilities: ClassVar[Mapping[str, Mapping[str, list[str]]]] = {"spaseq": {}}

    def run(self, case: Task) -> Iterable[Pair]:
        """{(τ, π_V(Ω))} of each window."""
        query: SpaseqQuery = case.tree
        absence = case.readings.negation == "absence"
        if absence and has(query.sequence, Negation, OptionalEvent):
            raise UnsupportedError("negation=absence")
        start = case.evaluation.get("from")
        union = case.readings.answers == "union"
        return frozenset(
            Pair(
                None if union else window, time,
                omega if query.select is None else project(omega, query.select), rank,
            )
            for window, context in contexts(query, case.streams, case.kb, case.readings, start)
            for (time, rank), omega in _walked(query, context)
        )


def _walked(query: SpaseqQuery, context: Context) -> Iterator[tuple[Instant, Solutions]]:
    """Algorithms 1 to 4, corrected."""
    X, joined = atoms(query.sequence), joins(query, context)
    operators = [Operator.ANY, *(step.operator for step in query.sequence.steps)]
    R = [Waiting(0, NO_PAST, Operator.ANY)]
    D: dict[Atom, frozenset[Solutions]] = {}
    now: Instant | None = None
    for G_e in context.streamset.events:
        tau = G_e.time
        if tau != now:
            now, D = tau, {}
        before = [_matched(psi, D) for psi in X]
        D = {**D, **dict(_collected(context, G_e))}
        new = [_matched(psi, D) - known for psi, known in zip(X, before, strict=True)]
        R = [r for r in R if r.until is None or tau <= r.until]
        for r in list(R):
            if r.since == tau:
                continue
            if r.operator is Operator.STRICT:
                r.until = tau
            for Y in new[r.x]:
                H = joined[r.x](r.H, without_past(Y) if r.since is None else Y)
                if not H:
                    continue
                if r.operator is Operator.NEXT:
                    r.until = tau
                if isinstance(X[r.x], KleenePlus):
                    R.append(Waiting(r.x, H, Operator.STRICT if r.x else Operator.NEXT, tau))
                if r.x + 1 == len(X):
                    yield tau, H
                else:
                    R.append(Waiting(r.x + 1, H, operators[r.x + 1], tau))


def _collected(
    context: Context, G_e: Event
) -> Iterator[tuple[Atom, frozenset[Solutions]]]:
    """Yield each GPM on the event's stream, and its negation, with its match, if there is one."""
    for gpm in context.gpms.values():
        if gpm.stream == G_e.stream:
            Y, name = context.gpm_solutions(gpm.name, G_e.graph), Reference(gpm.name)
            if Y:
                yield name, frozenset({Y})
            if not Y or owed_by(Y):
                yield Negation(name), frozenset({STAR})


def _matched(psi: Atom, D: Mapping[Atom, frozenset[Solutions]]) -> frozenset[Solutions]:
    """Algorithms 5 to 9, corrected: the ways to match Ψ with the edges in D."""
    match psi:
        case Reference() | Negation():
            return D.get(psi, frozenset())
        case KleenePlus(operand):
            return _matched(operand, D)
        case OptionalEvent(operand):
            return _matched(operand, D) | _matched(Negation(operand), D)
        case Disjunction(operands):
            return frozenset().union(*(_matched(each, D) for each in operands))
        case Conjunction(operands):
            return reduce(_both, (_matched(each, D) for each in operands))


def _both(left: frozenset[Solutions], right: frozenset[Solutions]) -> frozenset[Solutions]:
    return frozenset(X_Y for X in left for Y in right if (X_Y := join(X, Y)))
