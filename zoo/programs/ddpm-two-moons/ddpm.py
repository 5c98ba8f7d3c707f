"""Denoising diffusion on the two-moons toy data."""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import make_moons
from sklearn.preprocessing import StandardScaler


@dataclass(frozen=True)
class DiffusionConfig:
    timesteps: int = 50
    beta_start: float = 1e-3
    beta_end: float = 0.2
    hidden: int = 128
    train_steps: int = 900
    batch_size: int = 256
    lr: float = 5e-3
    ema_decay: float = 0.99
    seed: int = 0


class NoiseSchedule:
    def __init__(self, cfg: DiffusionConfig):
        self.betas = torch.linspace(cfg.beta_start, cfg.beta_end, cfg.timesteps)
        self.alphas = 1.0 - self.betas
        self.alphas_cumprod = torch.cumprod(self.alphas, dim=0)

    def add_noise(self, x0, noise, t):
        ac = self.alphas_cumprod[t].unsqueeze(1)
        return ac.sqrt() * x0 + (1 - ac).sqrt() * noise

    def step(self, eps, x, t):
        beta, alpha, ac = self.betas[t], self.alphas[t], self.alphas_cumprod[t]
        mean = (x - beta / (1 - ac).sqrt() * eps) / alpha.sqrt()
        if t == 0:
            return mean
        ac_prev = self.alphas_cumprod[t - 1]
        var = beta * (1 - ac_prev) / (1 - ac)
        return mean + var.sqrt() * torch.randn_like(x)


class Denoiser(nn.Module):
    def __init__(self, hidden: int, timesteps: int, emb: int = 32):
        super().__init__()
        freqs = torch.exp(torch.linspace(0, -4, emb // 2))
        angles = torch.arange(timesteps).float()[:, None] * freqs[None]
        self.register_buffer("time_table", torch.cat([angles.sin(), angles.cos()], dim=1))
        # coordinates get Fourier features too, a plain MLP is too smooth for the thin arcs
        self.register_buffer("coord_freqs", torch.tensor([1.0, 2.0, 4.0, 8.0]))
        self.inp = nn.Linear(2 + 16 + emb, hidden)
        self.mid = nn.ModuleList([nn.Linear(hidden, hidden) for _ in range(2)])
        self.out = nn.Linear(hidden, 2)

    def forward(self, x, t):
        waves = (x.unsqueeze(-1) * self.coord_freqs).flatten(1)
        h = F.silu(self.inp(torch.cat([x, waves.sin(), waves.cos(), self.time_table[t]], dim=1)))
        for layer in self.mid:
            h = h + F.silu(layer(h))
        return self.out(h)


class EMA:
    def __init__(self, model, decay):
        self.decay = decay
        self.shadow = {k: v.detach().clone() for k, v in model.state_dict().items()}

    @torch.no_grad()
    def update(self, model):
        for k, v in model.state_dict().items():
            self.shadow[k].lerp_(v, 1 - self.decay)


@torch.no_grad()
def sample(model, schedule, n, timesteps):
    x = torch.randn(n, 2)
    for t in reversed(range(timesteps)):
        eps = model(x, torch.full((n,), t))
        x = schedule.step(eps, x, t)
    return x


def chamfer(a, b):
    d = torch.cdist(a, b)
    return (d.min(dim=0).values.mean() + d.min(dim=1).values.mean()).item()


def main():
    cfg = DiffusionConfig()
    torch.manual_seed(cfg.seed)
    raw, _ = make_moons(4000, noise=0.05, random_state=cfg.seed)
    scaler = StandardScaler().fit(raw[:3000])
    data = torch.from_numpy(scaler.transform(raw).astype(np.float32))
    train, test = data[:3000], data[3000:]

    schedule = NoiseSchedule(cfg)
    model = Denoiser(cfg.hidden, cfg.timesteps)
    ema = EMA(model, cfg.ema_decay)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    lr_sched = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, cfg.train_steps, eta_min=1e-4)

    running = None
    for step in range(cfg.train_steps):
        x0 = train[torch.randint(len(train), (cfg.batch_size,))]
        noise = torch.randn_like(x0)
        t = torch.randint(0, cfg.timesteps, (cfg.batch_size,))
        pred = model(schedule.add_noise(x0, noise, t), t)
        loss = F.mse_loss(pred, noise)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        lr_sched.step()
        ema.update(model)
        running = loss.item() if running is None else 0.98 * running + 0.02 * loss.item()
        if step % 200 == 0:
            print(f"step {step:4d} | eps-mse {running:.4f}")

    model.load_state_dict(ema.shadow)
    model.eval()
    generated = sample(model, schedule, 1000, cfg.timesteps)
    print(f"gaussian noise -> chamfer distance {chamfer(torch.randn(1000, 2), test):.4f}")
    print(f"ddpm samples   -> chamfer distance {chamfer(generated, test):.4f}")


if __name__ == "__main__":
    main()
