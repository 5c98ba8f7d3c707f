"""Wide, short data: 60 samples and 400 noisy predictors. Strong decay chosen on a validation grid."""
import torch
from torch import nn

torch.manual_seed(8)
P, N = 400, 60
beta = 0.2 * torch.randn(P)
basis = torch.randn(6, P)


def sample(n):
    x = torch.randn(n, 6) @ basis + 0.6 * torch.randn(n, P)
    return x / 2.5, (x @ beta / 6 + 0.8 * torch.randn(n))[:, None]


train, val, test = sample(N), sample(300), sample(2000)


def fit(decay, steps=1000):
    torch.manual_seed(0)
    net = nn.Linear(P, 1)
    opt = torch.optim.AdamW(net.parameters(), lr=1e-2, weight_decay=decay)
    for step in range(steps):
        loss = nn.functional.mse_loss(net(train[0]), train[1])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        v = nn.functional.mse_loss(net(val[0]), val[1]).item()
    print(f"decay {decay:6.2f}  train mse {loss.item():.4f}  val mse {v:.4f}")
    return v, net


grid = [0.0, 0.3, 1.0, 3.0, 10.0]
v, net = min((fit(d) for d in grid), key=lambda r: r[0])
with torch.no_grad():
    mse = nn.functional.mse_loss(net(test[0]), test[1]).item()
print(f"selected val mse {v:.4f}; test mse {mse:.4f}; R2 {1 - mse / test[1].var().item():.3f}")
