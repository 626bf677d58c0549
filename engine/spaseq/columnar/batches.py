"""A query's batches: whether kernels take them, and where its partial matches are meanwhile."""

from __future__ import annotations

from ....semantics.model.errors import Impossible
from ...capacities import IN_USE
from ...rdf.columns.batch import GraphBatch
from ...rdf.data.dictionary import Dictionary
from ...rdf.sequence.comparing import KnownValues
from ..automaton import Automaton
from ..windows import MatchWindows, SlidingWindows, WindowPolicy
from .arrays import to_arrays
from .columnar_runs import ColumnarRuns, ColumnMatches, Tables, leaf_tables
from .objects import Objects, to_objects
from .planning import plan
from .solving import SolvedBatch


class Batches:
    """Partial matches in arrays while batches come, and nothing while single items do."""

    def __init__(self, automaton: Automaton, dictionary: Dictionary) -> None:
        self._automaton = automaton
        self._plan = plan(automaton, dictionary)
        self._dictionary = dictionary
        self._values = KnownValues(dictionary, self._plan.questions if self._plan else ())
        self.runs: ColumnarRuns | None = None

    def solved(self, batch: GraphBatch) -> SolvedBatch | None:
        """The batch with what the leaves say of it; None where it has to go item by item."""
        if batch.dictionary is not self._dictionary or not _in_order(batch):
            return None
        if self.runs is None and len(batch) < IN_USE.handed:
            return None  # to hand over costs more
        return SolvedBatch(self._automaton, batch)

    def tables(self, solved: SolvedBatch, start: int) -> Tables | None:
        """What kernels need of the batch from a time on; None where they do not take it."""
        if self._plan is None or solved.batch.time[-1] < start:
            return None
        return leaf_tables(self._plan, solved, self._values, start)

    def take_over(self, policy: WindowPolicy, objects: Objects | None) -> bool:
        """Have the partial matches in arrays, if that is possible."""
        if self.runs is not None:
            return True
        if self._plan is None or not isinstance(policy, SlidingWindows | MatchWindows):
            return False
        runs = ColumnarRuns(self._plan, policy, self._dictionary, self._values)
        if objects is not None and not to_arrays(objects, runs):
            return False
        self.runs = runs
        return True

    def feed(self, batch: GraphBatch, tables: Tables) -> ColumnMatches:
        """The matches of a batch, after `take_over`."""
        if self.runs is None:
            raise Impossible("a batch without its partial matches")
        return self.runs.feed(batch, tables)

    def hand_back(self, objects: Objects) -> None:
        """Have the partial matches as objects again."""
        if self.runs is None:
            raise Impossible("there are no partial matches in arrays")
        to_objects(self.runs, objects)
        self.runs = None


def _in_order(batch: GraphBatch) -> bool:
    """Whether no item comes after a later one: what is wrong with one is told item by item."""
    time, rank = batch.time, batch.rank
    earlier = (time[1:] < time[:-1]) | ((time[1:] == time[:-1]) & (rank[1:] < rank[:-1]))
    return not bool(earlier.any())
