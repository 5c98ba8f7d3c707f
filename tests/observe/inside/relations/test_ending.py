from collections.abc import Callable

import pytest
import torch
from tests.checks.data.relating import found, related
from tests.observe.inside.tape.tapes import taped
from torch import nn
from torch.nn import functional as F

from firstlight.checks.data.end_not_counted import CHECK
from firstlight.observe.inside.relations.ending import EndsCounted
from firstlight.observe.inside.tape.tail import tail_of
from firstlight.records.relations import Ends

KINDS, END, PADDING = 14, 0, 1

Rows = list[list[int]]
Fed = tuple[torch.Tensor, torch.Tensor, list[torch.Tensor]]
"""The ids that a model is given, the answers, and whatever else is given beside them."""
Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def texts(size: int = 8, longest: int = 9) -> Rows:
    return [torch.randint(2, KINDS, (int(torch.randint(2, longest, ())),)).tolist() for _ in range(size)]


def padded(rows: Rows, padding: int, width: int = 0, left: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    """With a mask that is true where there is no padding."""
    width = width or max(map(len, rows))
    spare = [width - len(row) for row in rows]
    before, after = (spare, [0] * len(rows)) if left else ([0] * len(rows), spare)
    ids = [[padding] * b + row + [padding] * a for b, row, a in zip(before, rows, after, strict=True)]
    mask = [[0] * b + [1] * len(row) + [0] * a for b, row, a in zip(before, rows, after, strict=True)]
    return torch.tensor(ids), torch.tensor(mask)


def shifted(labels: torch.Tensor) -> torch.Tensor:
    return F.pad(labels, (0, 1), value=-100)[:, 1:]


def answers_of(ids: torch.Tensor, left_out: torch.Tensor) -> torch.Tensor:
    return shifted(ids.masked_fill(left_out, -100))


def masked_by_id() -> Fed:
    ids, mask = padded([[*row, END] for row in texts()], END)
    return ids, answers_of(ids, ids == END), [mask]


def masked_by_id_and_prompts_left_out() -> Fed:
    ids, mask = padded([[*row, END] for row in texts()], END)
    return ids, answers_of(ids, (ids == END) | (torch.arange(ids.shape[1]) < 2)), [mask]


def masked_by_id_after_left_padding() -> Fed:
    ids, mask = padded([[*row, END] for row in texts()], END, left=True)
    return ids, answers_of(ids, ids == END), [mask]


def masked_by_id_where_padding_is_true() -> Fed:
    ids, mask = padded([[*row, END] for row in texts()], END, width=12)
    return ids, answers_of(ids, ids == END), [mask == 0]


def ignored_by_id() -> Fed:
    ids, _ = padded([[*row, END] for row in texts()], END)
    return ids[:, :-1], ids[:, 1:].masked_fill(ids[:, 1:] == END, -100), []


def masked_by_place() -> Fed:
    ids, mask = padded([[*row, END] for row in texts()], END)
    return ids, answers_of(ids, mask == 0), [mask]


def padding_of_its_own() -> Fed:
    ids, mask = padded([[*row, END] for row in texts()], PADDING)
    return ids, answers_of(ids, ids == PADDING), [mask]


def no_end() -> Fed:
    ids, mask = padded(texts(), PADDING)
    return ids, answers_of(ids, ids == PADDING), [mask]


def no_end_and_no_mask_to_a_fixed_width() -> Fed:
    ids, mask = padded(texts(), PADDING, width=12)
    return ids, answers_of(ids, ids == PADDING), [torch.ones_like(mask)]


def one_answer_each() -> Fed:
    ids, mask = padded([[*row, END] for row in texts()], END)
    ends = mask.sum(1, keepdim=True) - 2
    return ids, answers_of(ids, torch.arange(ids.shape[1])[None] != ends), [mask]


def a_line_break_after_the_end() -> Fed:
    ids, mask = padded([[*row, END, 13] for row in ([min(i, 12) for i in row] for row in texts())], PADDING)
    return ids, answers_of(ids, (ids == PADDING) | (ids == 13)), [mask]


def hidden_words() -> Fed:
    ids, mask = padded([[*row, END] for row in texts()], PADDING)
    hidden = torch.rand(ids.shape) < 0.3
    return ids.masked_fill(hidden, 13), ids.masked_fill(~hidden, -100), [mask]


def several_turns() -> Fed:
    ids, mask = padded([[3, *one, END, 4, *other, END] for one, other in zip(texts(), texts(), strict=True)], PADDING)
    asked = (ids == END).cumsum(1) - (ids == END).long() >= 1
    return ids, answers_of(ids, ~asked | (ids == 4) | (mask == 0)), [mask]


def plain(scores: torch.Tensor, answers: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(scores.flatten(0, 1), answers.flatten())


def seen(fed: Callable[[], Fed], loss: Loss = plain, steps: int = 12) -> Ends:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(KINDS, 8), nn.Linear(8, KINDS))
    ends = EndsCounted()
    for _ in range(steps):
        ids, answers, others = fed()
        with taped() as recorder:
            tail = tail_of(recorder, loss(model(ids), answers))
            assert tail is not None
            ends.add(tail, [ids, *others])
    return ends.seen()


def told(ends: Ends) -> bool:
    return bool(found(CHECK, related(ends=ends)))


@pytest.mark.parametrize(
    "fed",
    [
        masked_by_id,
        masked_by_id_and_prompts_left_out,
        masked_by_id_after_left_padding,
        masked_by_id_where_padding_is_true,
        ignored_by_id,
    ],
)
def test_an_end_that_never_counts_is_seen(fed: Callable[[], Fed]) -> None:
    ends = seen(fed)

    assert (ends.end, ends.counted, ends.followed) == (END, 0, ends.rows)
    assert told(ends)


@pytest.mark.parametrize(
    "fed",
    [
        masked_by_place,
        padding_of_its_own,
        no_end,
        no_end_and_no_mask_to_a_fixed_width,
        one_answer_each,
        a_line_break_after_the_end,
        hidden_words,
        several_turns,
    ],
)
def test_what_looks_alike_is_left_alone(fed: Callable[[], Fed]) -> None:
    assert not told(seen(fed))


def weighed(scores: torch.Tensor, answers: torch.Tensor) -> torch.Tensor:
    each = F.cross_entropy(scores.transpose(1, 2), answers.clamp_min(0), reduction="none")
    keep = (answers >= 0).float()
    return (each * keep).sum() / keep.sum()


def picked(scores: torch.Tensor, answers: torch.Tensor) -> torch.Tensor:
    likely = scores.log_softmax(-1).gather(-1, answers.clamp_min(0)[..., None]).squeeze(-1)
    return -(likely * (answers >= 0)).sum() / 10


@pytest.mark.parametrize("loss", [weighed, picked])
def test_places_are_left_out_by_a_weight_too(loss: Loss) -> None:
    assert told(seen(masked_by_id, loss))
    assert not told(seen(masked_by_place, loss))


def test_nothing_is_told_of_rows_that_are_no_texts() -> None:
    def tags() -> Fed:
        ids, mask = padded([[*row, END] for row in texts()], END)
        return ids, torch.where(ids == END, -100, ids % 2), [mask]

    assert seen(tags) == Ends()
