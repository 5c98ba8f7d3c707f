"""Stateful GRU over long parallel sensor streams; Gaussian likelihood of the next reading."""
import math

import torch
import torch.nn as nn

torch.manual_seed(31)
STREAMS, LENGTH, CHUNK = 24, 3000, 25


def simulate(n, length):
    """Noisy oscillators with a period of their own and a slowly changing amplitude."""
    t = torch.arange(length).float()
    period = 12 + 10 * torch.rand(n, 1)
    phase = 2 * math.pi * torch.rand(n, 1)
    amp = 1 + 0.5 * torch.sin(2 * math.pi * t / 700 + phase)
    clean = amp * torch.sin(2 * math.pi * t / period + phase)
    return 0.2 * (clean + 0.08 * torch.randn(n, length))


class StreamModel(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.gru = nn.GRU(1, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 2)

    def forward(self, x, state=None):
        h, state = self.gru(x.unsqueeze(-1) * 5.0, state)
        mean, raw = self.head(h).unbind(-1)
        return mean, nn.functional.softplus(raw) + 1e-3, state


def nll(mean, std, target):
    return -torch.distributions.Normal(mean, std).log_prob(target).mean()


def sweep(model, x, opt=None):
    """One pass in time order; the state is carried over from chunk to chunk."""
    state, losses, sq = None, [], []
    for start in range(0, x.shape[1] - 1, CHUNK):
        stop = min(start + CHUNK, x.shape[1] - 1)
        inp, target = x[:, start:stop], x[:, start + 1:stop + 1]
        mean, std, state = model(inp, state)
        state = state.detach()
        loss = nll(mean, std, target)
        if opt is not None:
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
        losses.append(loss.item())
        sq.append((mean - target).detach().pow(2).mean().item())
    return sum(losses) / len(losses), math.sqrt(sum(sq) / len(sq))


data = simulate(STREAMS, LENGTH)
past, future = data[:, :2400], data[:, 2400:]
model = StreamModel()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
naive = (future[:, 1:] - future[:, :-1]).pow(2).mean().sqrt().item()

for epoch in range(1, 13):
    train_nll, _ = sweep(model, past, opt)
    with torch.no_grad():
        val_nll, val_rmse = sweep(model, future)
    print(f"epoch {epoch:2d}  train nll {train_nll:.3f}  val nll {val_nll:.3f}  "
          f"val rmse {val_rmse:.4f} (last value {naive:.4f})")
