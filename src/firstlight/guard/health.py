"""Memory, the device and the disk, measured now and then."""

import importlib.util
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import psutil
import torch
from torch import nn

from firstlight.guard.statistics.subjects import local


class Health:
    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._process = psutil.Process(os.getpid())
        self._nvml = _nvml(device)

    def memory(self) -> float:
        """Bytes that grow when something is kept that should not be: of the device where there is one."""
        if self._device.type == "cuda":
            return float(torch.cuda.memory_allocated(self._device))
        return float(self._process.memory_info().rss)

    def fields(self) -> dict[str, Any]:
        """Of a `device` event."""
        on_gpu = self._device.type == "cuda"
        found: dict[str, Any] = {
            "memory_allocated": torch.cuda.memory_allocated(self._device) if on_gpu else 0,
            "memory_reserved": torch.cuda.memory_reserved(self._device) if on_gpu else 0,
            "rss": self._process.memory_info().rss,
        }
        if self._nvml is not None:
            nvml, handle = self._nvml
            found["temperature"] = float(nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU))
            found["util"] = float(nvml.nvmlDeviceGetUtilizationRates(handle).gpu)
        return found


def room(models: Iterable[nn.Module], optimizers: Iterable[torch.optim.Optimizer], folder: Path) -> tuple[float, float]:
    """Bytes that are free where a folder is, and those that all weights, buffers and optimizer state take."""
    held: dict[int, torch.Tensor] = {}
    for model in models:
        held.update({id(tensor): tensor for tensor in (*model.parameters(), *model.buffers())})
    for optimizer in optimizers:
        values = (value for state in optimizer.state.values() for value in state.values())
        held.update({id(value): value for value in values if isinstance(value, torch.Tensor)})
    return float(psutil.disk_usage(str(folder)).free), float(sum(local(tensor).nbytes for tensor in held.values()))


def _nvml(device: torch.device) -> tuple[Any, Any] | None:
    if device.type != "cuda" or importlib.util.find_spec("pynvml") is None:
        return None
    import pynvml

    try:
        pynvml.nvmlInit()
        return pynvml, pynvml.nvmlDeviceGetHandleByIndex(device.index or 0)
    except pynvml.NVMLError:
        return None
