"""Why a SPAseq query has a match or has it not: the rules of Defs. 7 to 16."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from rdflib.term import URIRef, Variable

from ....semantics.model.items import TimeKind
from ....semantics.model.mappings import EMPTY_MAPPING, SolutionMapping, Solutions
from ....semantics.model.shown import text_of
from ....semantics.model.trees import find
from ....semantics.rdf.mapping_sets import project
from ....semantics.rdf.syntax.tree import Filter
from ....semantics.spaseq.absence import is_absent
from ....semantics.spaseq.chains import Chain, Following, chain_variables, chains
from ....semantics.spaseq.context import Context, contexts
from ....semantics.spaseq.deferral import (
    NO_CONDITIONS,
    Conditions,
    Join,
    OwingPairs,
    OwingSolutions,
    TimedSolutions,
    join_under,
)
from ....semantics.spaseq.denotation import STAR, bop, evaluate, sequence
from ....semantics.spaseq.iterations import iteration
from ....semantics.spaseq.streamset import Event as StreamEvent
from ....semantics.spaseq.streamset import Instant
from ....semantics.spaseq.syntax.results import Pair
from ....semantics.spaseq.syntax.scope import variables
from ....semantics.spaseq.syntax.tree import (
    Atom,
    Conjunction,
    Disjunction,
    Extent,
    KleenePlus,
    Negation,
    Operand,
    Operator,
    OptionalEvent,
    Reference,
    SpaseqQuery,
    WithinUnit,
)
from ...cases.case import Case
from ...explanations.asked import AskedRow, FoundRow, comparable, covers
from ...explanations.derivations import Event, Frame, Goal, Premise, Step, Way, checked
from ...explanations.patterns import OnGraph
from ...explanations.telling import Explainer
from ...explanations.triples import grounds
from ...explanations.wording import Words, conjoined, few
from ...results.json_objects import sort_key

_EVER = 1 << 62


class SpaseqExplainer(Explainer):
    """Matches of SPAseq: pairs (τ, Ω), each mapping of Ω a row."""

    noun = "match"

    @cached_property
    def words(self) -> SpaseqWords:
        return SpaseqWords(self.case)

    def rows_of(self, number: int, result: Pair) -> Iterable[FoundRow]:
        when = {"time": result.time, "rank": result.rank, "window": result.window}
        return [FoundRow(number, mu, when) for mu in sorted(result.solutions, key=sort_key)]

    def result(self, number: int) -> str:
        pair: Pair = self.results[number - 1]
        at = self.words.event_time((pair.time, pair.rank))
        return f"at {at}, {self.words.solutions(pair.solutions)}"

    def presence(self, number: int) -> Goal:
        return self.derived(self.results[number - 1])

    def derived(self, pair: Pair) -> Goal:
        """That a pair is one of ⟦Q⟧."""
        select = self.case.tree.select

        def is_it(found: TimedSolutions) -> bool:
            omega = found.omega if select is None else project(found.omega, select)
            return found.time == (pair.time, pair.rank) and omega == pair.solutions

        def ways() -> Iterator[Way]:
            for boundaries, rules in self.windows():
                if boundaries == pair.window:
                    for found in filter(is_it, rules.pairs[-1]):
                        yield Way(
                            lambda held: self.in_window(pair, held),
                            (rules.derived(len(rules.elements) - 1, found),),
                            frames=self.frames(boundaries),
                        )

        return Goal(ways)

    def windows(self) -> Iterator[tuple[tuple[int, int] | None, Rules]]:
        """The rules in each window, of each way to read the sequence."""
        case = self.case
        for boundaries, context in contexts(
            case.tree, case.streams, case.kb, case.readings, case.evaluation.get("from")
        ):
            for chain in chains(case.tree.sequence, context.readings.negation):
                yield boundaries, Rules(self.words, chain, context)

    def in_window(self, pair: Pair, held: Sequence[Step]) -> str:
        """Def. 16"""
        times = [event.start for step in held for event in step.events]
        first, last = (self.words.instant(bound) for bound in (min(times), max(times)))
        span = f"All of it, {first}" + (f" to {last}" if last != first else "")
        reading = f"(Def. 16, window={self.case.readings.window})"
        if pair.window is None:
            return f"{span}, spans no more than WITHIN allows {reading}."
        if self.case.tree.within.unit is WithinUnit.EVENTS:
            shown = f"items {pair.window[0]} to {pair.window[1]} of the merged streams"
        else:
            shown = self.words.interval(pair.window)
        return f"{span}, lies in the window {shown} {reading}."

    # --- absence --------------------------------------------------------------------------------

    def absence(self, asked: AskedRow) -> Goal:
        time, window = asked.when.get("time"), asked.when.get("window")
        items = [item for stream in self.case.streams.values() for item in stream]
        at = "" if time is None else f" at {self.words.instant(time)}"

        def ways() -> Iterator[Way]:
            for boundaries, rules in self.windows():
                if window in (None, boundaries) and any(
                    time in (None, event.time[0]) for event in rules.context.streamset.events
                ):
                    yield Way(
                        premises=(
                            rules.ending(len(rules.elements) - 1, asked),
                            checked(False, false=f"It matches so, and not with"
                                    f" {self.words.mapping(asked.mu)}."),
                        ),
                        supposing=self.in_which(boundaries),
                        frames=self.frames(boundaries),
                    )

        none = f"No window holds an event{at} (Def. 16)."
        if not items:
            none = "There is no event."
        elif not any(time in (None, item.time) for item in items):
            none = f"No event has time{at[3:]}; a match has the time of its last event (Def. 7)."
        return Goal(ways, none)

    def frames(self, boundaries: tuple[int, int] | None) -> tuple[Frame, ...]:
        """The window, to be drawn; one that counts items has no times."""
        if boundaries is None or self.case.tree.within.unit is WithinUnit.EVENTS:
            return ()
        return (Frame(f"window {self.words.interval(boundaries)}", *boundaries),)

    def in_which(self, boundaries: tuple[int, int] | None) -> str:
        if boundaries is None:
            return ""
        if self.case.tree.within.unit is WithinUnit.EVENTS:
            return f"In the items [{boundaries[0]}, {boundaries[1]}]"
        return f"In the window {self.words.interval(boundaries)}"

    def aside(self, asked: AskedRow) -> Iterator[str]:
        yield from super().aside(asked)
        kinds = {item.kind for stream in self.case.streams.values() for item in stream}
        unit = WithinUnit.MICROSECONDS if TimeKind.DATETIME in kinds else WithinUnit.INTEGER
        unbounded: SpaseqQuery = replace(self.case.tree, within=Extent(_EVER, unit), slide=None)
        case = self.case
        for pair in evaluate(
            unbounded, case.streams, case.kb, replace(case.readings, window="match"),
            case.evaluation.get("from"),
        ):
            if asked.when.get("time") in (None, pair.time) and any(
                covers(asked.mu, mu) for mu in pair.solutions
            ):
                yield (
                    "Without windows it would be a match, but no one window holds all its events"
                    f" (Def. 16, window={case.readings.window})."
                )
                return


class SpaseqWords(Words):
    """The words of one case, with the ranks of events of one time."""

    def __init__(self, case: Case) -> None:
        super().__init__(case)
        self.names: dict[tuple[URIRef, Instant], str] = {}
        ranked = getattr(case.readings, "ties", None) == "sequence"
        for iri, items in case.streams.items():
            rank, last = 0, None
            for item in items:
                rank = rank + 1 if ranked and item.time == last else 0
                last = item.time
                if isinstance(item.name, URIRef):
                    self.names.setdefault((iri, (item.time, rank)), self.term(item.name))

    def event_time(self, instant: Instant) -> str:
        """τ, or (τ, k) for a later event of the same time."""
        time, rank = instant
        shown = self.instant(time)
        return f"({shown}, {rank})" if rank else shown

    def event(self, event: StreamEvent) -> str:
        """An event by its graph's name, its stream and its time."""
        name = self.names.get((event.stream, event.time), "the event")
        return f"{name} of {self.stream(event.stream)} at {self.event_time(event.time)}"

    def clash(
        self, x: Solutions, y: Solutions, conditions: Conditions, dropped: frozenset[Variable]
    ) -> str:
        """Why X ⋈_R Y is empty; `dropped` variables of X are bound anew."""
        return few(self._clashes(x, y, conditions, dropped))

    def _clashes(
        self, x: Solutions, y: Solutions, conditions: Conditions, dropped: frozenset[Variable]
    ) -> Iterator[str]:
        for mu in sorted((mu.without(dropped) for mu in x), key=sort_key):
            for nu in sorted(y, key=sort_key):
                differing = self.differing(mu, nu)
                if differing:
                    yield differing
                    continue
                for condition in conditions:
                    both = mu.merge(nu)
                    if not condition.holds(both):
                        seen = self.values(both, condition.variables)
                        yield f"{self.text(Filter(condition.expression))} is not true with {seen}"


@dataclass(frozen=True, slots=True)
class Element:
    """Ψ of a sequence, with all that evaluating it takes.

    `local` holds the variables that each iteration of a Kleene plus binds anew.
    """

    atom: Atom
    psi: Operand
    matches: Sequence[OwingSolutions]
    joined: Join
    local: frozenset[Variable]
    link: Following | None

    @property
    def repeated(self) -> bool:
        return isinstance(self.atom, KleenePlus)

    @property
    def text(self) -> str:
        return text_of(self.atom)


class Rules:
    """The rules of a sequence Ψ0 •1 Ψ1 … in one window."""

    def __init__(self, words: SpaseqWords, chain: Chain, context: Context) -> None:
        self.words, self.context = words, context
        prefixes = [chain]
        while isinstance(prefixes[0], Following):
            prefixes.insert(0, prefixes[0].sigma)
        self.elements = [self._element(prefix) for prefix in prefixes]
        self.pairs = [
            sorted(sequence(prefix, context), key=lambda pair: pair.time) for prefix in prefixes
        ]
        self._known: dict[tuple[int, TimedSolutions], Goal] = {}

    def _element(self, sigma: Chain) -> Element:
        atom, link = (sigma.psi, sigma) if isinstance(sigma, Following) else (sigma, None)
        psi = atom.operand if isinstance(atom, KleenePlus) else atom
        local: frozenset[Variable] = frozenset()
        joined: Join = join_under
        if isinstance(atom, KleenePlus):
            local = variables(psi, self.context.bindable)
            if link is not None:
                local -= chain_variables(link.sigma, self.context.bindable)
            joined = iteration(self.context.readings.kleene, local)
            if self.context.readings.kleene == "join":
                local = frozenset()
        matches: OwingPairs = bop(psi, self.context)
        in_order = sorted(matches, key=lambda match: match.time)
        return Element(atom, psi, in_order, joined, local, link)

    # --- goals ----------------------------------------------------------------------------------

    def derived(self, k: int, pair: TimedSolutions) -> Goal:
        """That (τ, X) is a pair of ⟦Ψ0 •1 … Ψk⟧."""
        def ways() -> Iterator[Way]:
            here = [match for match in self.elements[k].matches if match.time == pair.time]
            for match in here:
                for before, first in self.befores(k, match):
                    joined = self.joined(k, before, match)
                    if self.unguarded(k, before, match, joined, first=first) == pair.omega:
                        yield self.way(k, before, match, first=first)

        return self._known.setdefault((k, pair), Goal(ways))

    def ending(self, k: int, asked: AskedRow) -> Goal:
        """That ⟦Ψ0 •1 … Ψk⟧ has a pair that agrees with what is asked for."""
        element, last = self.elements[k], k == len(self.elements) - 1
        time, rank = asked.when.get("time"), asked.when.get("rank")
        mu = comparable(asked.mu)

        def fits(pair: TimedSolutions | OwingSolutions) -> bool:
            when = pair.time
            on_time = time is None or (when[0] == time if last else when[0] <= time)
            return on_time and (not last or rank in (None, when[1])) and any(
                mu.compatible(nu) for nu in pair.omega
            )

        def ways() -> Iterator[Way]:
            if not last:
                for pair in filter(fits, self.pairs[k]):
                    yield Way("", (self.derived(k, pair),))
            # An iteration binds its own variables anew, whatever those before it have bound.
            inherited = mu.without(element.local)
            fitting = list(filter(fits, element.matches))
            tried = False
            for match in fitting:
                for before, first in self.befores(k, match):
                    if before is None or any(inherited.compatible(nu) for nu in before.omega):
                        tried = True
                        yield self.way(k, before, match, first=first, wanted=mu)
            if not tried:
                yield Way("", (
                    *([self.ending(k - 1, asked)] if k else []),
                    self.candidate(element, asked, last),
                ))

        return Goal(ways)

    def befores(
        self, k: int, match: OwingSolutions
    ) -> Iterator[tuple[TimedSolutions | None, bool]]:
        """What a match of Ψk may follow: a pair of what stands before Ψk, or an iteration of it;
        and whether it is the former."""
        if k:
            yield from ((pair, True) for pair in self.pairs[k - 1])
        else:
            yield None, True
        if self.elements[k].repeated:
            yield from ((pair, False) for pair in self.pairs[k] if pair.time < match.time)

    def joined(
        self, k: int, before: TimedSolutions | None, match: OwingSolutions
    ) -> Solutions:
        """X ⋈_R Y; at the head of the sequence conditions are asked of Y alone."""
        element = self.elements[k]
        if before is not None:
            return element.joined(before.omega, match.omega, match.conditions)
        if not all(r.variables <= match.bindable for r in match.conditions):
            return frozenset()
        head = join_under(STAR, match.omega, match.conditions)
        return element.joined(STAR, head, NO_CONDITIONS) if element.repeated else head

    def unguarded(
        self, k: int, before: TimedSolutions | None, match: OwingSolutions, joined: Solutions,
        *, first: bool,
    ) -> Solutions:
        """What the negations in between leave of it (negation=absence)."""
        link = self.elements[k].link
        if before is None or link is None or not first:
            return joined
        return frozenset(
            mu for mu in joined
            if all(is_absent(each, mu, before.time, match.time, self.context)
                   for each in link.absent)
        )

    def way(
        self, k: int, before: TimedSolutions | None, match: OwingSolutions, *, first: bool,
        wanted: SolutionMapping = EMPTY_MAPPING,
    ) -> Way:
        return Way(
            self.what(self.elements[k], match, first=first),
            self.premises(k, before, match, first=first, wanted=wanted),
            Event(self.where(self.elements[k], match.time), match.time[0], match.time[0]),
        )

    # --- Defs. 10 to 14 -------------------------------------------------------------------------

    def premises(
        self, k: int, before: TimedSolutions | None, match: OwingSolutions, *, first: bool,
        wanted: SolutionMapping,
    ) -> Iterator[Premise]:
        """That a match follows what it is said to follow."""
        element, words = self.elements[k], self.words
        yield from self.grounds(element.psi, match)
        if isinstance(element.psi, Conjunction):
            yield Step("All operands of & match at the same time (Def. 8).")
        if isinstance(element.psi, Disjunction):
            yield Step("One operand of | is enough (Def. 9).")
        joined = self.joined(k, before, match)
        if before is None:
            why = words.clash(STAR, match.omega, match.conditions, frozenset()) or few([
                f"{words.text(Filter(each.expression))} looks back at"
                f" {conjoined([f'?{v}' for v in sorted(each.variables - match.bindable)])}"
                for each in match.conditions
            ])
            yield checked(joined, true="It begins the sequence (Def. 7).",
                       false=f"it has no past to look at: {why}")
        else:
            yield self.derived(k - 1 if first else k, before)
            yield from self.follows(element, before, match, joined, first=first)
        for condition in sorted(match.conditions, key=lambda each: str(each.expression)):
            yield Step(f"{words.text(Filter(condition.expression))} looks back and is true"
                       " (errata SPA-10).")
        if first and before is not None and element.link is not None:
            for absent in element.link.absent:
                yield checked(
                    any(is_absent(absent, mu, before.time, match.time, self.context)
                        for mu in joined),
                    true=f"Between {words.event_time(before.time)} and"
                    f" {words.event_time(match.time)} no event matches {absent.name} compatibly"
                    " (negation=absence).",
                    false=f"{self.between(absent, before, match, joined)} between them"
                    f" (negation=absence)",
                )
        yield checked(
            any(wanted.compatible(mu) for mu in joined),
            false=f"it joins with other values than those asked for: {words.solutions(joined)}",
        )

    def between(
        self, absent: Reference, before: TimedSolutions, match: OwingSolutions, joined: Solutions
    ) -> str:
        """The event that is not to be there, with the values by which it is."""
        gpm = self.context.gpms[absent.name]
        for event in self.context.streamset(gpm.stream):
            if before.time < event.time < match.time:
                found = self.context.graph_pattern(gpm.pattern, event.graph)
                for nu in sorted(found, key=sort_key):
                    if any(mu.compatible(nu) for mu in joined):
                        shown = self.words.mapping(nu)
                        return f"{self.words.event(event)} matches {absent.name}, with {shown},"
        return f"an event matches {absent.name}"

    def follows(
        self, element: Element, before: TimedSolutions, match: OwingSolutions, joined: Solutions,
        *, first: bool,
    ) -> Iterator[Step]:
        words, since, now = self.words, before.time, match.time
        after = f"after {words.event_time(since)}"
        yield checked(since < now, false=f"it is not later than what comes before it, at"
                   f" {words.event_time(since)} (Defs. 10–12)")
        yield checked(joined, false=f"{after} it does not join:"
                   f" {words.clash(before.omega, match.omega, match.conditions, element.local)}")
        head = element.link is None
        operator = Operator.NEXT if element.link is None else element.link.operator
        if not first:
            operator = Operator.NEXT if head else Operator.STRICT
        rule = {Operator.ANY: "Def. 10", Operator.NEXT: "Def. 11", Operator.STRICT: "Def. 12"}
        cited = rule[operator]
        if not first:
            cited += " and Def. 13" if head else " and Def. 14"
        earlier = [each for each in element.matches if since < each.time < now]
        between = [e for e in self.context.streamset.events if since < e.time < now]
        match operator:
            case Operator.ANY:
                yield Step(f"It is later than {words.event_time(since)} and joins with it: ':'"
                           f" asks no more ({cited}).")
            case Operator.STRICT:
                why = "iterations are contiguous, Def. 14" if not first else "Def. 12"
                yield checked(
                    not between,
                    true=f"It is later than {words.event_time(since)} and joins with it, and no"
                    f" event of any stream lies between: ',' ({cited}).",
                    false=f"{after} it is not contiguous, there is"
                    f" {conjoined([words.event(e) for e in between[:3]])} ({why})",
                )
            case Operator.NEXT:
                blocking = next((
                    each for each in earlier
                    if element.joined(before.omega, each.omega, each.conditions)
                ), None)
                psi = text_of(element.psi)
                yield checked(
                    blocking is None,
                    true=f"It is the first {after} that joins with what came before: ';'"
                    f" ({cited}).",
                    false="" if blocking is None else
                    f"{psi} at {words.event_time(blocking.time)} joins before and takes its place"
                    f" ({'Def. 11' if first else 'Def. 13'})",
                )
                for each in earlier:
                    why = words.clash(before.omega, each.omega, each.conditions, element.local)
                    yield Step(f"{psi} at {words.event_time(each.time)} is passed over: {why}.")

    # --- Defs. 7 to 9 ---------------------------------------------------------------------------

    def what(self, element: Element, match: OwingSolutions, *, first: bool) -> str:
        """An element and the events at which it stands."""
        words, psi = self.words, element.psi
        events = list(self.events(psi, match.time))
        if isinstance(psi, Negation):
            return f"{element.text}: {words.event(events[0][1])} does not match (Appendix B)"
        if isinstance(psi, Reference) and len(events) == 1:
            shown = words.event(events[0][1])
        else:
            shown = conjoined([f"{name} by {words.event(event)}" for name, event in events])
        times = "" if not element.repeated else (
            ", the first iteration" if first else ", another iteration"
        )
        return f"{element.text}{times}: {shown}, with {words.solutions(match.omega)}"

    def grounds(self, psi: Operand, match: OwingSolutions) -> Iterator[Step]:
        """The triples by which the graph patterns of Ψ match, of the first mapping of Ω."""
        for mu in sorted(match.omega, key=sort_key)[:1]:
            for name, event in self.events(psi, match.time):
                if name in self.context.gpms:
                    yield from grounds(
                        self.words, self.context.gpms[name].pattern, mu, event.graph,
                        self.context.graph_pattern.named,
                    )

    def where(self, element: Element, instant: Instant) -> str:
        return next((
            self.words.stream(event.stream) for _, event in self.events(element.psi, instant)
        ), "")

    def events(self, psi: Operand, instant: Instant) -> Iterator[tuple[str, StreamEvent]]:
        """The events at which the GPMs of Ψ stand, each with the GPM's name (N! for a negation)."""
        match psi:
            case Reference(name):
                pattern = self.context.gpms[name].pattern
                yield from (
                    (name, event) for event in self.at(name, instant)
                    if self.context.graph_pattern(pattern, event.graph)
                )
            case Negation(operand):
                yield from ((f"{operand.name}!", e) for e in self.at(operand.name, instant))
            case OptionalEvent(operand):
                found = list(self.events(operand, instant))
                yield from found or self.events(Negation(operand), instant)
            case Conjunction(operands) | Disjunction(operands):
                for each in operands:
                    yield from self.events(each, instant)

    def at(self, name: str, instant: Instant) -> list[StreamEvent]:
        stream = self.context.streamset(self.context.gpms[name].stream)
        return [event for event in stream if event.time == instant]

    def candidate(self, element: Element, asked: AskedRow, last: bool) -> Goal:
        """That Ψ has a match where it is asked for: what keeps its GPMs from it, event by event."""
        time, mu = asked.when.get("time"), comparable(asked.mu)
        when = "" if time is None else f" {'at' if last else 'up to'} {self.words.instant(time)}"
        names = dict.fromkeys(each.name for each in find(element.psi, Reference))

        def ways() -> Iterator[Way]:
            if isinstance(element.psi, Conjunction):
                yield from self.together(element.psi, [
                    event.time for event in self.context.streamset.events
                    if time is None or (event.time[0] == time if last else event.time[0] <= time)
                ], mu)
                return
            for name in names:
                expression = self.context.gpms[name]
                for event in self.context.streamset(expression.stream):
                    fits = time is None or (event.time[0] == time if last else
                                            event.time[0] <= time)
                    if not fits:
                        continue
                    shown = self.words.event(event)
                    if isinstance(element.psi, Negation):
                        failing: Premise = checked(
                            False, false=f"{shown} matches {name} (Appendix B)"
                        )
                    else:
                        failing = OnGraph(
                            self.words, self.context.graph_pattern, event.graph,
                            f" by {shown} (Def. 7)", self.context.graph_pattern.named,
                        ).group(expression.pattern, mu)
                    yield Way(premises=(failing, checked(
                        False, false=f"{element.text} has no match{when} that goes with the rest"
                    )))

        streams = conjoined(list(dict.fromkeys(
            self.words.stream(self.context.gpms[name].stream) for name in names
        )))
        return Goal(ways, f"{streams} has no event{when} in this window (Def. 7)")

    def together(
        self, psi: Conjunction, instants: Iterable[Instant], mu: SolutionMapping
    ) -> Iterator[Way]:
        """That the operands of & match at one instant, and join there (Def. 8)."""
        for instant in sorted(set(instants)):
            at = self.words.event_time(instant)
            found = [
                [match for match in bop(each, self.context) if match.time == instant]
                for each in psi.operands
            ]
            conditions = NO_CONDITIONS.union(
                *(match.conditions for those in found for match in those)
            )
            omegas = [
                (text_of(each), frozenset().union(*(match.omega for match in those)))
                for each, those in zip(psi.operands, found, strict=True)
            ]
            agreeing = [
                checked(
                    any(nu.compatible(mu) for nu in omega),
                    true=f"{text} matches at {at}, with {self.words.solutions(omega)}",
                    false=f"{text} matches nothing at {at}: & wants all operands at one instant"
                    " (Def. 8)" if not omega else
                    f"{text} matches at {at} with {self.words.solutions(omega)}, not with"
                    f" {self.words.mapping(mu)}",
                )
                for text, omega in omegas
            ]
            clashes = (
                self.words.clash(one, two, conditions, frozenset())
                for (_, one), (_, two) in pairwise(omegas)
            )
            why = next(filter(None, clashes), "") or "a condition on them is not true"
            yield Way(premises=(
                *agreeing, checked(False, false=f"the operands of & do not join at {at}: {why}")
            ))


EXPLAINER = SpaseqExplainer
