"""Which rows of a captured batch are far larger than the others."""

import torch

from firstlight.guard.capture.trees import Packer
from firstlight.guard.replay.material import Material

FAR = 20.0
"""Times the size of the smaller rows."""
SMALLER = 0.25
"""Share of the rows below them: many of a batch may be odd, seldom most of it."""
LEAST_ROWS = 4


def outliers_in(material: Material) -> str:
    """In words; empty where all rows are alike."""
    packer = Packer()
    packer.pack(next(iter(material.batches or material.inputs), None))
    for name, tensor in packer.tensors.items():
        if not tensor.is_floating_point() or tensor.ndim < 1 or len(tensor) < LEAST_ROWS:
            continue
        sizes = tensor.double().reshape(len(tensor), -1).square().mean(1).sqrt()
        usual = float(sizes.quantile(SMALLER))
        far = torch.nonzero(sizes > FAR * usual).flatten().tolist()
        if far and usual > 0:
            times = float(sizes.max()) / usual
            return f"in `{name}` of the batch row {far[0]} is {times:.3g} times as large as the smaller rows" + (
                f", and {len(far) - 1} more rows are far larger" if len(far) > 1 else ""
            )
    return ""
