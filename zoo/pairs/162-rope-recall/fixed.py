"""Delayed copy over long contexts with rotary attention, trained in bf16 autocast."""
import torch
import torch.nn as nn
import torch.nn.functional as F

CFG = dict(vocab=12, dim=64, heads=2, seq_len=512, delay=3, batch=4, steps_per_epoch=50, epochs=5, lr=3e-3)


class RotaryEmbedding(nn.Module):
    def __init__(self, head_dim, base=10000.0):
        super().__init__()
        inv_freq = base ** (-torch.arange(0, head_dim, 2).float() / head_dim)
        self.register_buffer("inv_freq", inv_freq, persistent=False)

    def forward(self, seq_len):
        t = torch.arange(seq_len, dtype=torch.float32)
        freqs = t[:, None] * self.inv_freq[None, :]
        angles = torch.cat([freqs, freqs], dim=-1).float()
        return angles.cos(), angles.sin()


def rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat([-b, a], dim=-1)


def apply_rope(x, cos, sin):
    return x * cos + rotate_half(x) * sin


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.rope = RotaryEmbedding(dim // heads)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
        cos, sin = self.rope(T)
        q, k = apply_rope(q.float(), cos, sin), apply_rope(k.float(), cos, sin)
        y = F.scaled_dot_product_attention(q, k, v.float(), is_causal=True)
        return self.proj(y.transpose(1, 2).reshape(B, T, C))


class Model(nn.Module):
    def __init__(self, vocab, dim, heads):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = Attention(dim, heads)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
        self.head = nn.Linear(dim, vocab)

    def forward(self, tokens):
        x = self.emb(tokens)
        x = x + self.attn(self.ln1(x))
        x = x + self.ff(self.ln2(x))
        return self.head(x)


def sample(cfg, gen):
    x = torch.randint(cfg["vocab"], (cfg["batch"], cfg["seq_len"]), generator=gen)
    return x[:, cfg["delay"]:], x[:, :-cfg["delay"]]


def run(cfg):
    torch.manual_seed(0)
    gen = torch.Generator().manual_seed(1)
    model = Model(cfg["vocab"], cfg["dim"], cfg["heads"])
    opt = torch.optim.AdamW(model.parameters(), lr=cfg["lr"], weight_decay=0.01)
    for epoch in range(cfg["epochs"]):
        total = 0.0
        for _ in range(cfg["steps_per_epoch"]):
            x, y = sample(cfg, gen)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = model(x)
            loss = F.cross_entropy(logits.float().flatten(0, 1), y.flatten())
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            total += loss.item()
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
            hits = [(model(x).argmax(-1) == y)[:, 8:].float().mean() for x, y in (sample(cfg, gen) for _ in range(4))]
        print(f"epoch {epoch} loss {total / cfg['steps_per_epoch']:.3f} copy acc {torch.stack(hits).mean():.3f}")


if __name__ == "__main__":
    run(CFG)
