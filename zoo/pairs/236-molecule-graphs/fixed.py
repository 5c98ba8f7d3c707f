"""Graph regression with a small MPNN, one graph at a time, gradients accumulated over a batch of graphs."""
import random
import sys

import torch
import torch.nn as nn

N_ELEMENTS = 5
VALUE = torch.tensor([0.3, -0.5, 0.9, -1.1, 0.2])


def random_graph(gen):
    """random tree with a few extra bonds; target = sum over bonds of an element interaction"""
    n = int(torch.randint(6, 16, (1,), generator=gen))
    kind = torch.randint(N_ELEMENTS, (n,), generator=gen)
    edges = set()
    for v in range(1, n):
        u = int(torch.randint(v, (1,), generator=gen))
        edges.add((u, v))
    for _ in range(int(torch.randint(0, 4, (1,), generator=gen))):
        u, v = torch.randint(n, (2,), generator=gen).tolist()
        if u != v:
            edges.add((min(u, v), max(u, v)))
    e = torch.tensor(sorted(edges)).T
    ei = torch.cat([e, e.flip(0)], dim=1)
    a, b = VALUE[kind[e[0]]], VALUE[kind[e[1]]]
    y = (a * b).sum() + 0.5 * (kind == 2).sum() - 0.2 * e.shape[1]
    return kind, ei, y.float()


class MPNNLayer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.msg = nn.Sequential(nn.Linear(2 * d, d), nn.SiLU(), nn.Linear(d, d))
        self.upd = nn.Sequential(nn.Linear(2 * d, d), nn.SiLU(), nn.Linear(d, d))

    def forward(self, h, ei):
        src, dst = ei
        m = self.msg(torch.cat([h[src], h[dst]], dim=1))
        agg = torch.zeros_like(h).index_add_(0, dst, m)
        return h + self.upd(torch.cat([h, agg], dim=1))


class EnergyNet(nn.Module):
    def __init__(self, d=32, layers=2):
        super().__init__()
        self.emb = nn.Embedding(N_ELEMENTS, d)
        self.layers = nn.ModuleList(MPNNLayer(d) for _ in range(layers))
        self.read = nn.Sequential(nn.Linear(d, d), nn.SiLU(), nn.Linear(d, 1))

    def forward(self, kind, ei):
        h = self.emb(kind)
        for layer in self.layers:
            h = layer(h, ei)
        return self.read(h).sum()


def evaluate(model, graphs, mean, std):
    model.eval()
    with torch.no_grad():
        err = [abs(model(k, ei) * std + mean - y) for k, ei, y in graphs]
    return torch.stack(err).mean().item()


class AccumulatingTrainer:
    def __init__(self, model, optimizer, graphs_per_step, mean, std):
        self.model = model
        self.optimizer = optimizer
        self.k = graphs_per_step
        self.mean, self.std = mean, std

    def epoch(self, graphs):
        self.model.train()
        order = list(range(len(graphs)))
        random.shuffle(order)
        order = order[: len(order) // self.k * self.k]
        total = 0.0
        self.optimizer.zero_grad()
        for i, g in enumerate(order):
            kind, ei, y = graphs[g]
            pred = self.model(kind, ei)
            loss = (pred - (y - self.mean) / self.std) ** 2
            (loss / self.k).backward()
            total += loss.item()
            if (i + 1) % self.k == 0:
                nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                self.optimizer.step()
                self.optimizer.zero_grad()
        return total / len(order)


def main(seed):
    random.seed(seed)
    torch.manual_seed(seed)
    gen = torch.Generator().manual_seed(seed)
    train = [random_graph(gen) for _ in range(800)]
    test = [random_graph(gen) for _ in range(200)]
    ys = torch.stack([g[2] for g in train])
    mean, std = ys.mean(), ys.std()
    print(f"target mean {mean:.2f} std {std:.2f}")

    model = EnergyNet()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9, nesterov=True)
    trainer = AccumulatingTrainer(model, optimizer, graphs_per_step=8, mean=mean, std=std)
    epochs = 14
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs, eta_min=1e-3)
    for epoch in range(epochs):
        loss = trainer.epoch(train)
        scheduler.step()
        print(f"epoch {epoch} train mse {loss:.4f} test mae {evaluate(model, test, mean, std):.4f}")
    print(f"test MAE: {evaluate(model, test, mean, std):.4f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
