"""Echo state forecaster: a fixed random reservoir, a trained linear readout of the next increment."""
import argparse

import numpy as np
import torch
from torch import nn

torch.set_num_threads(1)


def mackey_glass(n, tau=17, seed=0, discard=500):
    rng = np.random.default_rng(seed)
    hist = list(1.2 + 0.1 * rng.normal(size=tau + 1))
    for _ in range(n + discard):
        x, xt = hist[-1], hist[-tau - 1]
        hist.append(x + 0.2 * xt / (1 + xt ** 10) - 0.1 * x)
    return np.array(hist[-n:], dtype=np.float32)


class Reservoir(nn.Module):
    """Recurrent weights are drawn once and never trained."""

    def __init__(self, size, radius=0.95, leak=0.4, density=0.1):
        super().__init__()
        w = torch.randn(size, size) * (torch.rand(size, size) < density)
        w = w * radius / torch.linalg.eigvals(w).abs().max()
        self.w = nn.Parameter(w, requires_grad=False)
        self.w_in = nn.Parameter(torch.rand(size, 2) * 2 - 1, requires_grad=False)
        self.leak = leak

    @torch.no_grad()
    def forward(self, u):
        s = torch.zeros(u.shape[0], self.w.shape[0])
        states = []
        for t in range(u.shape[1]):
            drive = torch.stack([u[:, t], torch.ones(u.shape[0])], dim=1) @ self.w_in.T
            s = (1 - self.leak) * s + self.leak * torch.tanh(s @ self.w.T + drive)
            states.append(s)
        return torch.stack(states, dim=1)


class EchoNet(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.reservoir = Reservoir(size)
        self.register_buffer("scale", torch.ones(size))
        self.register_buffer("shift", torch.zeros(size))
        self.readout = nn.Linear(size, 1, bias=False)
        nn.init.zeros_(self.readout.weight)

    def features(self, u):
        return (self.reservoir(u) - self.shift) / self.scale

    def calibrate(self, feats):
        self.shift.copy_(feats.mean(dim=(0, 1)))
        self.scale.copy_(feats.std(dim=(0, 1)) + 1e-3)

    def forward(self, feats):
        return self.readout(feats).squeeze(-1)


def windows(series, length):
    starts = range(0, len(series) - length - 1, length // 2)
    u = torch.tensor(np.stack([series[s:s + length] for s in starts]))
    nxt = torch.tensor(np.stack([series[s + 1:s + length + 1] for s in starts]))
    return u, nxt


def relative_error(pred_step, u, nxt, washout):
    model_err = (u + pred_step - nxt)[:, washout:].pow(2).mean()
    naive_err = (u - nxt)[:, washout:].pow(2).mean()
    return (model_err / naive_err).item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--size", type=int, default=200)
    ap.add_argument("--length", type=int, default=300)
    ap.add_argument("--washout", type=int, default=100)
    ap.add_argument("--epochs", type=int, default=120)
    ap.add_argument("--lr", type=float, default=3e-3)
    args = ap.parse_args()
    torch.manual_seed(args.seed)

    series = mackey_glass(16000, seed=args.seed)
    series = series - series[:12000].mean()
    train_u, train_n = windows(series[:12000], args.length)
    test_u, test_n = windows(series[12500:], args.length)
    unit = (train_n - train_u).std()

    net = EchoNet(args.size)
    net.calibrate(net.reservoir(train_u)[:, args.washout:])
    feats = net.features(train_u)[:, args.washout:].reshape(-1, args.size)
    goal = ((train_n - train_u) / unit)[:, args.washout:].reshape(-1)
    test_feats = net.features(test_u)
    opt = torch.optim.Adam(net.readout.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.965)
    for epoch in range(args.epochs):
        total, count = 0.0, 0
        for idx in torch.randperm(len(goal)).split(128):
            loss = nn.functional.mse_loss(net(feats[idx]), goal[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total, count = total + loss.item(), count + 1
        sched.step()
        if epoch % 12 == 11:
            with torch.no_grad():
                rel = relative_error(net(test_feats) * unit, test_u, test_n, args.washout)
            print(f"epoch {epoch + 1:3d} loss {total / count:.5f} test error relative to persistence {rel:.5f}")
    with torch.no_grad():
        rel = relative_error(net(test_feats) * unit, test_u, test_n, args.washout)
    trainable = sum(p.numel() for p in net.parameters() if p.requires_grad)
    print(f"final relative error {rel:.5f} (persistence = 1), trained weights {trainable} of {sum(p.numel() for p in net.parameters())}")


if __name__ == "__main__":
    main()
