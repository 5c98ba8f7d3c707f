"""The pass for the device the parameters are on."""

import importlib.util

import torch

from firstlight.guard.statistics.foreach import ForeachPass
from firstlight.guard.statistics.host import HostPass
from firstlight.guard.statistics.rows import Pass
from firstlight.guard.statistics.sharded import ShardedPass
from firstlight.guard.statistics.split import SplitPass
from firstlight.guard.statistics.subjects import Subjects


def pass_for(subjects: Subjects, skips: bool = False) -> Pass:
    weights = subjects.weights()
    if any(parted := subjects.parted):
        return ShardedPass(weights, parted)
    devices = {weight.device for weight in weights}
    if len(devices) > 1:
        return SplitPass(weights, lambda some: _on_one(some, skips))
    return _on_one(weights, skips)


def _on_one(weights: list[torch.Tensor], skips: bool) -> Pass:
    if not weights or weights[0].device.type == "cpu":
        return HostPass(weights)
    if weights[0].device.type == "cuda" and importlib.util.find_spec("triton") is not None:
        from firstlight.guard.statistics.device import DevicePass

        return DevicePass(weights, skips)
    return ForeachPass(weights)
