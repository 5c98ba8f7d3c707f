import torch

from firstlight.observe.inside.taps.rows import hashes_of

ROWS = torch.randn(32, 3, 5, generator=torch.Generator().manual_seed(0))
ORDER = torch.randperm(32, generator=torch.Generator().manual_seed(1))


def test_a_row_has_its_hash_wherever_it_stands() -> None:
    found = hashes_of([ROWS])

    assert len(set(found)) == 32
    assert hashes_of([ROWS[ORDER]]) == [found[place] for place in ORDER.tolist()]
    assert hashes_of([ROWS[:7]]) == found[:7]


def test_every_tensor_with_as_many_rows_counts() -> None:
    numbers = torch.arange(32)

    assert not set(hashes_of([ROWS, numbers])) & set(hashes_of([ROWS, numbers + 1]))
    assert hashes_of([ROWS, torch.ones(4)]) == hashes_of([ROWS])


def test_whole_numbers_truth_values_and_half_precision_are_read() -> None:
    tokens = torch.randint(0, 50, (32, 40), generator=torch.Generator().manual_seed(0))

    assert len(set(hashes_of([tokens]))) == 32
    assert len(set(hashes_of([tokens > 25]))) == 32
    assert len(set(hashes_of([ROWS.bfloat16()]))) == 32


def test_equal_rows_have_equal_hashes() -> None:
    assert len(set(hashes_of([torch.zeros(8, 4)]))) == 1


def test_nothing_to_read_gives_nothing() -> None:
    assert hashes_of([]) == []
    assert hashes_of([torch.tensor(1.0), torch.zeros(0, 4)]) == []
