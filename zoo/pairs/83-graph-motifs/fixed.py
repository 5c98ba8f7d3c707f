"""Graph classification (dense, padded batches): which of three wiring processes made the graph?"""
import os

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", 0))
N_NODES, N_CLASSES = 16, 3


def random_graph(kind, rng):
    a = np.zeros((N_NODES, N_NODES), dtype=np.float32)
    if kind == 0:                                   # ring with random chords
        for i in range(N_NODES):
            a[i, (i + 1) % N_NODES] = 1
        for _ in range(12):
            i, j = rng.choice(N_NODES, 2, replace=False)
            a[i, j] = 1
    elif kind == 1:                                 # preferential attachment
        deg = np.ones(N_NODES)
        for i in range(1, N_NODES):
            m = min(i, 2)
            for j in rng.choice(i, m, replace=False, p=deg[:i] / deg[:i].sum()):
                a[i, j] = 1
                deg[i] += 1
                deg[j] += 1
    else:                                           # two communities
        side = rng.permutation(N_NODES) < N_NODES // 2
        p = np.where(side[:, None] == side[None, :], 0.42, 0.06)
        a = np.triu(rng.uniform(size=a.shape) < p, 1).astype(np.float32)
    a = np.maximum(a, a.T)
    np.fill_diagonal(a, 0)
    perm = rng.permutation(N_NODES)
    return a[perm][:, perm]


def make_set(n, rng):
    y = rng.integers(0, N_CLASSES, n)
    adj = np.stack([random_graph(k, rng) for k in y])
    deg = adj.sum(-1, keepdims=True)
    tri = np.einsum("bij,bjk,bki->bi", adj, adj, adj)[..., None] / 2
    feats = np.concatenate([deg / 4, tri / 4, rng.standard_normal((n, N_NODES, 2))], -1)
    return TensorDataset(*(torch.tensor(v, dtype=t) for v, t in
                           ((adj, torch.float32), (feats, torch.float32), (y, torch.long))))


class GraphConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.own, self.nbr = nn.Linear(i, o), nn.Linear(i, o, bias=False)

    def forward(self, h, adj):
        norm = adj / adj.sum(-1, keepdim=True).clamp(min=1)
        return torch.relu(self.own(h) + self.nbr(norm @ h))


class GraphNet(nn.Module):
    def __init__(self, d_in=4, hidden=48):
        super().__init__()
        self.convs = nn.ModuleList([GraphConv(d_in, hidden), GraphConv(hidden, hidden)])
        self.bn = nn.BatchNorm1d(hidden)
        self.head = nn.Sequential(nn.Linear(2 * hidden, hidden), nn.ReLU(), nn.Linear(hidden, N_CLASSES))

    def forward(self, adj, h):
        for conv in self.convs:
            h = conv(h, adj)
        b, n, f = h.shape
        h = self.bn(h.reshape(b * n, f))            # BatchNorm over all the nodes of the batch
        h = h.reshape(b, n, f)
        pooled = torch.cat([h.mean(1), h.amax(1)], dim=-1)
        return self.head(pooled)


def evaluate(model, loader):
    model.eval()
    hit = tot = 0
    with torch.no_grad():
        for adj, x, y in loader:
            hit += (model(adj, x).argmax(1) == y).sum().item()
            tot += len(y)
    return hit / tot


if __name__ == "__main__":
    torch.manual_seed(SEED)
    rng = np.random.default_rng(SEED)
    train, test = make_set(1600, rng), make_set(500, rng)
    train_loader = DataLoader(train, batch_size=32, shuffle=True)
    test_loader = DataLoader(test, batch_size=50)
    net = GraphNet()
    opt = torch.optim.Adam(net.parameters(), lr=2e-3, weight_decay=1e-5)
    crit = nn.CrossEntropyLoss()
    for epoch in range(15):
        net.train()
        tot = 0.0
        for adj, x, y in train_loader:
            opt.zero_grad()
            loss = crit(net(adj, x), y)
            loss.backward()
            opt.step()
            tot += loss.item()
        print(f"epoch {epoch:2d} loss {tot / len(train_loader):.4f} test acc {evaluate(net, test_loader):.4f}")
    print(f"final test accuracy {evaluate(net, test_loader):.4f}")
