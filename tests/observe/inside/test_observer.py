"""What is read for a tap is read quietly."""

from types import SimpleNamespace
from typing import Any

import torch

from firstlight.observe.inside.observer import Observer


def test_readings_are_on_the_cpu_whatever_device_the_program_has_made_the_default() -> None:
    observer: Any = SimpleNamespace(reading=False)
    with torch.device("meta"):
        with Observer.quiet(observer):
            drawn = torch.randperm(4, generator=torch.Generator().manual_seed(0))
            assert (drawn.device.type, torch.zeros(1).device.type, observer.reading) == ("cpu", "cpu", True)
        assert (torch.zeros(1).device.type, observer.reading) == ("meta", False)
