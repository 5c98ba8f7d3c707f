import random

from firstlight.checks.model.layer_cut_off import CHECK
from firstlight.facts.live.tensors import Look, TensorWindow
from firstlight.records.telemetry import StepRow


def look(present: bool) -> Look:
    """Two matrices, of which the first may be left out."""
    return Look(
        gradients=[1.0 if present else 0.0, 1.0],
        weights=[1.0, 1.0],
        updates=[0.1, 0.1],
        present=[present, True],
        wanted=[True, True],
        lrs=[0.1, 0.1],
        zeros=[0.0, 0.0],
    )


def flags(course: list[bool]) -> int:
    window, found = TensorWindow(), 0
    for present in course:
        window.add({"a": (True, False), "b": (True, False)}, look(present))
        track = window.fact(StepRow(step=1), 0, 1.0, 1.0)
        found += bool(list(CHECK.find(track, CHECK.limits))) if track is not None else 0
    return found


def test_a_layer_left_out_at_random_is_no_layer_cut_off() -> None:
    for seed in range(20):
        draw = random.Random(seed).random
        assert flags([draw() > 0.5 for _ in range(500)]) == 0


def test_one_that_stays_away_is_told_of() -> None:
    draw = random.Random(0).random

    assert flags([True] * 50 + [False] * 6) == 1
    assert flags([draw() > 0.5 for _ in range(100)] + [False] * 40) > 0
