"""A file that stops in the middle of a torch program."""

import torch

model = torch.nn.Linear(4, 2
