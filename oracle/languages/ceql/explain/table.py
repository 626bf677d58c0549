"""Table 2: from which events a formula makes a match, and how near it comes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise

from .....semantics.ceql.denotation import holds, valuations
from .....semantics.ceql.syntax.analysis import conjuncts
from .....semantics.ceql.syntax.tree import EventType, Formula, NotFormula, VariableCondition
from .....semantics.ceql.syntax.tree import Sequence as Followed
from .....semantics.ceql.valuations import Stream, Valuation
from .....semantics.model.shown import text_of
from .....semantics.model.trees import find, has
from ....explanations.derivations import MOST_WAYS, Event, Premise, Step, Way, checked
from ....explanations.wording import conjoined
from .asked import AskedEvent
from .derivations import Derivations, Held, Taken, without_conditions
from .evaluated import Evaluated, in_order
from .wording import positions_shown

_MOST = 3
_LINKS = {
    ";": "It comes after {before}: ';'",
    ":": "It is next to {before}: ':'",
    "+": "It begins another iteration, after {before}: '+'",
    ":+": "It begins another iteration, next to {before}: ':+'",
}


class TableRules(Evaluated):
    """The rules of Table 2."""

    def table(self, derivations: Derivations, w: Valuation) -> Iterator[Premise]:
        """The events of a derivation, and what is asked of them on the way."""
        made = derivations.derivation(self.query.formula, w)
        for before, taken in pairwise([None, *made.steps]):
            assert taken is not None
            yield self.event(taken, before, derivations.s).applied()
        for held in made.held:
            yield from self.conditions(held, derivations.s)

    def event(self, taken: Taken, before: Taken | None, s: Stream) -> Way:
        names = f", as {conjoined(taken.variables)}" if taken.variables else ""
        stream = self.query.streams[0] if len(self.query.streams) == 1 else ""
        return Way(
            f"{self.tuples.tuple(taken.position)}{names}", self.link(taken, before, s),
            Event(stream, taken.position, taken.position),
        )

    def link(self, taken: Taken, before: Taken | None, s: Stream) -> Iterator[Step]:
        """How an event follows the one before."""
        if isinstance(taken.atom, NotFormula):
            yield Step(f"{text_of(taken.atom.formula)} does not match it: NOT(…), which"
                       " takes the event and no data.")
        if before is None:
            yield Step("It begins the match (Table 2, event types).")
            return
        passed = [i for i, _ in s if before.position < i < taken.position]
        several = len(passed) != 1
        over = f" {conjoined(passed)} {'are' if several else 'is'} passed over." if passed else ""
        yield checked(
            not (passed and taken.link in (":", ":+")),
            true=f"{_LINKS[taken.link].format(before=before.position)} (Table 2).{over}",
            false=f"'{taken.link}' wants {taken.position} next to {before.position}, and"
            f" {conjoined(passed)} {'stand' if several else 'stands'} between (Table 2).",
        )

    def conditions(self, held: Held, s: Stream) -> Iterator[Step]:
        """The conjuncts of a FILTER, one by one."""
        for condition in conjuncts(held.condition):
            said = self.tuples.verdict(condition, held.of, s)
            text = text_of(condition)
            one = isinstance(condition, VariableCondition) or len(said) == 1
            yield checked(
                holds(held.of, condition, s),
                true=f"FILTER: {said[0] if one else f'{text} holds: ' + '; '.join(said)}.",
                false=f"{said[0]} (FILTER)." if isinstance(condition, VariableCondition) else
                f"{text} does not hold: {'; '.join(said)} (FILTER).",
            )

    def unmade(self, s: Stream, asked: AskedEvent) -> Iterator[Way]:
        """How near Table 2 comes, if it does not ask FILTERs, and then nor for neighbours."""
        phi, projecting = self.query.formula, self.query.select is not None
        whole = AskedEvent(asked.start, asked.end) if projecting else asked
        supposing = f"Table 2 does not make it from {text_of(phi)}"
        for contiguity in (True, False):
            lax = Derivations(s, conditions=False, contiguity=contiguity)
            found = in_order(v for v in lax.of(phi) if whole.fits(v))
            for v in islice(found, MOST_WAYS):
                yield Way(
                    premises=(*self.table(lax, v), *([self.left(s, whole)] if projecting else ())),
                    supposing=supposing,
                )
            if found:
                return
        for reason in (self.foreign(asked), self.prefix(s, asked), self.nearest(s, asked)):
            if reason:
                yield Way(premises=(checked(False, false=reason),), supposing=supposing)
                return

    def left(self, s: Stream, whole: AskedEvent) -> Step:
        """What SELECT leaves of what matches over the interval."""
        found = valuations(self.tuples.evaluated.projected, s)
        kept = sorted({tuple(sorted(v.data)) for v in found if whole.fits(v)})[:_MOST]
        return checked(False, false=f"of what it matches over this interval SELECT {self.chosen()}"
                    f" leaves {conjoined(list(map(positions_shown, kept)))} (π).")

    def foreign(self, asked: AskedEvent) -> str:
        """Events of types that the formula does not name."""
        named = {each.name for each in find(self.query.formula, EventType)}
        open_to_all = has(self.query.formula, NotFormula)
        ends = [p for p in (asked.start, asked.end) if p is not None and not open_to_all]
        return " ".join(
            f"{self.tuples.tuple(place)}: the formula has no event type {self.stream[place].type}."
            for place in sorted({*ends, *(asked.positions or ())})
            if self.stream[place].type not in named
        )

    def prefix(self, s: Stream, asked: AskedEvent) -> str:
        """How far a sequence comes."""
        parts = _parts(without_conditions(self.query.formula))
        if len(parts) < 2:
            return ""
        prefix, reached = parts[0], None
        for following in parts[1:]:
            latest = [v for v in valuations(prefix, s) if asked.is_begun_by(v)]
            if not latest:
                break
            reached = min(latest, key=lambda v: (v.end, sorted(v.data)))
            matched, missing = prefix, following
            prefix = Followed(prefix, following)
        if reached is None:
            first = asked.start if asked.start is not None else min(asked.involved)
            if first == asked.end:
                return ""  # what begins it would end it as well
            return f"no {text_of(parts[0])} begins it so: {self.there(s, first, asked)}."
        return (
            f"{text_of(matched)} is matched by {positions_shown(reached.data)}, and then"
            f" {text_of(missing)} by nothing that is asked for:"
            f" {self.there(s, reached.end + 1, asked)}."
        )

    def there(self, s: Stream, first: int, asked: AskedEvent) -> str:
        """What a part of a formula has to choose from, from a position on."""
        last = asked.end if asked.end is not None else max(asked.involved)
        among = [
            i for i, _ in s
            if first <= i <= last and (asked.positions is None or i in asked.positions)
        ]
        if not among:
            return f"nothing that is asked for lies between {first} and {last}"
        more = f" and {len(among) - _MOST} more" if len(among) > _MOST else ""
        return f"there is {', '.join(map(self.tuples.tuple, among[:_MOST]))}{more}"

    def nearest(self, s: Stream, asked: AskedEvent) -> str:
        """What the formula does match that is likest to what is asked for, and how it differs."""
        phi = without_conditions(self.query.formula)

        def unlike(v: Valuation) -> int:
            positions = asked.positions
            return (
                (asked.start not in (None, v.start)) + (asked.end not in (None, v.end))
                + (0 if positions is None else len(positions ^ v.data))
            )

        found = min(in_order(valuations(phi, s)), key=unlike, default=None)
        if found is None:
            named = ", ".join(dict.fromkeys(t.type for _, t in s))
            return f"{text_of(phi)} matches nothing of what there is: {named}."
        said = []
        if asked.start not in (None, found.start):
            said.append(f"begins at {found.start}, not at {asked.start}")
        if asked.end not in (None, found.end):
            said.append(f"ends at {found.end}, not at {asked.end}")
        if asked.positions is not None and asked.positions != found.data:
            said.append(
                f"has the positions {positions_shown(found.data)},"
                f" not {positions_shown(asked.positions)}"
            )
        return f"what is likest to it {conjoined(said) or 'binds other variables'}."


def _parts(phi: Formula) -> list[Formula]:
    if isinstance(phi, Followed):
        return [*_parts(phi.left), phi.right]
    return [phi]
