"""Random citation-like graph: communities with sparse noisy bag-of-words features."""
import torch


def citation_graph(n=900, classes=6, words=120, seed=0):
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(classes, (n,), generator=g)
    same = y[:, None] == y[None, :]
    p = torch.where(same, torch.tensor(0.014), torch.tensor(0.0012))
    adj = (torch.rand(n, n, generator=g) < p).float().triu(1)
    adj = adj + adj.t()
    topic = torch.rand(classes, words, generator=g) * 0.10 + 0.02
    x = (torch.rand(n, words, generator=g) < topic[y]).float()
    perm = torch.randperm(n, generator=g)
    masks = [torch.zeros(n, dtype=torch.bool) for _ in range(3)]
    for m, (a, b) in zip(masks, [(0, 400), (400, 600), (600, n)]):
        m[perm[a:b]] = True
    return x, adj, y, masks


def normalised(adj):
    a = adj + torch.eye(len(adj))
    d = a.sum(1).rsqrt()
    return d[:, None] * a * d[None, :]
