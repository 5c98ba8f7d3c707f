"""How many steps the whole program makes, by those of a shortened one and the rounds that its loops plan."""

from firstlight.experiments.inside.shortening.rounds import WHOLE, Book, Loop, whole


def loop(rounds: int, planned: int | None, passes: int = 1) -> Loop:
    return Loop("train.py", 1, 9, may_be_left=False, passes=passes, rounds=rounds, planned=planned)


def test_every_loop_around_a_step_makes_more_rounds() -> None:
    assert whole(12, [loop(4, 24), loop(3, 40)]) == 960
    assert whole(12, []) == 12


def test_a_loop_that_does_not_say_how_long_it_is_leaves_all_unknown() -> None:
    assert whole(12, [loop(4, 24), loop(3, None)]) is None
    assert whole(12, [loop(0, 24)]) is None


def test_one_that_only_stands_on_the_same_line_does_not_count() -> None:
    assert whole(12, [loop(6, None, passes=0), loop(4, 24)]) == 72


def test_steps_are_counted_by_the_loops_around_them() -> None:
    book = Book(WHOLE)
    number = book.register("train.py")(2, 5, False)
    assert book.planned_steps() is None
    for _ in range(3):
        book.stepped([("train.py", 3)])
    found = book.loops[number]
    found.rounds, found.passes, found.planned = 3, 1, 30

    assert book.planned_steps() == 30
    book.stepped([("train.py", 8)])
    assert book.planned_steps() is None
