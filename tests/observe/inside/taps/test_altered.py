"""What becomes of a gradient, by what it was."""

import pytest
import torch

from firstlight.observe.inside.taps.altered import compared

torch.manual_seed(0)
GRADIENT = torch.randn(64, 8) * 1e-2


@pytest.mark.parametrize(
    "change",
    [
        lambda g: g * 0.1,
        lambda g: g.clamp(-1e-3, 1e-3),
        lambda g: g * (torch.arange(64) < 32).float()[:, None],
        lambda g: g / g.norm(),
        torch.sign,
    ],
)
def test_scaling_clipping_and_masking_turn_nothing(change: object) -> None:
    assert callable(change)
    flipped, _, _, lost, uneven = compared(GRADIENT, change(GRADIENT))
    assert flipped == 0
    assert lost == 0 or uneven == pytest.approx(0, abs=1e-6)


def test_a_reversal_turns_all_of_it() -> None:
    assert compared(GRADIENT, -0.3 * GRADIENT)[:3] == pytest.approx([1, 1, -1])


@pytest.mark.parametrize("change", [torch.abs, lambda g: g.roll(1, 0), lambda g: g + torch.randn_like(g)])
def test_other_changes_turn_a_part_of_it(change: object) -> None:
    assert callable(change)
    flipped, turned, cosine, _, _ = compared(GRADIENT, change(GRADIENT))
    assert 0.1 < flipped < 0.9
    assert 0.1 < turned < 0.9
    assert cosine < 0.7


def test_a_cast_to_half_loses_small_ones_and_changes_the_others_unevenly() -> None:
    _, _, _, lost, uneven = compared(GRADIENT, (GRADIENT * 1e-6).half().float())
    assert lost > 0.3
    assert uneven > 0.02
