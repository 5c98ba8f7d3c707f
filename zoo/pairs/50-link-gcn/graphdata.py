import numpy as np
import torch


def make_graph(n=400, k=8, p_in=0.18, p_out=0.004, n_feat=96, seed=0):
    """A block-model graph whose node features only hint at the block."""
    rng = np.random.default_rng(seed)
    block = rng.integers(0, k, n)
    prob = np.where(block[:, None] == block[None, :], p_in, p_out)
    upper = np.triu(rng.random((n, n)) < prob, 1)
    src, dst = np.nonzero(upper)
    pairs = np.stack([src, dst], 1)
    proto = rng.normal(0, 1, (k, 12))
    x = rng.normal(0, 1.0, (n, n_feat))
    x[:, :12] += 0.8 * proto[block]
    x = x @ np.linalg.qr(rng.normal(size=(n_feat, n_feat)))[0]
    x = (x - x.mean(0)) / x.std(0)
    return torch.tensor(x, dtype=torch.float32), torch.tensor(pairs[rng.permutation(len(pairs))])


def normalised_adjacency(pairs, n):
    a = torch.eye(n)
    a[pairs[:, 0], pairs[:, 1]] = 1.0
    a[pairs[:, 1], pairs[:, 0]] = 1.0
    d = a.sum(1).rsqrt()
    return d[:, None] * a * d[None, :]


def sample_negatives(forbidden, m, gen):
    n = forbidden.size(0)
    out = torch.randint(0, n, (3 * m, 2), generator=gen)
    keep = ~forbidden[out[:, 0], out[:, 1]] & (out[:, 0] != out[:, 1])
    return out[keep][:m]
