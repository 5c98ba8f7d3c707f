import pytest
from msgspec.structs import replace
from tests.facts.test_derive_steps import STEP

from firstlight.facts.motion import ALIVE, units
from firstlight.facts.sightings import Sightings
from firstlight.records.inner import Moved, Movement, Units

LAYER = Units(
    step=10, order=0, kind="relu", site=None, module=None, units=20, dead=2, saturated=0.0, looks=4, examples=80
)


@pytest.mark.parametrize(
    ("dead", "rose"),
    [
        pytest.param((2, 20), 3.0, id="died"),
        pytest.param((5, 20), 3.0, id="mostly-alive-before"),
        pytest.param((6, 20), 1.0, id="never-seen-alive"),
        pytest.param((2, 2), 1.0, id="alive"),
    ],
)
def test_the_rate_since_a_layer_was_alive(dead: tuple[int, int], rose: float) -> None:
    steps = [replace(STEP, step=at, lr=rate) for at, rate in ((1, 0.1), (10, 0.2), (20, 0.6), (30, 0.2))]
    looks = [replace(LAYER, step=at, dead=count) for at, count in zip((10, 30), dead, strict=True)]
    (found,) = units(Sightings([*steps, *looks]))
    assert found.dead == dead[-1]
    assert found.rose == pytest.approx(rose)
    assert found.answered == (dead[0] <= ALIVE * LAYER.units)


def test_the_largest_step_before_a_look() -> None:
    def moved(step: int, update: float) -> Movement:
        matrix = Moved(name="w", shape=(2, 2), dtype="float32", gradient=1.0, weight=2.0, update=update, still=0.0)
        return Movement(step=step, optimizer=0, name="SGD", built=None, settings={"lr": 0.1}, tensors=(matrix,))

    seen = [moved(2, 0.8), moved(10, 0.2), moved(30, float("nan")), replace(LAYER, step=10), moved(100, 2.0)]

    assert [one.pace for one in units(Sightings(seen))] == [0.4]
    assert [one.pace for one in units(Sightings([LAYER]))] == [0.0]
