"""A file that stops in the middle of a torch program."""

import torch

torch.manual_seed(0)

model = torch.nn.Linear(4, 2
