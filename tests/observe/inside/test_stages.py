"""Trainings that go through stages, as the sets of examples that they train on and evaluate."""

import torch

from firstlight.observe.inside import rows
from firstlight.observe.inside.stages import MOST_STAGES, BatchGiven, Compared, Stages

DATA = torch.randn(240, 12, generator=torch.Generator().manual_seed(0))
FOLDS = torch.arange(240).chunk(4)


def batch(table: torch.Tensor, origins: torch.Tensor | None = None) -> BatchGiven:
    return BatchGiven(rows.keys([table]), [] if origins is None else origins.tolist(), table, 3)


def train(stages: Stages, table: torch.Tensor, origins: torch.Tensor | None = None) -> None:
    for places in torch.arange(len(table)).split(20):
        stages.train(batch(table[places], None if origins is None else origins[places]))


def fold(stages: Stages, number: int, scaled: bool = False, epochs: int = 2) -> None:
    held = FOLDS[number]
    rest = torch.cat([one for one in FOLDS if one is not held])
    mean, spread = (DATA[rest].mean(0), DATA[rest].std(0)) if scaled else (torch.zeros(12), torch.ones(12))
    for _ in range(epochs):
        train(stages, (DATA[rest] - mean) / spread)
        stages.evaluate(batch((DATA[held] - mean) / spread), 0, 5)


def told(stages: Stages) -> Compared | None:
    found = stages.compared()
    return None if found is None else found[0]


def test_folds_exchange_what_they_hold_back() -> None:
    stages = Stages()
    for number in range(3):
        fold(stages, number)

    seen = told(stages)
    assert seen is not None
    assert (seen.before, seen.after, seen.now, seen.rescaled) == (1.0, 1.0, (0.0, 0.0), False)
    assert len(stages.stages) == 3


def test_folds_that_scale_their_columns_by_themselves_do_too() -> None:
    stages = Stages()
    for number in range(2):
        fold(stages, number, scaled=True)

    seen = told(stages)
    assert seen is not None
    assert (seen.before, seen.after, seen.now, seen.rescaled) == (1.0, 1.0, (0.0, 0.0), True)


def test_examples_that_are_changed_as_they_are_read_are_known_by_their_rows() -> None:
    stages = Stages()
    for held in FOLDS[:2]:
        rest = torch.cat([one for one in FOLDS if one is not held])
        for _ in range(2):
            train(stages, DATA[rest] + torch.rand(len(rest), 12), rest)
            stages.evaluate(batch(DATA[held], held), 0, 5)

    seen = told(stages)
    assert seen is not None
    assert (seen.before, seen.after, seen.now) == (1.0, 1.0, (0.0, 0.0))


def test_weights_begun_anew_know_nothing_of_earlier_folds() -> None:
    stages = Stages()
    for number in range(3):
        stages.begin_anew()
        fold(stages, number)

    assert told(stages) is None


def test_what_was_seen_before_they_are_begun_anew_still_counts() -> None:
    stages = Stages()
    fold(stages, 0)
    fold(stages, 1)
    stages.begin_anew()
    fold(stages, 2)

    seen = told(stages)
    assert seen is not None
    assert seen.exchanged == 1.0


def test_one_evaluation_makes_one_stage() -> None:
    stages = Stages()
    for _ in range(3):
        train(stages, DATA[60:])
        stages.evaluate(batch(DATA[:60]), 0, 5)
        stages.evaluate(batch(DATA[60:120]), 1, 5)

    assert told(stages) is None
    assert len(stages.stages) == 1


def test_examples_of_other_tasks_are_held_back_for_good() -> None:
    stages = Stages()
    for part in FOLDS:
        train(stages, part_of := DATA[part][:45])
        stages.evaluate(batch(DATA[part][45:]), 0, 5)
        assert len(part_of) == 45

    seen = told(stages)
    assert seen is not None
    assert (seen.before, seen.after) == (0.0, 0.0)


def test_tasks_that_are_all_followed_are_followed_while_they_are_trained_on() -> None:
    stages = Stages()
    for part in FOLDS:
        train(stages, DATA[part])
        for number, other in enumerate(FOLDS):
            stages.evaluate(batch(DATA[other]), number, 5)

    assert told(stages) is None  # one stage: the same examples are evaluated every time


def test_walking_on_in_time_evaluates_nothing_that_was_trained_on() -> None:
    stages = Stages()
    for now in range(60, 200, 20):
        train(stages, DATA[:now])
        stages.evaluate(batch(DATA[now : now + 20]), 0, 5)

    seen = told(stages)
    assert seen is not None
    assert (seen.before, seen.after, seen.exchanged) == (0.0, 1.0, 0.0)


def test_single_examples_and_endless_stages_are_left_out() -> None:
    stages = Stages()
    for number in range(3 * MOST_STAGES):
        train(stages, DATA[: 20 * number % 200 + 20])
        stages.evaluate(batch(torch.randn(8, 12)), 0, 5)
        stages.evaluate(batch(torch.randn(1, 12)), 1, 5)

    assert len(stages.stages) <= MOST_STAGES + 1
    assert all(list(stage.held) == [0] for stage in stages.stages)
