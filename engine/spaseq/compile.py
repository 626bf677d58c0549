"""The compilation of a SPAseq tree to an automaton (SPAseq section 6.2, after section 5).

Every operator is defined pair by pair on its left side, so a sequence becomes a chain of states: a
state stands for "the pairs of the sequence so far", an edge for one application of ',', ';' or ':'.
Under negation=absence, `!` adds no state but a condition on the edges that pass it by, and `?` adds
edges that do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rdflib.term import URIRef, Variable

from ...semantics.model.errors import Impossible
from ...semantics.model.terms import Graph
from ...semantics.model.trees import find
from ...semantics.rdf.syntax.tree import (
    Expression,
    TriplePattern,
)
from ...semantics.spaseq.syntax import tree as syntax
from ...semantics.spaseq.syntax.readings import Readings
from ..rdf.conditions import compile_condition
from ..rdf.data.dictionary import Dictionary
from ..rdf.matcher import compile_pattern
from ..rdf.variables import expression_variables
from .atoms import (
    Atom,
    Conjoined,
    Deferred,
    Disjoined,
    Fold,
    Leaf,
    LeafMode,
    union_columns,
)
from .automaton import START, Automaton, Edge, State
from .joins import Blocks, Columns, Condition, Join, Row, gather, projection


def compile_query(
    query: syntax.SpaseqQuery,
    readings: Readings,
    kb: Mapping[URIRef, Graph],
    dictionary: Dictionary,
) -> Automaton:
    """Return the automaton of a query under readings that apply to it (`Readings.applied_to`)."""
    return _Compiler(query, readings, kb, dictionary).automaton()


@dataclass(frozen=True, slots=True)
class End:
    """A chain's last state, vars(σ), and the negations passed since (negation=absence)."""

    state: int
    bound: frozenset[Variable]
    passed: tuple[Leaf, ...] = ()


class _Compiler:
    def __init__(
        self,
        query: syntax.SpaseqQuery,
        readings: Readings,
        kb: Mapping[URIRef, Graph],
        dictionary: Dictionary,
    ) -> None:
        self.query = query
        self.readings = readings
        self.kb = kb
        self.dictionary = dictionary
        self.leaves: list[Leaf] = []
        self.deferred: list[Deferred] = []
        self.states = [State(START)]
        self.edges: list[Edge] = []
        self.locals: dict[int, frozenset[Variable]] = {}
        """a Kleene state's iteration-local variables L"""

    # --- atoms -----------------------------------------------------------------------------------

    def leaf(self, name: str, mode: LeafMode) -> Leaf:
        """(u, P), (u, P)! or (u, P)?; one leaf serves every mention of a GPM in the same mode."""
        for known in self.leaves:
            if known.name == name and known.mode is mode:
                return known
        definition = self.query.definition(name)
        matcher = compile_pattern(
            definition.pattern, self.dictionary, self.kb, entailment=self.readings.entailment
        )
        # An event on which P has no match binds nothing and carries no condition.
        binds_nothing = mode is LeafMode.NEGATION and self.readings.negation == "event"
        numbers = []
        if not binds_nothing:
            for expression in matcher.deferred:
                numbers.append(len(self.deferred))
                variables = frozenset(expression_variables(expression))
                self.deferred.append(Deferred(expression, variables, name))
        leaf = Leaf(
            number=len(self.leaves),
            name=name,
            stream=self.query.stream_iri(definition.stream),
            mode=mode,
            columns=() if binds_nothing else tuple(matcher.columns),
            certain=frozenset(matcher.certain) if mode is LeafMode.MATCH else frozenset(),
            conditions=frozenset(numbers),
            cost=len(list(find(definition.pattern, TriplePattern))),
            undecided=bool(matcher.deferred),
            solve=matcher.solutions,
            solve_columns=matcher.match_columns,
        )
        self.leaves.append(leaf)
        return leaf

    def atom(self, tree: syntax.Operand) -> Atom:
        match tree:
            case syntax.Reference(name):
                return self.leaf(name, LeafMode.MATCH)
            case syntax.Negation(operand):
                return self.leaf(operand.name, LeafMode.NEGATION)
            case syntax.OptionalEvent(operand):
                return self.leaf(operand.name, LeafMode.OPTIONAL)
            case syntax.Disjunction(operands):
                atoms = [self.atom(operand) for operand in operands]
                columns = union_columns(atoms)
                return Disjoined(atoms, [projection(atom.columns, columns) for atom in atoms])
            case syntax.Conjunction(operands):
                return self.conjunction([self.atom(operand) for operand in operands])

    def conjunction(self, atoms: Sequence[Atom]) -> Conjoined:
        """Fold from the left; test a condition as soon as every row binds its variables."""
        folds = []
        columns, certain = atoms[0].columns, atoms[0].certain
        waiting = set(atoms[0].conditions)
        for atom in atoms[1:]:
            merged = columns + tuple(c for c in atom.columns if c not in columns)
            join = Join(
                columns, atom.columns, merged, certain_left=certain, certain_right=atom.certain
            )
            columns, certain = merged, certain | atom.certain
            waiting |= atom.conditions
            due = {n for n in waiting if self.deferred[n].variables <= certain}
            waiting -= due
            folds.append(Fold(join, self.conditions(due, merged)))
        return Conjoined(atoms, folds)

    def conditions(
        self,
        numbers: set[int] | frozenset[int],
        columns: Columns,
        lists: frozenset[Variable] = frozenset(),
    ) -> dict[int, Condition]:
        """Return the deferred conditions, compiled for rows over these columns."""
        return {n: self.condition(self.deferred[n].expression, columns, lists) for n in numbers}

    def condition(
        self, expression: Expression, columns: Columns, lists: frozenset[Variable]
    ) -> Condition:
        check: Callable[[tuple[int, ...]], bool] = compile_condition(
            expression, columns, self.dictionary
        )
        if not lists.intersection(columns):
            return check  # type: ignore[return-value]
        opaque = self.dictionary.encode_list

        def check_with_lists(row: Row) -> bool:
            # A collected value is a list: to an expression, an operand of the wrong type.
            return check(
                tuple(opaque(entry) if isinstance(entry, tuple) else entry for entry in row)
            )

        return check_with_lists

    # --- the chain of states ---------------------------------------------------------------------

    def automaton(self) -> Automaton:
        sequence = self.query.sequence
        atoms = [(syntax.Operator.NEXT, sequence.first)]
        atoms += [(step.operator, step.atom) for step in sequence.steps]
        ends = [End(START, frozenset())]
        for i, (operator, tree) in enumerate(atoms):
            matters = self.bound_by_kleene(later for _, later in atoms[i:])
            ends = self.extend(ends, operator, tree, matters)
        if any(end.passed for end in ends):
            raise Impossible("a negation at the end of a sequence passed the readings' check")
        finals = frozenset(end.state for end in ends)
        for edge in self.edges:
            self.states[edge.source].outgoing.append(edge)
        select = self.selected(frozenset().union(*(end.bound for end in ends)))
        self.settle_certainty()
        self.settle_columns(finals, frozenset(select))
        for edge in self.edges:
            self.compile_joins(edge)
        return Automaton(
            query=self.query,
            readings=self.readings,
            states=self.states,
            edges=self.edges,
            answers={
                final: projection(self.states[final].carried_columns, select) for final in finals
            },
            leaves=self.leaves,
            deferred=self.deferred,
            select=select,
        )

    def bound_by_kleene(self, trees: Iterable[syntax.Atom]) -> frozenset[Variable]:
        """Return the variables for which it matters whether σ binds them: those of a later P+."""
        if self.readings.kleene == "join":
            return frozenset()
        operands = [tree.operand for tree in trees if isinstance(tree, syntax.KleenePlus)]
        return frozenset().union(*(self.atom(operand).columns for operand in operands))

    def extend(
        self,
        ends: Sequence[End],
        operator: syntax.Operator,
        tree: syntax.Atom,
        matters: frozenset[Variable],
    ) -> list[End]:
        """Return the ends of the chains so far, each extended by Ψ: σ • Ψ."""
        absence = self.readings.negation == "absence"
        if absence and isinstance(tree, syntax.Negation):
            leaf = self.leaf(tree.operand.name, LeafMode.NEGATION)
            return [replace(end, passed=(*end.passed, leaf)) for end in ends]
        passing: list[End] = []
        if absence and isinstance(tree, syntax.OptionalEvent):
            negated = self.leaf(tree.operand.name, LeafMode.NEGATION)
            passing = [replace(end, passed=(*end.passed, negated)) for end in ends]
            atom: Atom = self.leaf(tree.operand.name, LeafMode.MATCH)
        else:
            atom = self.atom(tree.operand if isinstance(tree, syntax.KleenePlus) else tree)
        # Without an absent option all ends agree, and there is one state.
        alike: dict[frozenset[Variable], list[End]] = {}
        for end in ends:
            alike.setdefault(end.bound & matters, []).append(end)
        grown = [self.grow(group, operator, tree, atom) for group in alike.values()]
        return grown + passing

    def grow(
        self, ends: Sequence[End], operator: syntax.Operator, tree: syntax.Atom, atom: Atom
    ) -> End:
        """Return a new state behind these ends, reached by Ψ."""
        target = State(len(self.states), kleene=isinstance(tree, syntax.KleenePlus))
        self.states.append(target)
        columns = frozenset(atom.columns)
        for end in ends:
            self.add_edge(end.state, target.number, operator, atom, tree, False, end.passed)
            source = self.states[end.state]
            target.variables |= source.variables | columns
            target.lists |= source.lists
        if target.kleene:
            # Where σ binds them or not is the same for all these ends.
            self.locals[target.number] = columns - ends[0].bound
            if self.readings.kleene == "collect":
                target.lists |= self.locals[target.number]
            standalone = ends[0].state == START
            link = syntax.Operator.NEXT if standalone else syntax.Operator.STRICT
            self.add_edge(target.number, target.number, link, atom, tree, True, ())
        return End(target.number, columns.union(*(end.bound for end in ends)))

    def add_edge(
        self,
        source: int,
        target: int,
        operator: syntax.Operator,
        atom: Atom,
        tree: syntax.Atom,
        loop: bool,
        passed: Sequence[Leaf],
    ) -> None:
        edge = Edge(
            number=len(self.edges),
            source=source,
            target=target,
            operator=operator,
            atom=atom,
            tree=tree,
            loop=loop,
            passed=tuple(leaf.number for leaf in passed),
        )
        self.edges.append(edge)

    def selected(self, before: frozenset[Variable]) -> Columns:
        if self.query.select is not None:
            return tuple(dict.fromkeys(self.query.select))
        return tuple(sorted(before))

    # --- which variables a partial match must remember -------------------------------------------

    def local(self, edge: Edge) -> frozenset[Variable]:
        """Return L, on the edges into a Kleene state."""
        return self.locals.get(edge.target, frozenset())

    def dropped(self, edge: Edge) -> frozenset[Variable]:
        """Return the variables of π_¬L, which a further iteration drops before it joins."""
        if edge.loop and self.readings.kleene != "join":
            return self.local(edge)
        return frozenset()

    def collected(self, edge: Edge) -> frozenset[Variable]:
        return self.local(edge) if self.readings.kleene == "collect" else frozenset()

    def settle_certainty(self) -> None:
        """Compute certain(x), bound in every row: a fixpoint of meets over the edges into x."""
        for state in self.states[1:]:
            state.certain = state.variables
        changed = True
        while changed:
            changed = False
            for state in self.states[1:]:
                incoming = [e for e in self.edges if e.target == state.number]
                certain = frozenset.intersection(
                    *(
                        (self.states[e.source].certain - self.dropped(e))
                        | (e.atom.certain - self.collected(e))
                        for e in incoming
                    )
                )
                if certain != state.certain:
                    state.certain, changed = certain, True

    def read_by(self, edge: Edge) -> frozenset[Variable]:
        """Return the variables that decide whether a pair of Ψ joins."""
        read = set(edge.atom.columns)
        numbers = set(edge.atom.conditions)
        for passed in edge.passed:
            read.update(self.leaves[passed].columns)
            numbers |= self.leaves[passed].conditions
        for number in numbers:
            read |= self.deferred[number].variables
        return frozenset(read)

    def settle_columns(self, finals: frozenset[int], select: frozenset[Variable]) -> None:
        """Compute the live variables, backwards to the fixpoint.

        Two partial matches that agree on the key columns go on alike: they are kept once.
        """
        key: dict[int, frozenset[Variable]] = {s.number: frozenset() for s in self.states}
        carried = dict(key)
        for final in finals:
            carried[final] = select & self.states[final].variables
        edge_key: dict[int, frozenset[Variable]] = {}
        edge_carried: dict[int, frozenset[Variable]] = {}
        changed = True
        while changed:
            changed = False
            for edge in reversed(self.edges):
                known = self.states[edge.source].variables
                dropped = self.dropped(edge)
                gathered = dropped & self.collected(edge)
                kept = known - dropped
                edge_key[edge.number] = (kept & (self.read_by(edge) | key[edge.target])) | (
                    gathered & key[edge.target]
                )
                edge_carried[edge.number] = (
                    edge_key[edge.number]
                    | (kept & carried[edge.target])
                    | (gathered & carried[edge.target])
                )
                for table, needs in ((key, edge_key), (carried, edge_carried)):
                    if not needs[edge.number] <= table[edge.source]:
                        table[edge.source] |= needs[edge.number]
                        changed = True
        for state in self.states:
            state.key_columns = tuple(sorted(key[state.number]))
            state.carried_columns = tuple(sorted(carried[state.number] | key[state.number]))
        for edge in self.edges:
            edge.key_columns = tuple(sorted(edge_key[edge.number]))
            edge.carried_columns = tuple(sorted(edge_carried[edge.number]))

    def compile_joins(self, edge: Edge) -> None:
        source, target = self.states[edge.source], self.states[edge.target]
        edge.to_key = projection(source.key_columns, edge.key_columns)
        edge.to_carried = projection(source.carried_columns, edge.carried_columns)
        edge.joining, edge.joining_conditions = self.join(
            edge, edge.key_columns, target.key_columns
        )
        edge.carrying, edge.carrying_conditions = self.join(
            edge, edge.carried_columns, target.carried_columns
        )
        passed = [self.leaves[number] for number in edge.passed]
        edge.joining_absences = tuple(self.blocking(edge, leaf, edge.joining) for leaf in passed)
        edge.carrying_absences = tuple(self.blocking(edge, leaf, edge.carrying) for leaf in passed)

    def join(
        self, edge: Edge, left: Columns, output: Columns
    ) -> tuple[Join, dict[int, Condition]]:
        join = Join(
            left,
            edge.atom.columns,
            output,
            certain_left=self.states[edge.source].certain - self.dropped(edge),
            certain_right=edge.atom.certain,
            drop=self.dropped(edge),
            collect=self.collected(edge),
        )
        lists = self.lists_before(edge)
        return join, self.conditions(edge.atom.conditions, join.merged, lists)

    def lists_before(self, edge: Edge) -> frozenset[Variable]:
        """Return the variables that may hold lists in X when this edge joins."""
        return self.states[edge.source].lists - self.dropped(edge)

    def blocking(self, edge: Edge, leaf: Leaf, join: Join) -> Blocks:
        """(merged row, row of P) → compatible, and P's own conditions hold on the union."""
        test = Join(
            join.merged, leaf.columns, (), certain_left=frozenset(), certain_right=frozenset()
        )
        collected = self.collected(edge)
        lists = self.lists_before(edge) | collected
        conditions = tuple(self.conditions(leaf.conditions, test.merged, lists).values())
        gathered = tuple(i for i, c in enumerate(join.merged) if c in collected)

        def blocks(merged: Row, row: Row) -> bool:
            return test.combine(merged, row, conditions) is not None

        def blocks_lists(merged: Row, row: Row) -> bool:
            # The absence looks at the joined pair, in which an iteration's values are lists.
            entries = list(merged)
            for place in gathered:
                entries[place] = gather((), entries[place])
            return blocks(tuple(entries), row)

        return blocks_lists if gathered else blocks
