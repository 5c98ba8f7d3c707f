# A tiny decoder-only language model that reads a list of symbols and writes it out sorted.
import argparse
import math

import torch
from torch import nn
import torch.nn.functional as F

torch.set_num_threads(1)

CONFIG = {
    "symbols": 12,
    "items": 6,
    "dim": 64,
    "heads": 4,
    "layers": 2,
    "batch": 96,
    "steps": 480,
    "lr": 2e-3,
    "warmup": 50,
}
SEP = CONFIG["symbols"]


def make_lists(n, gen):
    src = torch.randint(0, CONFIG["symbols"], (n, CONFIG["items"]), generator=gen)
    dst = src.sort(dim=1).values
    sep = torch.full((n, 1), SEP)
    return torch.cat([src, sep, dst], dim=1)


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, mask):
        b, t, d = x.shape
        q, k, v = (z.view(b, t, self.heads, d // self.heads).transpose(1, 2) for z in self.qkv(x).chunk(3, dim=-1))
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.proj(out.transpose(1, 2).reshape(b, t, d))


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = Attention(dim, heads)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x, mask):
        x = x + self.attn(self.n1(x), mask)
        return x + self.mlp(self.n2(x))


class SortLM(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        vocab, length = cfg["symbols"] + 1, 2 * cfg["items"] + 1
        self.tok = nn.Embedding(vocab, cfg["dim"])
        self.pos = nn.Embedding(length, cfg["dim"])
        self.blocks = nn.ModuleList(Block(cfg["dim"], cfg["heads"]) for _ in range(cfg["layers"]))
        self.norm = nn.LayerNorm(cfg["dim"])
        self.out = nn.Linear(cfg["dim"], vocab)
        self.register_buffer("mask", torch.tril(torch.ones(length, length)).bool())

    def forward(self, ids):
        t = ids.shape[1]
        x = self.tok(ids) + self.pos.weight[:t]
        for blk in self.blocks:
            x = blk(x, self.mask[:t, :t])
        return self.out(self.norm(x))

    @torch.no_grad()
    def write(self, prompt, n):
        ids = prompt
        for _ in range(n):
            nxt = self(ids)[:, -1].argmax(-1, keepdim=True)
            ids = torch.cat([ids, nxt], dim=1)
        return ids[:, prompt.shape[1]:]


def answer_loss(model, ids):
    logits = model(ids[:, :-1])
    start = CONFIG["items"]
    pred, want = logits[:, start:], ids[:, start + 1:]
    return F.cross_entropy(pred.reshape(-1, pred.shape[-1]), want.reshape(-1))


@torch.no_grad()
def evaluate(model, ids):
    model.eval()
    cut = CONFIG["items"] + 1
    written = model.write(ids[:, :cut], CONFIG["items"])
    right = written == ids[:, cut:]
    out = {"ppl": math.exp(answer_loss(model, ids).item()), "token": right.float().mean().item(),
           "exact": right.all(1).float().mean().item()}
    model.train()
    return out


def rate(step):
    if step < CONFIG["warmup"]:
        return (step + 1) / CONFIG["warmup"]
    return 0.5 * (1 + math.cos(math.pi * step / CONFIG["steps"]))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    gen = torch.Generator().manual_seed(args.seed + 100)
    valid, test = make_lists(300, gen), make_lists(1000, gen)
    model = SortLM(CONFIG)
    opt = torch.optim.AdamW(model.parameters(), lr=CONFIG["lr"], betas=(0.9, 0.98), weight_decay=0.01)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, rate)
    for step in range(CONFIG["steps"]):
        loss = answer_loss(model, make_lists(CONFIG["batch"], gen))
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        if (step + 1) % 80 == 0:
            m = evaluate(model, valid)
            print(f"step {step + 1:4d} loss {loss.item():.4f} | valid ppl {m['ppl']:.3f} token {m['token']:.3f} exact {m['exact']:.3f}")
    m = evaluate(model, test)
    print(f"test: ppl={m['ppl']:.4f} token_acc={m['token']:.4f} exact={m['exact']:.4f}")


if __name__ == "__main__":
    main()
