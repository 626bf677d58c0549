"""The shrinking of CEQL cases: smallest formulas, short windows, streams and types by name.

Repairs are rewritings of cases that avoid differences of engines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import reduce
from itertools import chain
from math import ceil
from typing import Any, Final

from ....semantics.ceql.syntax.printing import to_text
from ....semantics.ceql.syntax.tree import (
    And,
    Arithmetic,
    ArithmeticOperator,
    Attribute,
    CeqlQuery,
    Comparison,
    ComparisonOperator,
    Constant,
    ContiguousIteration,
    Disjunction,
    EventType,
    Formula,
    In,
    Interval,
    Iteration,
    Like,
    Literal,
    Name,
    Negative,
    NotFormula,
    Or,
    OrCondition,
    Predicate,
    Range,
    Sequence,
    Strategy,
    Term,
    WindowUnit,
    Within,
)
from ....semantics.model.trees import changed, find, has, renamed
from ....semantics.model.tuples import merged
from ...cases.case import Case
from ...fuzzing.repairs import Rewriting, rewriting
from ...fuzzing.shrinking.tree_shrinking import Hook, field_types, smaller
from .cost_estimate import MOST_WORK, work
from .features import CeqlCase, kind_of, kinds_of

_TYPES = ((EventType, "name"), (Name, "name"))
_FEW = 3  # event types of which the smallest formulas are made
_SHORT = 8
_SECOND = 1_000_000_000


def proposals(case: CeqlCase) -> Iterator[CeqlCase]:
    """Yield queries without a stream, with a smallest formula, then with smaller formulas."""
    query, streams = case.query, case.stream_sources
    for name in query.streams:
        names = tuple(other for other in query.streams if other != name)
        left = {other: stream for other, stream in streams.items() if other != name}
        yield case.but(query=replace(query, streams=names), streams=left)
    types = [EventType(name) for name in _types(case)[:_FEW]]
    smallest: list[Any] = [*types, *map(Iteration, types), *map(ContiguousIteration, types)]
    for operator in (Sequence, Disjunction):
        smallest += [operator(left, right) for left in types for right in types]
    for phi in smallest:
        yield case.but(query=replace(query, formula=phi, select=None))
    if query.within is not None:
        unit = _SECOND if query.within.unit is WindowUnit.TIME else 1
        kind = field_types(CeqlQuery)["formula"]
        for phi in smaller(query.formula, kind, HOOK.plainest):
            for value in range(_SHORT):
                within = replace(query.within, value=value * unit)
                yield case.but(query=replace(query, formula=phi, within=within))


def _types(case: CeqlCase) -> list[str]:
    written = [phi.name for phi in find(case.query.formula, EventType)]
    arriving = [t.type for stream in case.stream_sources.values() for t in stream]
    return list(dict.fromkeys((*written, *arriving)))


def _with_types_in_order(case: CeqlCase) -> CeqlCase:
    names = dict(zip(_types(case), "ABCDEFGH", strict=False))
    streams = {
        name: tuple(replace(t, type=names.get(t.type, t.type)) for t in stream)
        for name, stream in case.stream_sources.items()
    }
    return case.but(query=renamed(case.query, _TYPES, names), streams=streams)


def _affordable(case: CeqlCase) -> bool:
    types = [t.type for t in merged(case.stream_sources, case.query.streams)]
    return work(case.query, types) <= MOST_WORK


HOOK = Hook(
    affordable=_affordable,
    operators=lambda query: len(list(find(query.formula, Formula))),
    proposals=proposals,
    cost=lambda case: len(to_text(case.query)),
    tidy=(_with_types_in_order,),
)


_EQUAL, _UNEQUAL, _LESS, _AT_MOST, _MORE, _AT_LEAST = ComparisonOperator
_MIRRORED: Final = {_LESS: _MORE, _AT_MOST: _AT_LEAST, _MORE: _LESS, _AT_LEAST: _AT_MOST}
_PLAIN: Final[Mapping[str, Constant]] = {"number": 1, "text": "x", "truth": True}
_LONG: Final = 100  # events, more than a generated case has
_LARGE: Final = 1 << 31


def _attribute_first(node: Any) -> Any:
    if (
        isinstance(node, Comparison)
        and has(node.right, Attribute) and not has(node.left, Attribute)
    ):
        operator = _MIRRORED.get(node.operator, node.operator)
        return Comparison(operator, node.right, node.left)
    return node


def _comparisons_for_in(node: Any) -> Any:
    if not isinstance(node, In):
        return node
    asked: list[tuple[ComparisonOperator, Constant]]
    if isinstance(node.values, Interval):
        ends = (_LESS if node.negated else _AT_LEAST, _MORE if node.negated else _AT_MOST)
        bounds = zip(ends, (node.values.low, node.values.high), strict=True)
        asked = [(operator, value) for operator, value in bounds if value is not None]
    else:
        asked = [(_UNEQUAL if node.negated else _EQUAL, value) for value in node.values]
    together = And if isinstance(node.values, Interval) != node.negated else Or
    parts: list[Predicate] = [
        Comparison(operator, node.attribute, _as_read(value)) for operator, value in asked
    ]
    return reduce(together, parts)


def _as_read(value: Constant) -> Term:
    """Return a constant as a term of a comparison, in which a sign is an operator."""
    if isinstance(value, int | float) and value < 0:
        return Negative(Literal(-value))
    return Literal(value)


def _comparisons_for_range(node: Any) -> Any:
    if isinstance(node, Range):
        low = Comparison(_AT_LEAST, node.operand, node.low)
        return And(low, Comparison(_AT_MOST, node.operand, node.high))
    return node


def _first_alternative(node: Any) -> Any:
    return node.left if isinstance(node, Disjunction | OrCondition) else node


def _first_alternative_in_not(node: Any) -> Any:
    return changed(node, _first_alternative) if isinstance(node, NotFormula) else node


def _one_sequence(node: Any) -> Any:
    if isinstance(node, Iteration) and has(node.formula, Sequence):
        return node.formula
    return node


def _with_window(node: Any) -> Any:
    if isinstance(node, CeqlQuery) and node.within is None:
        return replace(node, within=Within(_LONG, WindowUnit.EVENTS))
    return node


def _window_of_events(node: Any) -> Any:
    if isinstance(node, Within) and node.unit is WindowUnit.ATTRIBUTE:
        return Within(_LONG, WindowUnit.EVENTS)
    return node


def _select_all(node: Any) -> Any:
    if isinstance(node, CeqlQuery) and node.strategy is not Strategy.ALL:
        return replace(node, strategy=Strategy.ALL)
    return node


# --- what depends on the streams ------------------------------------------------------------------


def _with_one_kind(case: Case) -> Case:
    """Return the case with one kind of values for each compared attribute, the first found."""
    compared = {each.name for each in find(case.tree, Attribute)}
    kinds = kinds_of(case.streams.values())
    if all(len(kinds[name]) == 1 for name in kinds.keys() & compared):
        return case
    first: dict[str, str] = {}

    def as_first(name: str, value: Constant) -> Constant:
        kind = kind_of(value)
        if name in compared:
            kind = first.setdefault(name, kind)
        return value if kind_of(value) == kind else _PLAIN[kind]

    return case.but(streams={
        name: tuple(
            replace(t, attributes={a: as_first(a, v) for a, v in t.attributes.items()})
            for t in stream
        ) for name, stream in case.streams.items()
    })


def _of_types(change: Callable[[Any, Mapping[str, set[str]]], Any]) -> Rewriting:
    """Return the rewriting of constructs by the kinds of values that attributes have."""
    def rewritten(case: Case) -> Case | None:
        kinds = kinds_of(case.streams.values())
        return rewriting(lambda node: change(node, kinds))(case)

    return rewritten


def _number_in(kinds: Mapping[str, set[str]]) -> Term:
    """Return an attribute that is a number wherever it is, or 1."""
    return next((Attribute(name) for name in kinds if kinds[name] == {"number"}), Literal(1))


def _without_signs(node: Any, kinds: Mapping[str, set[str]]) -> Any:
    """Return the node without negative numbers and comparisons of constants."""
    match node:
        case Negative(operand):
            return operand
        case Comparison() if not has(node, Attribute):
            return Comparison(_EQUAL, _number_in(kinds), Literal(1))
        case Range(operand, _, _) if not has(operand, Attribute):
            return Comparison(_EQUAL, _number_in(kinds), Literal(1))
    return node


def _of_one_type(node: Any, kinds: Mapping[str, set[str]]) -> Any:
    """Restrict comparisons to values of one kind, and arithmetic to numbers."""
    def as_number(part: Any) -> Any:
        is_other = isinstance(part, Attribute) and kinds.get(part.name, {"number"}) != {"number"}
        return _number_in(kinds) if is_other else part

    match node:
        case Range() | Arithmetic() | Negative():
            return changed(node, as_number)
        case Comparison(operator, left, right):
            of_left, of_right = _kinds(left, kinds), _kinds(right, kinds)
            if of_left == of_right and len(of_left) == 1:
                return node
            kind = min(of_right if isinstance(left, Literal) else of_left)
            operator = operator if kind == "number" else _EQUAL
            if isinstance(left, Literal):
                return Comparison(operator, Literal(_PLAIN[kind]), right)
            return Comparison(operator, left, Literal(_PLAIN[kind]))
        case In(a, tuple() as values, negated) if {*map(kind_of, values)} != _kinds(a, kinds):
            return In(a, (_PLAIN[min(_kinds(a, kinds))],), negated)
    return node


def _divided_by_one(node: Any) -> Any:
    match node:
        case Arithmetic(ArithmeticOperator.DIVIDE | ArithmeticOperator.MODULO, _, right) if (
            right != Literal(1)
        ):
            return replace(node, right=Literal(1))
    return node


def _sums_for_remainders(node: Any) -> Any:
    if isinstance(node, Arithmetic) and node.operator is ArithmeticOperator.MODULO:
        return replace(node, operator=ArithmeticOperator.ADD)
    return node


def _comparisons_of_one_type(case: Case) -> Case | None:
    alike = _with_one_kind(case)
    return _of_types(_of_one_type)(alike) or (None if alike is case else alike)


def _kinds(term: Term, kinds: Mapping[str, set[str]]) -> set[str]:
    match term:
        case Literal(value):
            return {kind_of(value)}
        case Attribute(name):
            return kinds.get(name) or {"number"}
    return {"number"}


def _like_of_strings(node: Any, kinds: Mapping[str, set[str]]) -> Any:
    if isinstance(node, Like) and (found := kinds.get(node.attribute.name, set()) - {"text"}):
        return Comparison(_EQUAL, node.attribute, Literal(_PLAIN[min(found)]))
    return node


def _as_whole(kind: type[int | float]) -> Callable[[Any], Any]:
    """Return the function that turns a double into a whole number of a kind."""
    def whole(value: Any) -> Any:
        if isinstance(value, float):  # upwards: the integers below 1.5 are those below 2
            return kind(ceil(value)) if abs(value) < _LARGE else kind(1)
        return value

    return whole


def _small(value: Any) -> Any:
    """Return an integer of some twenty bits for a large one; those that are close stay so."""
    if isinstance(value, int) and abs(value) >= _LARGE:
        small = 1 << 20 | abs(value) % 1024
        return small if value > 0 else -small
    return value


def _values(
    changed_to: Callable[[Any], Any], where: Callable[[Case], Any] = lambda case: None
) -> Rewriting:
    """Return the rewriting of the values in the query and the streams.

    With `where`, only those of the attributes that it names change, and no constant.
    """
    def rewritten(case: Case) -> Case | None:
        names = where(case)

        def in_query(node: Any) -> Any:
            return Literal(changed_to(node.value)) if isinstance(node, Literal) else node

        query = case.tree if names is not None else changed(case.tree, in_query)
        streams = {
            name: tuple(
                replace(t, attributes={
                    a: changed_to(v) if names is None or a in names else v
                    for a, v in t.attributes.items()
                }) for t in stream
            ) for name, stream in case.streams.items()
        }
        if repr((query, streams)) == repr((case.tree, _as_tuples(case))):
            return None
        return case.but(query=query, streams=streams)

    return rewritten


def _as_tuples(case: Case) -> Mapping[str, Any]:
    return {name: tuple(stream) for name, stream in case.streams.items()}


def _keys(case: Case) -> set[str]:
    return {name for each in case.tree.partition for name in each}


def _integers_beside_doubles(case: Case) -> Case | None:
    """Arithmetic of an integer attribute beside a double, and IN RANGE of both, of integers."""
    types: dict[str, set[type]] = {}
    for each in chain.from_iterable(case.streams.values()):
        for name, value in each.attributes.items():
            types.setdefault(name, set()).add(type(value))

    def is_mixed(node: Any) -> bool:
        if not isinstance(node, Range) and not (
            isinstance(node, Comparison) and has(node, Arithmetic)
        ):
            return False
        of_attributes = set[type]().union(
            *(types.get(each.name, ()) for each in find(node, Attribute))
        )
        of_literals = {type(each.value) for each in find(node, Literal)}
        integers = of_attributes | of_literals if isinstance(node, Range) else of_attributes
        return int in integers and float in of_attributes | of_literals

    def whole(node: Any) -> Any:
        return Literal(_as_whole(int)(node.value)) if isinstance(node, Literal) else node

    mixed = [node for node in find(case.tree, Range, Comparison) if is_mixed(node)]
    if not mixed:
        return None
    names = {each.name for node in mixed for each in find(node, Attribute)}
    found = case.but(
        query=changed(case.tree, lambda node: changed(node, whole) if is_mixed(node) else node)
    )
    return _values(_as_whole(int), lambda _: names)(found) or found


REPAIRS: Final[Mapping[str, Rewriting]] = {
    "attribute first": rewriting(_attribute_first),
    "comparisons for IN": rewriting(_comparisons_for_in),
    "comparisons for IN RANGE": rewriting(_comparisons_for_range),
    "LIKE of strings": _of_types(_like_of_strings),
    "comparisons of one type": _comparisons_of_one_type,
    "small integers": _values(_small),
    "no fractions": _values(_as_whole(float)),
    "integers as keys": _values(_as_whole(int), _keys),
    "iteration for contiguous iteration": rewriting(
        lambda node: Iteration(node.formula) if isinstance(node, ContiguousIteration) else node
    ),
    "add WITHIN": rewriting(_with_window),
    "WITHIN events for attribute": rewriting(_window_of_events),
    "SELECT ALL": rewriting(_select_all),
    "integers beside doubles": _integers_beside_doubles,
    "integers": _values(_as_whole(int)),
    "no signs": _of_types(_without_signs),
    "no contiguous iteration": rewriting(
        lambda node: node.formula if isinstance(node, ContiguousIteration) else node
    ),
    "no iteration of a sequence": rewriting(_one_sequence),
    "divide by 1": rewriting(_divided_by_one),
    "sums for remainders": rewriting(_sums_for_remainders),
    "first alternative in NOT": rewriting(_first_alternative_in_not),
    "first alternative": rewriting(_first_alternative),
}
