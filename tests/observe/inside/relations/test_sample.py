import pytest
import torch

from firstlight.observe.inside.relations import sample
from firstlight.observe.inside.relations.comparing import compared
from firstlight.observe.inside.relations.sample import Sample, distinct, flat, parts_of


def test_a_sample_is_bounded_and_counts_what_it_met() -> None:
    found = Sample()
    for step in range(100):
        found.add([torch.randn(64, 4)], torch.randn(64), step)

    assert found.met == 6400
    assert found.full
    assert found.kept == sample.MOST_EXAMPLES
    assert found.moments()[65].tolist() == [1, 1, -1]


def test_examples_are_known_by_their_row_in_the_dataset_where_each_has_one() -> None:
    found = Sample()
    found.add([torch.randn(3, 4)], torch.randn(3), 0, origin=(7, 2, 9))
    found.add([torch.randn(3, 4)], torch.randn(3), 1, origin=(7, 2))

    assert found.moments()[:, 2].tolist() == [7, 2, 9, -1, -1, -1]


def test_batches_of_other_shapes_are_not_kept() -> None:
    found = Sample()
    found.add([torch.randn(8, 4)], torch.randn(8), 0)
    found.add([torch.randn(8, 5)], torch.randn(8), 1)
    found.add([torch.randn(9, 4)], torch.randn(8), 2)

    assert (found.met, found.kept) == (24, 8)


def test_rows_of_ids_may_differ_in_length() -> None:
    found = Sample()
    for length in (5, 9, 100):
        found.add([torch.ones(8, length, dtype=torch.long)], torch.zeros(8), length)

    assert found.kept == 24
    assert found.inputs()[0].sum(1).tolist() == [5.0] * 8 + [9.0] * 8 + [64.0] * 8


def test_images_are_kept_as_averages_in_memory_of_their_own() -> None:
    images = torch.zeros(2, 3, 224, 224, dtype=torch.uint8)
    kept = flat(images)
    images += 9

    assert kept.shape[1] <= sample.MOST_WIDTH
    assert float(kept.max()) == 0.0


def test_equal_and_broken_examples_are_left_out() -> None:
    table = torch.tensor([[1.0, 2], [3, 4], [1, 2], [float("nan"), 1]])

    assert distinct([table]).tolist() == [0, 1]


def test_answers_are_classes_codes_or_values() -> None:
    labels = torch.randint(0, 3, (60,), generator=torch.Generator().manual_seed(0))
    codes = torch.nn.functional.one_hot(labels, 3).float()
    values = torch.randn(60, 2)

    assert [part.classes for part in parts_of(labels[:, None].float())] == [3]
    assert torch.equal(parts_of(codes)[0].values, labels)
    assert [part.classes for part in parts_of(values)] == [0, 0]
    assert parts_of(torch.ones(60, 1)) == []
    assert parts_of(torch.randn(60, 64)) == []
    assert parts_of(torch.full((60, 1), float("nan"))) == []


def test_the_next_state_of_each_column_is_no_leak() -> None:
    now = torch.randn(200, 4, generator=torch.Generator().manual_seed(0))
    moved, leaked = Sample(), Sample()
    moved.add([now], now[:, :2] + 0.01 * now[:, 2:], 0)
    leaked.add([now], now[:, 3], 0)
    next_state, copy = (compared(one, doubting=False) for one in (moved, leaked))

    assert next_state(step=0, site=None, meeting=None).tells.columns == ()
    assert copy(step=0, site=None, meeting=None).tells.columns == (3,)


def test_equal_inputs_with_other_classes_are_counted_once() -> None:
    drawn = torch.Generator().manual_seed(0)
    inputs, labels = torch.randn(100, 12, generator=drawn), torch.arange(100) % 4
    found = Sample()
    for epoch in range(2):
        found.add([inputs], labels, epoch)
    found.add([inputs[:5]], (labels[:5] + 1) % 4, 2)
    record = compared(found, doubting=True)
    seen = record(step=3, site=None, meeting=None)

    assert (seen.examples, seen.met, seen.answers, seen.classes) == (100, 205, "classes", 4)
    assert seen.repeats.conflicting == 10
    assert seen.repeats.pair == (0, 1)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (torch.arange(64), True),
        (torch.arange(128).reshape(64, 2), True),
        (torch.arange(64 * 9).reshape(64, 9), False),
        (torch.randn(64, 2), False),
        (torch.zeros(64, 2, dtype=torch.bool), False),
        (torch.zeros(64, 2, dtype=torch.uint8), False),
    ],
    ids=["users", "users-and-items", "a-text", "measured", "flags", "bytes"],
)
def test_a_few_whole_numbers_of_each_example_are_names(given: torch.Tensor, named: bool) -> None:
    found = Sample()
    found.add([torch.randn(64, 3), given], torch.randn(64), 0)

    assert found.named is named
    assert compared(found, doubting=False)(site=None, meeting=None).named is named
