"""Sharpness-aware minimisation by hand: two backward passes per step, weights moved and moved back."""
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

RHO = 0.05
torch.manual_seed(0)
torch.set_num_threads(1)
x, y = load_digits(return_X_y=True)
xa, xb, ya, yb = train_test_split(x / 16.0 - 0.3, y, test_size=0.3, random_state=0, stratify=y)
xa, xb = (torch.tensor(v, dtype=torch.float32) for v in (xa, xb))
ya, yb = torch.tensor(ya), torch.tensor(yb)

net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
params = list(net.parameters())

step = 0
for epoch in range(40):
    for idx in torch.randperm(len(ya)).split(64):
        loss = F.cross_entropy(net(xa[idx]), ya[idx], label_smoothing=0.1)
        opt.zero_grad()
        loss.backward()
        with torch.no_grad():
            norm = torch.sqrt(sum(p.grad.pow(2).sum() for p in params)) + 1e-12
            shift = [p.grad * (RHO / norm) for p in params]
            for p, e in zip(params, shift):
                p.add_(e)
        opt.zero_grad()
        F.cross_entropy(net(xa[idx]), ya[idx], label_smoothing=0.1).backward()
        with torch.no_grad():
            for p, e in zip(params, shift):
                p.sub_(e)
        opt.step()
        step += 1
        if step % 100 == 0:
            print(f"step {step}  loss {loss.item():.4f}")

with torch.no_grad():
    acc = (net(xb).argmax(1) == yb).float().mean().item()
print(f"held-out accuracy {acc:.4f}")
