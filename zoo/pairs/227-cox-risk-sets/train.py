# DeepSurv-style Cox model on a simulated cohort.
# Output: concordance index on a held-out part of the cohort.
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn


@dataclass
class Config:
    n_patients: int = 8000
    n_features: int = 20
    hidden: int = 64
    dropout: float = 0.1
    lr: float = 1e-3
    weight_decay: float = 1e-3
    batch_size: int = 256
    epochs: int = 70
    seed: int = 0


def simulate(cfg: Config):
    rng = np.random.default_rng(cfg.seed)
    x = rng.normal(size=(cfg.n_patients, cfg.n_features))
    x[:, 3] = (x[:, 3] > 0.4).astype(float)          # treated
    x[:, 4] = np.clip(60 + 12 * x[:, 4], 18, 95)     # age in years
    age = (x[:, 4] - 60) / 12
    log_hazard = (
        0.9 * x[:, 0] - 0.7 * x[:, 1] * (x[:, 3] - 0.5) * 2
        + 0.6 * age + 0.5 * np.maximum(x[:, 2], 0) ** 2
    )
    event_time = rng.exponential(scale=24.0 * np.exp(-log_hazard))
    # who lives far from the clinic and works full time drops out early
    censor_time = rng.exponential(scale=5.0 * np.exp(-1.3 * x[:, 5] - 1.0 * x[:, 6]))
    time = np.minimum(event_time, censor_time)
    event = (event_time <= censor_time).astype(np.float32)
    return x.astype(np.float32), time.astype(np.float32), event


class RiskNet(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(cfg.n_features, cfg.hidden), nn.SiLU(), nn.Dropout(cfg.dropout),
            nn.Linear(cfg.hidden, cfg.hidden), nn.SiLU(), nn.Dropout(cfg.dropout),
            nn.Linear(cfg.hidden, 1, bias=False),
        )

    def forward(self, x):
        return self.net(x).squeeze(-1)


def cox_ph_loss(log_risk, time, event):
    """Negative log partial likelihood (Breslow)."""
    order = torch.argsort(time, descending=True)
    log_risk = log_risk[order]
    log_cum = torch.logcumsumexp(log_risk, dim=0)
    pll = (log_risk - log_cum) * event
    return -pll.sum() / event.sum().clamp(min=1)


def concordance(risk, time, event):
    """Harrell's C; pairs are comparable when the earlier one is an event."""
    risk, time, event = map(np.asarray, (risk, time, event))
    good, total = 0.0, 0
    for i in np.flatnonzero(event):
        later = time > time[i]
        total += later.sum()
        good += (risk[i] > risk[later]).sum() + 0.5 * (risk[i] == risk[later]).sum()
    return good / total


class Fitter:
    def __init__(self, cfg: Config):
        self.cfg = cfg
        self.model = RiskNet(cfg)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
        self.gen = torch.Generator().manual_seed(cfg.seed)

    def run_epoch(self, x, t, e):
        self.model.train()
        losses = []
        perm = torch.randperm(len(x), generator=self.gen)
        for idx in perm.split(self.cfg.batch_size):
            if len(idx) < 32:
                continue
            loss = cox_ph_loss(self.model(x[idx]), t[idx], e[idx])
            self.opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
            self.opt.step()
            losses.append(loss.item())
        return float(np.mean(losses))

    @torch.no_grad()
    def predict(self, x):
        self.model.eval()
        return self.model(x).numpy()


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    x, t, e = simulate(cfg)
    print(f"{len(x)} patients, {e.mean():.1%} events, median follow-up {np.median(t):.1f} months")
    n_train = int(0.8 * len(x))
    mu, sd = x[:n_train].mean(0), x[:n_train].std(0)
    x = (x - mu) / sd
    xt, tt, et = (torch.from_numpy(a) for a in (x, t, e))
    fit = Fitter(cfg)
    for epoch in range(1, cfg.epochs + 1):
        loss = fit.run_epoch(xt[:n_train], tt[:n_train], et[:n_train])
        if epoch % 5 == 0:
            c = concordance(fit.predict(xt[n_train:]), t[n_train:], e[n_train:])
            print(f"[{epoch:03d}] pll {loss:.4f}  c-index {c:.4f}")
    c = concordance(fit.predict(xt[n_train:]), t[n_train:], e[n_train:])
    print(f"test c-index = {c:.4f}")


if __name__ == "__main__":
    main()
