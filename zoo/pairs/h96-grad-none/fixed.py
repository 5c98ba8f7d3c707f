"""Dense retrieval, two-tower, in-batch negatives with a cached-gradient step (GradCache).

The loss over a large batch is computed on detached embeddings first; then every chunk is run again
and receives the cached gradient of its embeddings.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = 3
VOCAB = 600
N_TOPICS = 60


def make_pairs(n, gen):
    topic = torch.randint(N_TOPICS, (n, 3), generator=gen)          # a document mixes three topics
    words = torch.randint(10, (n, 3, 8), generator=gen)
    doc = (topic[:, :, None] * 10 + words).flatten(1)
    pick = torch.stack([torch.randperm(24, generator=gen)[:5] for _ in range(n)])
    query = doc.gather(1, pick)
    syn = torch.rand(query.shape, generator=gen) < 0.6
    query = torch.where(syn, query // 10 * 10 + torch.randint(10, query.shape, generator=gen), query)
    return query, doc


class Tower(nn.Module):
    def __init__(self, dim=64):
        super().__init__()
        self.emb = nn.EmbeddingBag(VOCAB, dim, mode="mean")
        self.mlp = nn.Sequential(nn.Linear(dim, 128), nn.GELU(), nn.Linear(128, dim))

    def forward(self, ids):
        h = self.emb(ids)
        return F.normalize(h + self.mlp(h), dim=-1)


def contrastive(q, d, temperature=0.05):
    logits = q @ d.T / temperature
    target = torch.arange(len(q))
    return 0.5 * (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target))


def cached_step(towers, query, doc, chunk):
    q_tower, d_tower = towers
    # 1. embeddings of the whole batch, no graph
    with torch.no_grad():
        q = torch.cat([q_tower(c) for c in query.split(chunk)])
        d = torch.cat([d_tower(c) for c in doc.split(chunk)])
    # 2. gradient of the loss with respect to the embeddings only
    q = q.detach().requires_grad_()
    d = d.detach().requires_grad_()
    loss = contrastive(q, d)
    loss.backward()
    # 3. chunk by chunk, push the cached gradients through the towers
    for tower, ids, grads in ((q_tower, query, q.grad), (d_tower, doc, d.grad)):
        for part, g in zip(ids.split(chunk), grads.split(chunk)):
            out = tower(part)
            torch.autograd.backward(out, grad_tensors=g)
    return loss.item()


@torch.no_grad()
def recall_at_1(towers, query, doc):
    q, d = towers[0](query), towers[1](doc)
    return ((q @ d.T).argmax(1) == torch.arange(len(q))).float().mean().item()


def main():
    torch.manual_seed(SEED)
    gen = torch.Generator().manual_seed(SEED)
    query, doc = make_pairs(9000, gen)
    val_q, val_d = make_pairs(600, gen)
    towers = nn.ModuleList([Tower(), Tower()])
    params = list(towers.parameters())
    opt = torch.optim.Adam(params, lr=5e-3)
    print(f"untrained recall@1 {recall_at_1(towers, val_q, val_d):.3f}")
    for epoch in range(24):
        total, steps = 0.0, 0
        for idx in torch.randperm(len(query)).split(512):
            if len(idx) < 512:
                continue
            total += cached_step(towers, query[idx], doc[idx], chunk=128)
            opt.step()
            for p in params:
                p.grad = None
            steps += 1
        print(f"epoch {epoch:2d} loss {total / steps:.4f} recall@1 {recall_at_1(towers, val_q, val_d):.4f}")
    print(f"val recall@1: {recall_at_1(towers, val_q, val_d):.4f}")


if __name__ == "__main__":
    main()
