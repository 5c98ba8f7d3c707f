"""Labels of whole sequences, given to other examples than their own."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.observe.inside.tape.tapes import taped
from torch import nn
from torch.nn import functional as F

from firstlight.observe.inside.tape.sequences import Sequences, sequences_of
from firstlight.observe.inside.tape.tail import tail_of

TIMES, CLASSES = 12, 5


def one_of(labels: list[list[int]], room: int = TIMES, table: bool = False, by_name: bool = False) -> Sequences:
    rows = [torch.tensor(row) for row in labels]
    targets = nn.utils.rnn.pad_sequence(rows, batch_first=True) if table else torch.cat(rows)
    lengths, times = torch.tensor([len(row) for row in rows]), torch.full((len(rows),), room)
    generator = torch.Generator().manual_seed(0)
    with taped() as recorder:
        model = nn.Linear(4, CLASSES)
        scores = model(torch.randn(TIMES, len(rows), 4, generator=generator)).log_softmax(-1)
        if by_name:
            loss = F.ctc_loss(scores, targets=targets, input_lengths=times, target_lengths=lengths)
        else:
            loss = nn.CTCLoss()(scores, targets, times, lengths)
        tail = tail_of(recorder, loss)
    assert tail is not None
    (found,) = sequences_of(tail)
    assert torch.isclose(tail.replay(found.own), loss)
    assert torch.isfinite(tail.replay(found.exchanged(generator)))
    return found


def told(found: Sequences, seed: int) -> list[tuple[int, ...]]:
    given = found.exchanged(torch.Generator().manual_seed(seed))
    labels, lengths = given[id(found.labels)], given[id(found.lengths)].tolist()
    rows = labels if labels.ndim == 2 else labels.split(lengths)
    return [tuple(row[:length].tolist()) for row, length in zip(rows, lengths, strict=True)]


@given(st.lists(st.lists(st.integers(1, CLASSES - 1), min_size=1, max_size=5), min_size=2, max_size=6), st.booleans())
def test_the_labels_of_an_example_stay_together(labels: list[list[int]], table: bool) -> None:
    found = one_of(labels, table=table)

    assert sorted(told(found, 1)) == sorted(tuple(row) for row in labels)


def test_they_are_given_to_others() -> None:
    labels = [[1, 2, 3], [4], [2, 2], [3, 1]]

    assert any(told(one_of(labels), seed) != [tuple(row) for row in labels] for seed in range(3))


@pytest.mark.parametrize("long", [[1, 2, 3, 4], [1, 1, 2]])
def test_who_has_no_room_for_the_labels_of_another_keeps_its_own(long: list[int]) -> None:
    found = one_of([[1], [2], [3], long])._replace(room=torch.tensor([3, 3, 3, TIMES]))

    for seed in range(8):
        assert all(len(row) == 1 for row in told(found, seed)[:3])


def test_arguments_by_name_and_labels_without_a_length_of_their_own() -> None:
    assert one_of([[1], [2]], by_name=True).labels.tolist() == [1, 2]
    with taped() as recorder:
        scores = nn.Linear(4, CLASSES)(torch.randn(TIMES, 2, 4)).log_softmax(-1)
        # Lengths may be tuples; torch's own annotation knows of tensors alone.
        loss = F.ctc_loss(scores, torch.tensor([[1, 2], [3, 4]]), (TIMES, TIMES), (2, 2))  # type: ignore[arg-type]
        tail = tail_of(recorder, loss)
    assert tail is not None
    assert list(sequences_of(tail)) == []
