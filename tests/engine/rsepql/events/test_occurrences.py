"""What matched a basic event pattern: in time order, without what has left."""

from __future__ import annotations

from denota.engine.rsepql.events.occurrences import Bucket, Occurrence, Store


def bucket(size: int) -> tuple[Bucket, list[Occurrence]]:
    """A bucket with an occurrence at each time."""
    made, occurrences = Bucket(), [Occurrence(0, time, ()) for time in range(size)]
    for each in occurrences:
        each.unavailable = False
        made.add(each)
    return made, occurrences


def test_compaction_keeps_the_available_ones_at_their_times() -> None:
    made, occurrences = bucket(12)
    gone = (1, 3, 4, 6, 8, 9, 10)
    for time in gone:
        occurrences[time].unavailable = True
        assert not made.forget()
    left = [each for each in occurrences if each.time not in gone]
    assert list(made.until(11)) == left
    assert list(made.until(5)) == left[:3]
    assert list(made.after(4)) == left[2:]
    assert list(made.latest(11)) == left[::-1]


def test_an_item_that_returns_is_not_the_latest() -> None:
    store = Store(lambda row: ())
    store.clear(monotone=False)
    occurrences = [Occurrence(0, time, ()) for time in range(3)]
    for position, each in enumerate(occurrences):
        store.arrive(position, [each])
    store.move(0, 3)
    store.move(1, 3)
    assert store.move(0, 3) == ([occurrences[0]], [])
    found = store.bucket(())
    assert found is not None
    assert list(found.until(2)) == occurrences
    assert list(found.until(0)) == occurrences[:1]
