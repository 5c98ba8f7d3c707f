"""The body is to be trained after a warm-up of the head."""

import torch
from torch import nn

EPOCHS, WARMUP_STEPS = 12, 40


def set_trainable(module, flag):
    for parameter in module.parameters():
        parameter.requires_grad_(flag)


torch.manual_seed(0)
x = torch.randn(320, 8)
y = (x[:, 0] * x[:, 1] > 0).long()
body, head = nn.Sequential(nn.Linear(8, 32), nn.Tanh()), nn.Linear(32, 2)
model = nn.Sequential(body, head)
optimizer = torch.optim.Adam([{"params": head.parameters(), "lr": 1e-2}, {"params": body.parameters(), "lr": 1e-2}])
step = 0
for epoch in range(EPOCHS):
    set_trainable(body, step >= WARMUP_STEPS)
    for rows in torch.randperm(len(x)).split(32):
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
    print(f"epoch {epoch} loss {loss.item():.3f}")
