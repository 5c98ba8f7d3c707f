"""Everything in float32: what the program converts to a narrower type stays wide."""

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

NARROW = (torch.float16, torch.bfloat16)


class Wide(TorchDispatchMode):
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if kwargs.get("dtype") in NARROW:
            kwargs = {**kwargs, "dtype": torch.float32}
        return func(*args, **kwargs)


def widened(tree: Any) -> Any:
    """The same, its narrow tensors in float32."""
    if isinstance(tree, torch.Tensor):
        return tree.float() if tree.dtype in NARROW else tree
    if type(tree) is dict:
        return {key: widened(item) for key, item in tree.items()}
    if type(tree) in (list, tuple):
        return type(tree)(widened(item) for item in tree)
    return tree
