import copy

import torch
from torch import nn

from firstlight.observe.inside.begun_anew import WeightsFollowed


def net() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))


def step(model: nn.Module, weights: WeightsFollowed, times: int = 1) -> None:
    for _ in range(times):
        assert not weights.is_begun_anew(None)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(0.01 * torch.randn_like(parameter))
        weights.stepped()


def test_steps_and_calls_leave_them_as_they_are() -> None:
    model = net()
    weights = WeightsFollowed(model)
    step(model, weights, 3)

    assert not weights.is_begun_anew(None)
    assert weights.moment == 3


def test_layers_that_are_initialised_again_are_new() -> None:
    model = net()
    weights = WeightsFollowed(model)
    step(model, weights)
    for parameter in model.parameters():
        parameter.data.normal_(0, 0.3)

    assert weights.is_begun_anew(0)
    assert not weights.is_begun_anew(0)  # told once


def test_the_state_they_began_with_is_new_however_near_it_is() -> None:
    model = net()
    weights, first = WeightsFollowed(model), copy.deepcopy(model.state_dict())
    step(model, weights, 2)
    model.load_state_dict(first)

    assert weights.is_begun_anew(1)


def test_the_best_state_of_a_stage_is_none() -> None:
    model = net()
    weights = WeightsFollowed(model)
    step(model, weights, 2)
    best = copy.deepcopy(model.state_dict())
    step(model, weights, 2)
    model.load_state_dict(best)

    assert not weights.is_begun_anew(2)


def test_a_correction_of_the_weights_is_none() -> None:
    model = net()
    weights = WeightsFollowed(model)
    step(model, weights)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(0.9)

    assert not weights.is_begun_anew(0)


def test_a_model_without_trainable_weights_is_not_known() -> None:
    assert not WeightsFollowed(net().requires_grad_(False)).known
    assert WeightsFollowed(net()).known
