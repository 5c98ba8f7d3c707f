"""The copy from before a bad step is still there when the step is judged late."""

import torch
from torch import nn

from firstlight.guard.capture.ring import Ring


def taken(ring: Ring, model: nn.Linear, ticks: int) -> None:
    for tick in range(ticks):
        ring.passes(tick, tick, [("model", model)])
        with torch.no_grad():
            model.bias.add_(1)


def test_the_two_last_copies_are_held() -> None:
    ring, model = Ring("host", every=1), nn.Linear(2, 1, bias=True)
    nn.init.zeros_(model.bias)
    taken(ring, model, 5)
    for tick in (3, 4):
        slot = ring.before(tick)
        assert slot is not None
        assert (slot.tick, slot.parts["model"].tensors["bias"].item()) == (tick, tick)
    assert ring.before(2) is None


def test_copies_are_as_far_apart_as_was_chosen() -> None:
    ring, model = Ring("device", every=3), nn.Linear(2, 1)
    taken(ring, model, 8)
    slot = ring.before(5)
    assert slot is not None
    assert slot.tick == 3


def test_nothing_is_copied_when_it_is_off() -> None:
    ring = Ring("off", every=1)
    taken(ring, nn.Linear(2, 1), 3)
    assert ring.before(10) is None


def test_memory_is_allocated_once() -> None:
    ring, model = Ring("host", every=1), nn.Linear(2, 1)
    taken(ring, model, 2)
    before = {slot.parts["model"].tensors["weight"].data_ptr() for slot in ring._slots}
    taken(ring, model, 4)
    assert {slot.parts["model"].tensors["weight"].data_ptr() for slot in ring._slots} == before


def test_state_that_grows_is_followed() -> None:
    ring, model = Ring("host", every=1), nn.Linear(2, 1)
    optimizer = torch.optim.Adam(model.parameters())
    ring.take(0, 0, [("optimizer", optimizer)])
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    ring.take(1, 1, [("optimizer", optimizer)])
    slot = ring.before(1)
    assert slot is not None
    assert "state.0.exp_avg" in slot.parts["optimizer"].tensors
