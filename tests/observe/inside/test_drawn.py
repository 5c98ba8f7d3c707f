"""What was filled by chance, and for how long that is known."""

import torch

from firstlight.observe.inside.drawn import DrawnMemory


def test_a_tensor_its_views_and_its_data_are_one() -> None:
    drawn, weight = DrawnMemory(), torch.nn.Parameter(torch.empty(4, 4))
    drawn.add(weight)

    assert drawn.holds(weight)
    assert drawn.holds(weight.data)
    assert drawn.holds(weight[1:])
    assert not drawn.holds(weight.detach().clone())


def test_values_that_are_put_in_their_place_are_not() -> None:
    drawn, weight = DrawnMemory(), torch.nn.Parameter(torch.empty(4, 4))
    drawn.add(weight)
    weight.data = torch.zeros(4, 4)

    assert not drawn.holds(weight)


def test_memory_that_was_let_go_is_forgotten() -> None:
    drawn, weight = DrawnMemory(), torch.empty(4, 4)
    drawn.add(weight)
    place = weight.data_ptr()
    del weight
    others = [torch.zeros(4, 4) for _ in range(64)]

    assert not any(drawn.holds(other) for other in others if other.data_ptr() == place)


def test_what_has_no_values_is_not_drawn() -> None:
    drawn = DrawnMemory()
    drawn.add(torch.empty(4, 4, device="meta"))
    drawn.add(None)

    assert not drawn.holds(torch.empty(4, 4, device="meta"))
    assert not drawn.holds("weights")
