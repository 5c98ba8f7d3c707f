"""Learned binary hash codes for retrieval (pairwise similarity loss, straight-through sign)."""
import math
from typing import NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class Corpus(NamedTuple):
    x: torch.Tensor
    topic: torch.Tensor


N_TOPICS = 15
DIM = 64
BITS = 24


def make_corpus(n, proto, mixing, gen):
    """Topic signal lives in a product of two hidden factors, most of the variance is style."""
    topic = torch.randint(N_TOPICS, (n,), generator=gen)
    signal = proto[topic] + 0.35 * torch.randn(n, 16, generator=gen)
    style = 2.0 * torch.randn(n, 16, generator=gen)
    h = torch.cat([torch.tanh(signal), style, signal * torch.sign(style)], dim=1)
    x = h @ mixing + 0.1 * torch.randn(n, DIM, generator=gen)
    return Corpus(x / x.std(0), topic)


class SignSTE(torch.autograd.Function):
    """sign() forward, hard-tanh window backward"""

    @staticmethod
    def forward(ctx, x):
        out = torch.where(x >= 0, torch.ones_like(x), -torch.ones_like(x))
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, grad_output):
        (saved,) = ctx.saved_tensors
        return grad_output * (saved.abs() < 1.0).to(grad_output.dtype)


class HashEncoder(nn.Module):
    def __init__(self, dim, bits, hidden=128):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Linear(dim, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
        )
        self.to_bits = nn.Linear(hidden, bits)
        # how far apart pairs in Hamming space are is learnt, too
        self.slope = nn.Parameter(torch.tensor(math.log(6.0)))
        self.bias = nn.Parameter(torch.tensor(-2.0))

    def pre(self, x):
        return self.to_bits(self.trunk(x))

    def forward(self, x):
        return SignSTE.apply(self.pre(x))

    def pair_logits(self, codes):
        sim = codes @ codes.T / codes.shape[1]
        return self.slope.exp() * sim + self.bias


def pair_loss(model, x, topic):
    codes = model(x)
    logits = model.pair_logits(codes)
    same = (topic[:, None] == topic[None, :]).float()
    off = ~torch.eye(len(x), dtype=torch.bool)
    weight = torch.tensor(float(N_TOPICS - 1))
    sim_loss = F.binary_cross_entropy_with_logits(logits[off], same[off], pos_weight=weight)
    balance = codes.mean(0).pow(2).mean()
    return sim_loss + 0.1 * balance, codes


@torch.no_grad()
def mean_average_precision(model, query, base, top=100):
    model.eval()
    hq, hb = model(query.x), model(base.x)
    order = (hq @ hb.T).topk(top, dim=1).indices
    rel = (base.topic[order] == query.topic[:, None]).float()
    prec = rel.cumsum(1) / torch.arange(1, top + 1)
    ap = (prec * rel).sum(1) / rel.sum(1).clamp(min=1)
    return ap.mean().item()


def main():
    seed = 0
    torch.manual_seed(seed)
    gen = torch.Generator().manual_seed(seed)
    proto = torch.randn(N_TOPICS, 16, generator=gen)
    mixing = torch.randn(48, DIM, generator=gen) / 48 ** 0.5
    train = make_corpus(6000, proto, mixing, gen)
    base = make_corpus(3000, proto, mixing, gen)
    query = make_corpus(400, proto, mixing, gen)

    model = HashEncoder(DIM, BITS)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-4)
    epochs, batch = 24, 128
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    print(f"untrained codes: mAP@100 {mean_average_precision(model, query, base):.4f}")
    for epoch in range(1, epochs + 1):
        model.train()
        total = 0.0
        perm = torch.randperm(len(train.x))
        for idx in perm.split(batch):
            loss, codes = pair_loss(model, train.x[idx], train.topic[idx])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(idx)
        scheduler.step()
        if epoch % 4 == 0:
            score = mean_average_precision(model, query, base)
            print(f"epoch {epoch:2d} loss {total / len(perm):.4f} slope {model.slope.exp().item():.2f} mAP@100 {score:.4f}")
    print(f"mAP@100: {mean_average_precision(model, query, base):.4f}")


if __name__ == "__main__":
    main()
