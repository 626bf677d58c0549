import pytest
from rdflib.term import BNode, URIRef, Variable

from denota.oracle.judging.comparison import Answer, common_level, compare
from denota.semantics.model.mappings import SolutionMapping


def mu(**bindings):
    return SolutionMapping({
        Variable(name): value if isinstance(value, (BNode, tuple)) else URIRef(f"http://e/{value}")
        for name, value in bindings.items()
    })


def row(time, solution, window=None, rank=None):
    return Answer(time, solution, (window, rank))


def pair(time, *solutions, window=None, rank=None):
    return Answer(time, frozenset(solutions), (window, rank))


def test_equal_answers_do_not_differ():
    answers = [pair(1, mu(x="a")), pair(2, mu(x="a"), mu(x="b"))]
    assert not compare(answers, list(reversed(answers)), "pair")


def test_what_is_missing_and_what_is_unexpected():
    difference = compare([row(1, mu(x="a")), row(2, mu(x="a"))], [row(2, mu(x="a")),
                                                                  row(3, mu(x="a"))], "row")
    assert difference.missing == (row(1, mu(x="a")),)
    assert difference.unexpected == (row(3, mu(x="a")),)


def test_a_pair_is_more_than_its_rows():
    together = [pair(1, mu(x="a"), mu(x="b"))]
    apart = [pair(1, mu(x="a")), pair(1, mu(x="b"))]
    assert compare(together, apart, "pair")


def test_a_window_that_is_left_open_is_not_compared():
    wanted = [pair(1, mu(x="a"))]
    came = [pair(1, mu(x="a"), window=(0, 1)), pair(1, mu(x="a"), window=(1, 2))]
    assert not compare(wanted, came, "pair")


def test_a_window_that_is_given_is_compared():
    wanted = [pair(1, mu(x="a"), window=(0, 1))]
    came = [pair(1, mu(x="a"), window=(0, 1)), pair(1, mu(x="a"), window=(1, 2))]
    difference = compare(wanted, came, "pair")
    assert difference.unexpected == (came[1],)
    assert not difference.missing


def test_rows_are_a_set_and_bags_are_not():
    wanted, came = [row(1, mu(x="a"))], [row(1, mu(x="a")), row(1, mu(x="a"))]
    assert not compare(wanted, came, "row")
    assert compare(wanted, came, "bag").unexpected == (came[0],)
    assert not compare(came, came, "bag")


def test_open_windows_of_a_bag_are_matched_one_to_one():
    wanted = [row(1, mu(x="a")), row(1, mu(x="a"), window=(0, 1))]
    came = [row(1, mu(x="a"), window=(0, 1)), row(1, mu(x="a"), window=(1, 2))]
    # The open one must not take the partner of the other.
    assert not compare(wanted, came, "bag")
    assert not compare(list(reversed(wanted)), came, "bag")


@pytest.mark.parametrize("level", ["pair", "row", "bag"])
def test_blank_nodes_compare_up_to_a_bijection(level):
    make = pair if level == "pair" else row
    wanted = [make(1, mu(x=BNode("a"))), make(2, mu(x=BNode("b")))]
    assert not compare(wanted, [make(1, mu(x=BNode("b"))), make(2, mu(x=BNode("a")))], level)
    assert compare(wanted, [make(1, mu(x=BNode("c"))), make(2, mu(x=BNode("c")))], level)


def test_one_bijection_holds_across_the_whole_result():
    wanted = [row(1, mu(x=BNode("a"), y=BNode("b"))), row(2, mu(x=BNode("a")))]
    crossed = [row(1, mu(x=BNode("p"), y=BNode("q"))), row(2, mu(x=BNode("q")))]
    assert compare(wanted, crossed, "row")
    straight = [row(1, mu(x=BNode("p"), y=BNode("q"))), row(2, mu(x=BNode("p")))]
    assert not compare(wanted, straight, "row")


def test_two_blank_nodes_do_not_stand_for_one():
    wanted = [row(1, mu(x=BNode("a"), y=BNode("a")))]
    assert compare(wanted, [row(1, mu(x=BNode("a"), y=BNode("b")))], "row")


def test_a_bijection_is_found_where_every_node_looks_alike():
    def cycle(names):
        follower = dict(zip(names, [*names[1:], names[0]], strict=True))
        return [row(1, mu(x=BNode(a), y=BNode(b))) for a, b in follower.items()]

    assert not compare(cycle("abcdef"), cycle("zyxwvu"), "row")
    assert compare(cycle("abcdef"), cycle("uvw") + cycle("xyz"), "row")


def test_blank_nodes_in_collected_values_count():
    wanted = [row(1, mu(x=(BNode("a"), BNode("b")))), row(2, mu(x=(BNode("a"),)))]
    assert not compare(
        wanted, [row(1, mu(x=(BNode("1"), BNode("2")))), row(2, mu(x=(BNode("1"),)))], "row"
    )
    assert compare(
        wanted, [row(1, mu(x=(BNode("1"), BNode("2")))), row(2, mu(x=(BNode("2"),)))], "row"
    )


def test_a_difference_besides_blank_nodes_is_all_that_is_reported():
    wanted = [row(1, mu(x=BNode("a"))), row(2, mu(x=BNode("a"), y="k"))]
    came = [row(1, mu(x=BNode("p"))), row(2, mu(x=BNode("p"), y="other"))]
    difference = compare(wanted, came, "row")
    assert len(difference.missing) == len(difference.unexpected) == 1
    assert difference.missing[0].time == 2


@pytest.mark.parametrize(
    "asked, reported, common",
    [("pair", "pair", "pair"), ("pair", "row", "row"), ("row", "pair", "row"),
     ("pair", "bag", "bag"), ("bag", "row", "row"), ("positions", "row", "positions")],
)
def test_the_common_level(asked, reported, common):
    assert common_level(asked, reported) == common
