"""What becomes of a gradient, by what it was."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from firstlight.observe.inside.taps.altered import GradientWatch, compared, one_sided, put_back, shortened, unshrunk
from firstlight.records.taped import AlteredSeen

GENERATOR = torch.Generator().manual_seed(0)
GRADIENT = torch.randn(64, 8, generator=GENERATOR) * 1e-2
NOISE = torch.randn(64, 8, generator=GENERATOR)


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


@pytest.mark.parametrize("change", [torch.abs, lambda g: g.roll(1, 0), lambda g: g + NOISE])
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


def test_a_limit_for_elements_leaves_little_and_most_at_one_size() -> None:
    kept, bounded = shortened(GRADIENT, GRADIENT.clamp(-1e-6, 1e-6))

    assert kept == pytest.approx(1e-4, rel=0.1)
    assert bounded > 0.99


@pytest.mark.parametrize("change", [lambda g: g.clamp(min=0), lambda g: -(-g).relu(), lambda g: g * (g > 0)])
def test_what_takes_all_of_one_sign_is_one_sided(change: Any) -> None:
    assert one_sided(GRADIENT, change(GRADIENT)) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda g: g * (torch.arange(64) < 32).float()[:, None],
        lambda g: g * (g.abs() > g.abs().median()),
        lambda g: g.clamp(-1e-3, 1e-3),
        lambda g: g * 0,
    ],
)
def test_masks_and_limits_are_not(change: Any) -> None:
    assert one_sided(GRADIENT, change(GRADIENT)) < 0.7


def test_a_large_gradient_is_sampled() -> None:
    seen, told = watch(True, [])
    hook = seen.watched(lambda gradient: gradient.clamp(min=0), 0, "a tensor")
    hook(torch.randn(1 << 19, generator=GENERATOR).reshape(2, 4, -1).transpose(0, 1))

    assert told[0].sided == 1
    assert told[0].lost == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("change", [lambda g: g, lambda g: g * 100, lambda g: g.sign()])
def test_what_is_not_made_smaller_is_not_bounded(change: Any) -> None:
    kept, bounded = shortened(GRADIENT, change(GRADIENT))

    assert kept >= 1
    assert bounded == 0


def test_a_limit_for_the_length_bounds_hardly_any_element() -> None:
    assert shortened(GRADIENT, GRADIENT * 1e-3) == pytest.approx([1e-3, 1 / GRADIENT.numel()], rel=1e-4)


def test_only_what_was_made_smaller_is_put_back() -> None:
    was = torch.tensor([1.0, 1.0, 1.0, 1.0, -1.0])
    now = torch.tensor([0.1, -0.1, 0.0, 2.0, -0.1])

    assert put_back(was, now).tolist() == pytest.approx([1.0, -0.1, 0.0, 2.0, -1.0])


def test_a_hook_that_writes_in_place_is_undone_and_called() -> None:
    gradient, calls = torch.ones(3), []

    def hook(given: torch.Tensor) -> None:
        calls.append(given)
        given.mul_(1e-3)

    assert unshrunk(hook, 0, (gradient,)).tolist() == [1.0, 1.0, 1.0]
    assert len(calls) == 1


def test_each_tensor_that_a_hook_of_a_module_is_given_is_put_back() -> None:
    given = (torch.ones(2), None)
    found = unshrunk(lambda _module, into, _out: (into[0] * 1e-3, None), 1, (None, given, None))

    assert found[0].tolist() == [1.0, 1.0]
    assert found[1] is None


def watch(clips: bool, held: list[torch.Tensor]) -> tuple[GradientWatch, list[AlteredSeen]]:
    told: list[AlteredSeen] = []
    entry = SimpleNamespace(parameters=held)
    observer: Any = SimpleNamespace(
        step=0, light=False, clips=clips, scale=1.0, emit=told.append, shielded=lambda _name, function: function
    )
    optimizers: Any = SimpleNamespace(held={0: entry}, of=lambda _optimizer: entry)
    return GradientWatch(observer, optimizers), told


@pytest.mark.parametrize(("clips", "left"), [(True, 1e-5), (False, 1.0)])
def test_between_backward_and_step(clips: bool, left: float) -> None:
    """The program is watched; in the copy without limits, what they took is put back."""
    weight = torch.ones(4, 4, requires_grad=True)
    weight.grad = torch.ones(4, 4)
    seen, told = watch(clips, [weight])
    optimizer: Any = None
    seen.backward_ended(weight)
    weight.grad.clamp_(-1e-5, 1e-5)
    seen.step_begins(optimizer)

    assert weight.grad.unique().tolist() == pytest.approx([left])
    assert [look.by for look in told] == (["the program"] if clips else [])


@pytest.mark.parametrize(("clips", "left"), [(True, 1e-5), (False, 2.0)])
def test_a_hook_after_the_sum(clips: bool, left: float) -> None:
    weight = torch.ones(4, requires_grad=True)
    seen, told = watch(clips, [weight])

    def limit(parameter: torch.Tensor) -> None:
        assert parameter.grad is not None
        parameter.grad.clamp_(-1e-5, 1e-5)

    weight.register_post_accumulate_grad_hook(seen.after_sum(limit))
    (2 * weight).sum().backward()

    assert weight.grad is not None
    assert weight.grad.unique().tolist() == pytest.approx([left])
    assert len(told) == int(clips)


def test_a_hook_that_steps_by_itself_is_left_alone() -> None:
    weight = torch.ones(4, requires_grad=True)
    seen, _ = watch(False, [weight])
    optimizer = torch.optim.SGD([weight], lr=0.1)

    def step(_parameter: torch.Tensor) -> None:
        optimizer.step()
        optimizer.zero_grad()

    weight.register_post_accumulate_grad_hook(seen.after_sum(step))
    weight.sum().backward()

    assert weight.grad is None
    assert weight.tolist() == pytest.approx([0.9] * 4)
