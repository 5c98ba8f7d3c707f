"""What is read for a tap is read quietly."""

from types import SimpleNamespace
from typing import Any

import torch

from firstlight.observe.inside.observer import Observer
from firstlight.records.taped import FreeSeen


def test_readings_are_on_the_cpu_whatever_device_the_program_has_made_the_default() -> None:
    observer: Any = SimpleNamespace(reading=False)
    with torch.device("meta"):
        with Observer.quiet(observer):
            drawn = torch.randperm(4, generator=torch.Generator().manual_seed(0))
            assert (drawn.device.type, torch.zeros(1).device.type, observer.reading) == ("cpu", "cpu", True)
        assert (torch.zeros(1).device.type, observer.reading) == ("meta", False)


def test_a_sighting_that_does_not_tell_its_step_gets_the_one_the_observer_is_at() -> None:
    told: list[dict[str, Any]] = []
    observer: Any = SimpleNamespace(step=7, note=lambda _kind, observed: told.append(observed))
    Observer.emit(observer, FreeSeen(free=1.0))
    Observer.emit(observer, FreeSeen(step=3, rank=2, free=1.0))

    assert [(one["step"], one["rank"]) for one in told] == [(7, 0), (3, 2)]
