"""DeepSurv-style proportional hazards network on a simulated registry with administrative drop-out."""
import argparse

import numpy as np
import torch
from torch import nn

N_COVARIATES = 12


def registry(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, N_COVARIATES))
    x[:, 3] = (x[:, 3] > 0.4).astype(float)
    log_hazard = 0.9 * x[:, 0] - 0.7 * x[:, 1] + 0.8 * x[:, 3] * x[:, 2] + 0.5 * np.tanh(2 * x[:, 4])
    log_dropout = 1.1 * x[:, 5] - 1.0 * x[:, 6] + 0.9 * x[:, 7] * (x[:, 8] > 0) + 0.9
    t_event = rng.exponential(1.0, n) * np.exp(-log_hazard)
    t_drop = rng.exponential(1.0, n) * np.exp(-log_dropout)
    time = np.minimum(t_event, t_drop)
    event = (t_event <= t_drop).astype(np.float32)
    return (torch.tensor(x, dtype=torch.float32), torch.tensor(time, dtype=torch.float32),
            torch.tensor(event), t_event)


class RiskNet(nn.Module):
    def __init__(self, n_in, hidden=48, dropout=0.1):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Linear(n_in, hidden), nn.LayerNorm(hidden), nn.SiLU(), nn.Dropout(dropout),
            nn.Linear(hidden, hidden), nn.LayerNorm(hidden), nn.SiLU(), nn.Dropout(dropout))
        self.risk = nn.Linear(hidden, 1, bias=False)

    def forward(self, x):
        return self.risk(self.trunk(x))


def partial_likelihood(risk, time, event):
    """Negative Cox partial log-likelihood, Breslow form."""
    order = torch.argsort(time, descending=True)
    risk, event = risk[order], event[order]
    log_cum = torch.logcumsumexp(risk, dim=0)
    return -((risk - log_cum) * event).mean()


def concordance(risk, time, event):
    """Harrell's C: of the comparable pairs, how many are ordered by risk."""
    risk, time, event = (np.asarray(v).reshape(-1) for v in (risk, time, event))
    earlier = (time[:, None] < time[None, :]) & (event[:, None] > 0)
    diff = risk[:, None] - risk[None, :]
    return ((diff > 0)[earlier].sum() + 0.5 * (diff == 0)[earlier].sum()) / earlier.sum()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--patients", type=int, default=6000)
    ap.add_argument("--epochs", type=int, default=36)
    ap.add_argument("--batch", type=int, default=256)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--wd", type=float, default=1e-3)
    args = ap.parse_args()
    torch.manual_seed(8)

    x, time, event, _ = registry(args.patients, seed=0)
    xv, tv, ev, latent = registry(1200, seed=1)
    print(f"{args.patients} patients, {event.mean():.1%} with an observed event")
    model = RiskNet(N_COVARIATES)
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=args.wd)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs)
    for epoch in range(args.epochs):
        model.train()
        total, batches = 0.0, 0
        for idx in torch.randperm(len(x)).split(args.batch):
            loss = partial_likelihood(model(x[idx]), time[idx], event[idx])
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            total, batches = total + loss.item(), batches + 1
        sched.step()
        model.eval()
        with torch.no_grad():
            c = concordance(model(xv), tv, ev)
        if epoch % 3 == 0:
            print(f"epoch {epoch:2d} loss {total / batches:.4f} test C-index {c:.4f}", flush=True)
    with torch.no_grad():
        risk = model(xv)
    print(f"C-index against uncensored times {concordance(risk, latent, np.ones(len(latent))):.4f}")
    print(f"final test C-index {concordance(risk, tv, ev):.4f}")


if __name__ == "__main__":
    main()
