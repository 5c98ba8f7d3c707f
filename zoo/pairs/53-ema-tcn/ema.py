import copy

import torch


class ModelEma:
    """Exponential moving average of a model, kept as a full copy for evaluation."""

    def __init__(self, model, decay=0.98):
        self.module = copy.deepcopy(model).eval()
        self.decay = decay
        for p in self.module.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def blend(self, averaged, current):
        for a, c in zip(averaged, current):
            if a.dtype.is_floating_point:
                a.lerp_(c, 1 - self.decay)
            else:
                a.copy_(c)
