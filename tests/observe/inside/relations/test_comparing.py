"""Several parts of an answer, each by itself and all together."""

import torch

from firstlight.observe.inside.relations.comparing import _tells
from firstlight.observe.inside.relations.sample import parts_of

IDS = torch.randint(0, 12, (320, 6), generator=torch.Generator().manual_seed(3)).float()
OTHERS = torch.randn(320, 4, generator=torch.Generator().manual_seed(4))


def test_one_part_that_a_column_tells_is_told() -> None:
    answer = torch.stack([IDS[:, 0], torch.randperm(320, generator=torch.Generator().manual_seed(5)) % 12.0], 1)
    found = _tells(torch.cat([IDS, OTHERS], 1), parts_of(answer))

    assert (found.columns, found.count) == ((0,), 1)


def test_inputs_in_another_order_are_no_leak() -> None:
    """The parts but one stand twice among the columns: what was said so far is given, too."""
    answer = IDS.flip(1)
    found = _tells(torch.cat([IDS, answer[:, :-1]], 1), parts_of(answer))

    assert (found.columns, found.count) == ((), 0)
