"""Residual 1-D conv denoiser: predicts the noise and subtracts it."""
import math
import torch
import torch.nn as nn

torch.manual_seed(20)
L = 256
SIGMA = 0.5


def clean_batch(n, gen=None):
    """Sums of a few harmonics with a slow envelope, unit-ish power."""
    t = torch.linspace(0, 1, L)
    f0 = 3 + 9 * torch.rand(n, 1, generator=gen)
    amps = torch.rand(n, 3, generator=gen) * torch.tensor([1.0, 0.6, 0.4])
    phases = 2 * math.pi * torch.rand(n, 3, generator=gen)
    w = torch.zeros(n, L)
    for k in range(3):
        w = w + amps[:, k:k + 1] * torch.sin(2 * math.pi * (k + 1) * f0 * t + phases[:, k:k + 1])
    env = 0.6 + 0.4 * torch.sin(2 * math.pi * (t + torch.rand(n, 1, generator=gen)))
    w = w * env
    w = w / w.pow(2).mean(1, keepdim=True).sqrt()
    return w.unsqueeze(1)


def noisy_stream(batch_size):
    while True:
        clean = clean_batch(batch_size)
        noise = SIGMA * torch.randn_like(clean)
        yield clean + noise, clean


def snr_db(estimate, clean):
    err = (estimate - clean).pow(2).sum(-1)
    return (10 * torch.log10(clean.pow(2).sum(-1) / err)).mean().item()


class Denoiser(nn.Module):
    def __init__(self, ch=16):
        super().__init__()
        self.inp = nn.Conv1d(1, ch, 9, padding=4)
        self.body = nn.ModuleList(nn.Conv1d(ch, ch, 5, padding=2 * d, dilation=d) for d in (1, 2, 4, 8))
        self.out = nn.Conv1d(ch, 1, 9, padding=4)
        self.act = nn.PReLU()

    def forward(self, x):
        h = self.act(self.inp(x))
        for conv in self.body:
            h = h + self.act(conv(h))
        return x - self.out(h)


# fixed evaluation clips, drawn from their own generator
eval_gen = torch.Generator().manual_seed(999)
eval_clean = clean_batch(128, eval_gen)
eval_noisy = eval_clean + SIGMA * torch.randn(eval_clean.shape, generator=eval_gen)

model = Denoiser()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
n_steps = 300
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, n_steps, eta_min=1e-4)
stream = noisy_stream(16)
ema = None
for step in range(1, n_steps + 1):
    x, target = next(stream)
    loss = (model(x) - target).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    optimizer.step()
    scheduler.step()
    ema = loss.item() if ema is None else 0.95 * ema + 0.05 * loss.item()
    if step % 50 == 0:
        print(f"step {step:4d}/{n_steps}  L1 {ema:.4f}")

model.eval()
with torch.no_grad():
    denoised = model(eval_noisy)
before, after = snr_db(eval_noisy, eval_clean), snr_db(denoised, eval_clean)
print(f"SNR in  {before:.2f} dB")
print(f"SNR out {after:.2f} dB")
