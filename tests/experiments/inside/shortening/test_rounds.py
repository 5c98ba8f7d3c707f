"""Loops that train end after a few rounds; others, and what is read by another loop, do not."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from tests.experiments.inside.shortening.test_rewriting import book, run

from firstlight.experiments.inside.shortening import rounds
from firstlight.experiments.inside.shortening.rounds import Book

Step = Callable[[int], None]


def train(source: str, seen: Book) -> dict[str, Any]:
    """`step(line)` is a step of an optimizer on that line."""
    return run(source, seen, step=lambda line: seen.stepped([("train.py", line)]), count=itertools.count)


@pytest.mark.parametrize(
    ("head", "made"),
    [
        ("for i in range(1000):", [0, 1, 2]),
        ("for i, _ in enumerate(range(1000)):", [0, 1, 2]),
        ("for i in count():", [0, 1, 2]),
        ("for i in (n for n in range(1000)):", [0, 1, 2]),
        ("for i, _ in zip(range(1000), count()):", [0, 1, 2]),
        ("for i in range(2):", [0, 1]),
    ],
)
def test_a_loop_that_trains_makes_a_few_rounds(head: str, made: list[int]) -> None:
    assert train(f"found = []\n{head}\n    found.append(i)\n    step(4)\n", book())["found"] == made


@pytest.mark.parametrize("head", ["while True:", "while n < 1000:", "while n := n + 1:"])
def test_so_does_a_while(head: str) -> None:
    assert train(f"n, found = 0, []\n{head}\n    found.append(n)\n    step(4)\n", book())["found"] != []
    assert len(train(f"n, found = 0, []\n{head}\n    found.append(n)\n    step(4)\n", book())["found"]) == 3


@pytest.mark.parametrize(
    ("head", "made"),
    [
        ("for i in range(1000):", [0, 1, 2, 999]),
        ("for i, _ in enumerate(['a'] * 50):", [0, 1, 2, 49]),
        ("for i, _ in zip(range(70), range(70)):", [0, 1, 2, 69]),
        ("for i in (n for n in range(1000)):", [0, 1, 2]),
        ("for i in count():", [0, 1, 2]),
        ("for i in range(3):", [0, 1, 2]),
        ("for i in range(4):", [0, 1, 2, 3]),
    ],
)
def test_the_last_round_is_made_where_it_can_be_reached_without_side_effects(head: str, made: list[int]) -> None:
    assert train(f"found = []\n{head}\n    found.append(i)\n    step(4)\n", book(last="all"))["found"] == made


EPOCHS = """found = []
for epoch in range(50):
    for batch in range(20):
        step(4)
    found.append(epoch)
    if (epoch + 1) % 10 == 0:
        found.append('saved')
"""


def test_loops_around_it_make_fewer() -> None:
    seen = book()

    assert train(EPOCHS, seen)["found"] == [0, "saved", 1]
    outer, inner = seen.loops
    assert (outer.outer, outer.rounds, outer.planned) == (True, 2, 50)
    assert (inner.outer, inner.passes, inner.rounds, inner.planned) == (False, 2, 3, 20)


def test_what_is_done_every_so_often_is_done_once_and_by_itself_where_it_comes() -> None:
    seen = book(last="all")

    assert train(EPOCHS, seen)["found"] == [0, "saved", 1, 49, "saved"]
    assert seen.forced == 1


def test_a_loop_around_others_may_be_left_without_its_last_round() -> None:
    seen = book(last="inner")

    assert train(EPOCHS, seen)["found"] == [0, "saved", 1]
    assert [loop.rounds for loop in seen.loops] == [2, 4]


def test_rounds_count_when_they_train() -> None:
    """Steps once in eight rounds, as with accumulated gradients."""
    source = "for i in range(1000):\n    if (i + 1) % 8 == 0:\n        step(3)\nfound = i"
    assert train(source, book(inner=2))["found"] < 16


def test_a_loop_that_feeds_another_goes_on() -> None:
    source = """def batches():
    while True:
        for n in range(2):
            yield n
feed, found = batches(), []
for i in range(7):
    found.append(next(feed))
    step(8)
"""
    assert train(source, book(inner=7))["found"] == [0, 1, 0, 1, 0, 1, 0]


def test_a_phase_that_does_not_train_is_whole() -> None:
    source = """found = []
for phase in ['train', 'val']:
    for n in range(40):
        if phase == 'train':
            step(5)
        found.append(phase)
"""
    assert train(source, book())["found"] == ["train"] * 3 + ["val"] * 40


@pytest.mark.parametrize(
    ("head", "seconds", "last"), [("range(50)", 1e9, 49), ("range(50)", 0.0, 2), ("(n for n in range(50))", 1e9, 2)]
)
def test_a_slow_loop_that_does_not_train_ends_once_training_has_begun_unless_it_will_be_done_in_time(
    monkeypatch: pytest.MonkeyPatch, head: str, seconds: float, last: int
) -> None:
    source = f"""for n in range(50):
    before = n
for i in range(9):
    step(4)
for n in {head}:
    after = n
"""
    monkeypatch.setattr(rounds, "SLOW_SECONDS", 0.0)
    monkeypatch.setattr(rounds, "FINISH_SECONDS", seconds)
    found = train(source, book())

    assert (found["before"], found["after"]) == (49, last)


def test_a_slow_loop_that_trains_makes_two_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "SLOW_SECONDS", 0.0)
    assert train("for i in range(9):\n    step(2)\nfound = i", book())["found"] == 1


def test_the_whole_time_follows_from_the_rounds_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock on which each step takes a second."""
    seen = book(inner=4, outer=2)
    monkeypatch.setattr("firstlight.experiments.inside.shortening.rounds.time.monotonic", lambda: float(seen.steps))
    monkeypatch.setattr(rounds, "SLOW_SECONDS", 1e9)
    train(EPOCHS, seen)

    assert seen.steps + seen.saved == 50 * 20
    assert not seen.unbounded


def test_nobody_knows_how_long_an_endless_loop_takes() -> None:
    seen = book()
    train("for i in count():\n    step(2)\n", seen)

    assert seen.unbounded


STAGES = """found = []
for epoch in range(10):
    for batch in range(20):
        step(4)
    found.append(epoch)
for epoch in range(10):
    for batch in range(20):
        step(8)
    found.append(epoch)
for batch in range(30):
    step(11)
    found.append(batch)
"""


@pytest.mark.parametrize(
    ("spare", "rounds_made"), [(0.0, [2, 2, 3]), (8.0, [3, 2, 5]), (32.0, [7, 4, 8]), (96.0, [10, 10, 26])]
)
def test_loops_around_others_and_lone_ones_go_on_for_half_of_the_time_left(
    monkeypatch: pytest.MonkeyPatch, spare: float, rounds_made: list[int]
) -> None:
    """A clock on which each step takes a second."""
    seen = book(spare=spare)
    monkeypatch.setattr("firstlight.experiments.inside.shortening.rounds.time.monotonic", lambda: float(seen.steps))
    monkeypatch.setattr(rounds, "SLOW_SECONDS", 1e9)
    train(STAGES, seen)

    assert [loop.rounds for loop in seen.loops if loop.outer or loop.first == 11] == rounds_made
    assert {loop.rounds for loop in seen.loops if not loop.outer and loop.first < 11} == {3}


def test_a_loop_within_others_does_not_go_on() -> None:
    seen = book(spare=60.0)
    train(EPOCHS, seen)

    assert [loop.rounds for loop in seen.loops] == [50, 3]


@pytest.mark.parametrize(
    ("test", "done"),
    [
        ("i % 100 == 99", 1),
        ("not (i + 1) % 100", 1),
        ("i > 50 and i % 100 == 0", 1),
        ("on and i > 50 and i % 100 == 0", 1),
        ("i % 100 == 99 or i == 998", 1),
        ("on and (i % 100 == 99 or i == 998)", 1),
        ("off and i % 100 == 99", 0),
        ("i % 100 == 99 and not on", 0),
        ("off and i > 50 and not i % 100", 0),
        ("off and (i % 100 == 99 or i == 998)", 0),
        ("'%d' % i == 'x'", 0),
    ],
)
def test_what_is_done_now_and_then_is_done_once_and_what_is_turned_off_is_not(test: str, done: int) -> None:
    loop = f"for i in range(1000):\n    step(3)\n    if {test}:\n        found.append(i)\n"
    source = f"on, off, found = True, False, []\n{loop}"

    assert len(train(source, book())["found"]) == done


def test_another_case_that_is_turned_off_is_not_come_to() -> None:
    """As a program says how it shows its epochs, by dataset."""
    source = (
        "kind, found = 'points', []\n"
        "for i in range(1000):\n"
        "    step(3)\n"
        "    if kind == 'points' and i % 10 == 0:\n"
        "        found.append('points')\n"
        "    elif kind == 'images' and i % 1 == 0:\n"
        "        found.append('images')\n"
    )

    assert set(train(source, book())["found"]) == {"points"}
