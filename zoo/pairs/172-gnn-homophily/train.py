"""Graph classification with hand-written message passing: do like-coloured nodes tend to be linked?"""
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F

COLOURS = 4


@dataclass
class Graph:
    x: torch.Tensor
    edge_index: torch.Tensor
    y: int


def random_graph(gen):
    n = int(torch.randint(8, 16, (1,), generator=gen))
    colour = torch.randint(0, COLOURS, (n,), generator=gen)
    same = colour[:, None] == colour[None, :]
    y = int(torch.randint(0, 2, (1,), generator=gen))
    p = torch.where(same, 0.55, 0.2) if y == 1 else torch.where(same, 0.1, 0.35)
    adj = (torch.rand(n, n, generator=gen) < p).triu(1)
    adj = adj | adj.T
    return Graph(F.one_hot(colour, COLOURS).float(), adj.nonzero().T, y)


class Batch:
    def __init__(self, x, edge_index, batch, y):
        self.x, self.edge_index, self.batch, self.y = x, edge_index, batch, y

    @classmethod
    def from_list(cls, graphs):
        xs, edges, owner, offset = [], [], [], 0
        for i, g in enumerate(graphs):
            xs.append(g.x)
            edges.append(g.edge_index)
            owner.append(torch.full((len(g.x),), i))
            offset += len(g.x)
        return cls(torch.cat(xs), torch.cat(edges, dim=1), torch.cat(owner), torch.tensor([g.y for g in graphs]))

    @property
    def num_graphs(self):
        return len(self.y)


class SageConv(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.self_lin, self.nbr_lin = nn.Linear(d_in, d_out), nn.Linear(d_in, d_out)

    def forward(self, x, edge_index):
        src, dst = edge_index
        msg = torch.zeros_like(x).index_add_(0, dst, x[src])
        deg = torch.zeros(len(x)).index_add_(0, dst, torch.ones(len(dst))).clamp(min=1)
        return self.self_lin(x) + self.nbr_lin(msg / deg[:, None])


class GNN(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.c1, self.c2 = SageConv(COLOURS, hidden), SageConv(hidden, hidden)
        self.out = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 2))

    def forward(self, b):
        h = F.relu(self.c1(b.x, b.edge_index))
        h = F.relu(self.c2(h, b.edge_index))
        pooled = torch.zeros(b.num_graphs, h.shape[1]).index_add_(0, b.batch, h)
        size = torch.bincount(b.batch, minlength=b.num_graphs)
        return self.out(pooled / size[:, None])


def main():
    torch.manual_seed(0)
    gen = torch.Generator().manual_seed(5)
    train = [random_graph(gen) for _ in range(1200)]
    test = [random_graph(gen) for _ in range(300)]
    model = GNN()
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(1, 16):
        model.train()
        total, steps = 0.0, 0
        order = torch.randperm(len(train)).tolist()
        for i in range(0, len(order), 32):
            b = Batch.from_list([train[j] for j in order[i:i + 32]])
            loss = F.cross_entropy(model(b), b.y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total, steps = total + loss.item(), steps + 1
        model.eval()
        with torch.no_grad():
            parts = [Batch.from_list(test[i:i + 50]) for i in range(0, len(test), 50)]
            acc = sum((model(b).argmax(1) == b.y).sum().item() for b in parts) / len(test)
        print(f"epoch {epoch:2d} loss {total / steps:.4f} test acc {acc:.4f}")


if __name__ == "__main__":
    main()
