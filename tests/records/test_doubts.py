import random

from firstlight.records.doubts import Doubts, doubts_of

ROWS = 600
DRAW = random.Random(0)
RIGHT = [place % 3 for place in range(ROWS)]


def asked(given: list[int], sure: list[float]) -> Doubts:
    """By a prediction that knows the right class, and says with which probability it does."""
    chances = [
        [one if kind == right else (1 - one) / 2 for kind in range(3)] for right, one in zip(RIGHT, sure, strict=True)
    ]
    return doubts_of(given, chances)


SURE = [DRAW.uniform(0.4, 0.99) for _ in range(ROWS)]


def test_labels_that_are_wrong_however_sure_the_prediction() -> None:
    wrong = set(range(0, ROWS, 5))
    found = asked([(kind + (place in wrong)) % 3 for place, kind in enumerate(RIGHT)], SURE)

    assert found.wrong == len(wrong) / ROWS
    assert 0.75 < found.flat < 1.25
    assert found.sides == 1.0
    assert (found.rows, found.sure) == (ROWS, 150)
    assert found.skill > 0.6
    assert len(found.doubtful) == 20
    assert all(one.place in wrong and one.expected == RIGHT[one.place] for one in found.doubtful)
    assert found.doubtful[0].probability == max(one.probability for one in found.doubtful)


def test_classes_that_overlap_are_wrong_where_the_prediction_is_unsure() -> None:
    given = [(kind + (DRAW.random() > sure)) % 3 for kind, sure in zip(RIGHT, SURE, strict=True)]
    found = asked(given, SURE)

    assert found.wrong > 0.2
    assert found.flat < 0.4


def test_a_single_class_that_is_often_another_is_a_side_of_its_own() -> None:
    given = [2 if kind == 1 and DRAW.random() < 0.3 else kind for kind in RIGHT]

    assert asked(given, SURE).sides == 1 / 3


def test_right_classes_leave_no_doubts() -> None:
    found = asked(RIGHT, SURE)

    assert (found.wrong, found.wrong_when_sure, found.flat, found.sides, found.doubtful) == (0, 0, 0, 0, ())
    assert found.skill == 1.0


def test_one_class_is_no_skill() -> None:
    assert doubts_of([0, 0], [[1.0, 0.0], [0.9, 0.1]]).skill == 0.0
    assert doubts_of([], []) == Doubts()
