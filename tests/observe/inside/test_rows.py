import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from firstlight.observe.inside import rows


def test_a_row_has_the_same_number_in_any_batch() -> None:
    table = torch.randn(50, 30)
    together = rows.keys([table])

    assert [rows.keys([row[None]])[0] for row in table] == together
    assert rows.keys([table[20:37].clone()]) == together[20:37]
    assert len(set(together)) == 50


@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=2, max_size=20))
def test_rows_are_equal_exactly_where_their_numbers_are(table: list[list[int]]) -> None:
    for tensor in (torch.tensor(table), torch.tensor(table, dtype=torch.float32)):
        found = rows.keys([tensor])
        assert len(set(found)) == len({tuple(row) for row in table})


def test_a_single_changed_value_changes_the_number() -> None:
    table = torch.randn(200, 1000)
    other = table.clone()
    other[torch.arange(200), torch.randint(1000, (200,))] += 1e-4

    assert not set(rows.keys([table])) & set(rows.keys([other]))


def test_both_zeros_are_one() -> None:
    assert rows.keys([torch.tensor([[0.0, 1.0]])]) == rows.keys([torch.tensor([[-0.0, 1.0]])])


def test_several_tensors_are_one_row() -> None:
    one, other = torch.randn(8, 5), torch.randint(9, (8, 3))

    assert rows.keys([one, other]) != rows.keys([one])
    assert len(rows.keys([one, other, torch.randn(3, 2)])) == 8


def test_wide_rows_are_told_by_a_part() -> None:
    pictures = torch.randn(4, 3, 64, 64)

    assert len(set(rows.keys([pictures]))) == 4


def test_padding_and_codes_do_not_tell() -> None:
    one_hot = torch.eye(12)[torch.randint(12, (6,))]
    padded = torch.zeros(6, 40)
    padded[:, :3] = torch.randn(6, 3)

    assert not any(rows.telling([one_hot]))
    assert not any(rows.telling([padded]))
    assert all(rows.telling([torch.randn(6, 8)]))


def test_room_is_small_for_few_combinations() -> None:
    assert rows.room([torch.randint(2, (64, 10))]) <= 10
    assert rows.room([torch.randn(64, 16)]) > 90
    assert rows.room([]) == 0.0


def test_the_random_state_is_left_alone() -> None:
    before = torch.get_rng_state()
    rows.keys([torch.zeros(3, 777)])

    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize("axis", [1, 2])
def test_overlapping_windows_share_their_pieces(axis: int) -> None:
    recording = torch.randn(60, 3)
    windows = recording.unfold(0, 20, 5)  # (window, channel, time)
    windows = windows if axis == 2 else windows.transpose(1, 2)

    one, other = (set(rows.pieces(windows[part], 4, axis)) for part in (slice(0, 1), slice(1, 2)))

    assert len(one) == len(other) == 17
    assert len(one & other) == 12


def test_silence_and_short_sequences_have_no_pieces() -> None:
    assert rows.pieces(torch.zeros(4, 20, 3), 4, 1) == []
    assert rows.pieces(torch.randn(4, 7, 3), 4, 1) == []
    assert rows.pieces(torch.randn(4, 20), 4, 1) == []


def test_what_is_looked_up_holds_no_more_than_its_list() -> None:
    """Two tables of 30 entries each: some 900 combinations, however many values an entry has."""
    table = torch.randn(30, 8)
    users, items = (table[torch.randint(0, 30, (128,), generator=torch.Generator().manual_seed(n))] for n in (1, 2))

    assert rows.room([users, items]) < 20 < rows.room([torch.randn(128, 8), items])
