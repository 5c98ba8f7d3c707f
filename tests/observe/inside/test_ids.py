"""Ids of two sides, counted from the same number or not."""

from collections import Counter

import pytest
import torch

from firstlight.checks.data.ids_counted_otherwise import CHECK
from firstlight.observe.inside.feed import Feed
from firstlight.observe.inside.ids import compared, count
from firstlight.records.feed import FeedSeen


def text(rows: int, seed: int, kinds: int = 60) -> torch.Tensor:
    """Ids whose shares say nothing of those of their neighbours, rows padded at their ends."""
    generator = torch.Generator().manual_seed(seed)
    shares = torch.rand(kinds, generator=torch.Generator().manual_seed(9)) ** 3
    ids = torch.multinomial(shares, rows * 20, replacement=True, generator=generator).reshape(rows, 20) + 1
    ids[:, 14 + seed % 4 :] = 0
    return ids


def fed(here: torch.Tensor, there: torch.Tensor) -> FeedSeen:
    feed = Feed()
    for batch in here.split(32):
        feed.train({"x": batch})
    feed.evaluate({"x": there})
    return FeedSeen(step=9, model=0, name="Net", site=None, eval_site=None, inputs=(), ids=feed.ids())


def found(here: torch.Tensor, there: torch.Tensor) -> int:
    return len(list(CHECK.find(fed(here, there), CHECK.limits)))


@pytest.mark.parametrize("offset", [-2, -1, 1, 4])
def test_ids_counted_from_another_number_are_told(offset: int) -> None:
    seen = fed(text(300, 0), (text(100, 1) + offset).clamp(min=0))

    assert seen.ids[0].offset == offset
    assert found(text(300, 0), (text(100, 1) + offset).clamp(min=0)) == 1


def test_the_same_text_padded_or_not_is_fine() -> None:
    assert found(text(300, 0), text(100, 1)) == 0
    assert found(text(300, 0), text(100, 3)) == 0


def test_another_text_is_no_offset() -> None:
    turned = 60 - text(100, 1)

    assert found(text(300, 0), turned.clamp(min=0)) == 0


def test_ids_that_all_come_equally_often_say_nothing() -> None:
    draw = torch.randint(0, 50, (400, 20), generator=torch.Generator().manual_seed(0))

    assert found(draw[:300], draw[300:]) == 0


def test_negative_ids_are_none() -> None:
    assert compared("x", count(torch.tensor([-1, 2])), Counter({1: 3})).counted == 0


def test_lengths_that_are_longer_by_nature_are_no_ids() -> None:
    lengths = (20 + 4 * torch.randn(800, generator=torch.Generator().manual_seed(0))).round().long()

    assert found(lengths[:400], lengths[400:] + 3) == 0
