"""The same file, complete."""

import torch

model = torch.nn.Linear(4, 2)
