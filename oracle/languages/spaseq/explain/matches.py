"""Why a pair is a result: the events that make it, and the definitions that let them."""

from __future__ import annotations

from collections.abc import Iterator

from .....semantics.rdf.mapping_sets import project
from .....semantics.rdf.syntax.printing import to_text
from .....semantics.spaseq.chains import chains
from .....semantics.spaseq.context import Context, contexts
from .....semantics.spaseq.syntax.printing import atom_to_text
from .....semantics.spaseq.syntax.results import Pair
from .....semantics.spaseq.syntax.tree import (
    Conjunction,
    Disjunction,
    KleenePlus,
    Negation,
    Operator,
    Reference,
    WithinUnit,
)
from ....cases.tasks import Task
from ....explanations.wording import Words, events_of_match
from .derivations import Element, Node, elements, levels


def explain_match(task: Task, pair: Pair) -> list[str]:
    """Lines that say why `pair` is a result of the task; raises ValueError if it is none."""
    words = Words(task)
    for boundaries, context in contexts(
        task.tree, task.streams, task.kb, task.readings, task.evaluation.get("from")
    ):
        if boundaries != pair.window:
            continue
        for chain in chains(task.tree.sequence, context.readings.negation):
            parts = elements(chain, context)
            *_, last = levels(parts, context)
            for node in last:
                if _is(node, pair, task):
                    return [
                        *_steps(node, parts, context, words),
                        _window_line(task, node, pair, words),
                    ]
    raise ValueError(f"not a result: {pair}")


def _is(node: Node, pair: Pair, task: Task) -> bool:
    select = task.tree.select
    omega = node.pair.omega if select is None else project(node.pair.omega, select)
    return node.pair.time == (pair.time, pair.rank) and omega == pair.solutions


def way(node: Node) -> list[Node]:
    """The nodes from the head of the sequence to this one."""
    nodes = []
    at: Node | None = node
    while at is not None:
        nodes.append(at)
        at = at.before
    return nodes[::-1]


def _steps(
    node: Node, parts: list[Element], context: Context, words: Words
) -> Iterator[str]:
    by_psi = {id(part.psi): part for part in parts}
    for number, step in enumerate(way(node), start=1):
        part = by_psi[id(step.psi)]
        yield f"{number}. {_what(step, part, context, words)}"
        for line in _how(step, part, context, words):
            yield f"   {line}"


def _what(step: Node, part: Element, context: Context, words: Words) -> str:
    events = events_of_match(part.psi, step.pair.time, context)
    if isinstance(part.psi, Reference) and len(events) == 1:
        shown = words.event(events[0][1])
    else:
        shown = " and ".join(f"{name} by {words.event(event)}" for name, event in events)
    times = f", iteration {step.iteration}" if isinstance(part.atom, KleenePlus) else ""
    if isinstance(part.psi, Negation):
        return f"{atom_to_text(part.atom)}: {words.event(events[0][1])} does not match (Appendix B)"
    bound = words.bindings(step.match.omega)
    return f"{atom_to_text(part.atom)}{times}: {shown}, with {bound}"


def _how(step: Node, part: Element, context: Context, words: Words) -> Iterator[str]:
    if isinstance(part.psi, Conjunction):
        yield "All operands of & match at the same time (Def. 8)."
    if isinstance(part.psi, Disjunction):
        yield "One operand of | is enough (Def. 9)."
    before = step.before
    if before is None:
        yield "It begins the sequence (Def. 7)."
        return
    since, now = words.instant(before.pair.time), words.instant(step.pair.time)
    match step.operator:
        case Operator.ANY:
            yield f"It is later than {since} and joins with it: ':' asks no more (Def. 10)."
        case Operator.STRICT:
            why = " and Def. 14" if isinstance(part.atom, KleenePlus) and step.iteration > 1 else ""
            yield (
                f"It is later than {since} and joins with it, and no event of any stream lies"
                f" between: ',' (Def. 12{why})."
            )
        case _:
            why = " and Def. 13" if isinstance(part.atom, KleenePlus) and step.iteration > 1 else ""
            yield (
                f"It is the first after {since} that joins with what came before:"
                f" ';' (Def. 11{why})."
            )
            yield from _passed_over(step, before, part, context, words)
    for condition in sorted(step.match.conditions, key=lambda each: to_text(each.expression)):
        text = " ".join(to_text(condition.expression).split())
        yield f"FILTER ({text}) looks back and is true (errata SPA-10)."
    for absent in step.link.absent if step.link is not None else ():
        yield (
            f"Between {since} and {now} no event matches {absent.name} compatibly"
            " (negation=absence)."
        )


def _passed_over(
    step: Node, before: Node, part: Element, context: Context, words: Words
) -> Iterator[str]:
    between = sorted(
        (m for m in part.matches if before.pair.time < m.time < step.pair.time),
        key=lambda match: match.time,
    )
    for match in between:
        why = words.clash(before.pair.omega, match.omega, match.conditions, part.local)
        yield (
            f"{atom_to_text(part.psi)} at {words.instant(match.time)} is passed over: {why}."
        )


def _window_line(task: Task, node: Node, pair: Pair, words: Words) -> str:
    steps = way(node)
    first, last = words.instant(steps[0].pair.time), words.instant(steps[-1].pair.time)
    span = f"{first}" if first == last else f"{first} to {last}"
    reading = task.readings.window
    if pair.window is None:
        return f"All of it, {span}, spans no more than WITHIN allows (Def. 16, window=match)."
    if task.tree.within.unit is WithinUnit.EVENTS:
        shown = f"items {pair.window[0]} to {pair.window[1]} of the merged streams"
    else:
        shown = f"[{', '.join(words.task.shown_instant(bound) for bound in pair.window)}]"
    return f"All of it, {span}, lies in the window {shown} (Def. 16, window={reading})."
