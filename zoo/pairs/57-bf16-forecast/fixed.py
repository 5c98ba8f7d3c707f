"""Forecast coupled-oscillator trajectories with a small causal transformer in bfloat16."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class CFG:
    seq = 24
    dim = 32
    heads = 4
    layers = 1
    batch = 24
    lr = 1e-3
    steps = 700
    dtype = torch.bfloat16
    seed = 17


def trajectories(n, length, gen):
    w = torch.rand(n, 1, 2, generator=gen) * 0.25 + 0.15
    ph = torch.rand(n, 1, 2, generator=gen) * 6.283
    amp = torch.rand(n, 1, 2, generator=gen) * 0.7 + 0.5
    t = torch.arange(length).float()[None, :, None]
    s = amp * torch.sin(w * t + ph)
    x = torch.stack([s[..., 0] + 0.4 * s[..., 1], s[..., 1] - 0.3 * s[..., 0] * s[..., 1]], -1)
    return x + 0.01 * torch.randn(x.shape, generator=gen)


class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.n1, self.n2, self.h = nn.LayerNorm(d), nn.LayerNorm(d), h
        self.qkv, self.o = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.ff = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        B, T, D = x.shape
        q, k, v = self.qkv(self.n1(x)).view(B, T, 3, self.h, D // self.h).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(a.transpose(1, 2).reshape(B, T, D))
        return x + self.ff(self.n2(x))


class Net(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.inp = nn.Linear(2, c.dim)
        self.pos = nn.Parameter(torch.randn(c.seq, c.dim) * 0.02)
        self.blocks = nn.Sequential(*[Block(c.dim, c.heads) for _ in range(c.layers)])
        self.norm, self.out = nn.LayerNorm(c.dim), nn.Linear(c.dim, 2)

    def forward(self, x):
        h = self.inp(x) + self.pos[: x.size(1)]
        return self.out(self.norm(self.blocks(h)))


def main():
    torch.manual_seed(CFG.seed)
    gen = torch.Generator().manual_seed(CFG.seed)
    train, test = trajectories(1500, CFG.seq + 1, gen), trajectories(200, CFG.seq + 1, gen)
    mu, sd = train.mean((0, 1)), train.std((0, 1))
    train, test = (train - mu) / sd, (test - mu) / sd

    net = Net(CFG)
    opt = torch.optim.AdamW(net.parameters(), lr=CFG.lr, weight_decay=0.01)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=CFG.lr, total_steps=CFG.steps, pct_start=0.1)

    def forward(x):
        with torch.autocast("cpu", dtype=CFG.dtype):
            return net(x)

    running = 0.0
    for step in range(1, CFG.steps + 1):
        b = train[torch.randint(len(train), (CFG.batch,))]
        loss = F.mse_loss(forward(b[:, :-1]).float(), b[:, 1:])
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        sched.step()
        running += loss.item()
        if step % 100 == 0:
            with torch.no_grad():
                err = (forward(test[:, :-1]).float() - test[:, 1:])[:, 8:].pow(2).mean().item()
            print(f"step {step:4d} train mse {running / 100:.5f} test mse {err:.5f}")
            running = 0.0
    print(f"final test mse {err:.5f} (persistence {(test[:, 9:] - test[:, 8:-1]).pow(2).mean().item():.5f})")


if __name__ == "__main__":
    main()
