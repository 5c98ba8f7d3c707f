import sys

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader

from graphs import FAMILIES, GraphBatch, collate, random_graph


class GINLayer(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.eps = nn.Parameter(torch.zeros(1))
        self.mlp = nn.Sequential(
            nn.Linear(cin, cout), nn.BatchNorm1d(cout), nn.ReLU(), nn.Linear(cout, cout), nn.ReLU()
        )

    def forward(self, x, edge_index):
        src, dst = edge_index
        agg = torch.zeros_like(x).index_add(0, dst, x[src])
        return self.mlp((1 + self.eps) * x + agg)


class GIN(nn.Module):
    def __init__(self, cin, hidden, n_classes):
        super().__init__()
        self.layers = nn.ModuleList([GINLayer(cin, hidden), GINLayer(hidden, hidden)])
        self.head = nn.Sequential(nn.Linear(2 * hidden, hidden), nn.ReLU(), nn.Linear(hidden, n_classes))

    def forward(self, b: GraphBatch):
        x = b.x
        pooled = []
        count = torch.bincount(b.batch, minlength=b.num_graphs).unsqueeze(1)
        for layer in self.layers:
            x = layer(x, b.edge_index)
            summed = x.new_zeros(b.num_graphs, x.size(1)).index_add_(0, b.batch, x)
            pooled.append(summed / count)
        return self.head(torch.cat(pooled, dim=1))


def accuracy(model, loader):
    model.eval()
    ok = n = 0
    with torch.no_grad():
        for b in loader:
            ok += (model(b).argmax(1) == b.y).sum().item()
            n += b.num_graphs
    return ok / n


def main(seed):
    torch.manual_seed(seed)
    rng = np.random.default_rng(77)
    graphs = [random_graph(rng) for _ in range(1300)]
    train_graphs, val_graphs, test_graphs = graphs[:700], graphs[700:900], graphs[900:]
    train_loader = DataLoader(train_graphs, batch_size=32, shuffle=True, collate_fn=collate)
    val_loader = DataLoader(val_graphs, batch_size=100, collate_fn=collate)
    test_loader = DataLoader(test_graphs, batch_size=100, collate_fn=collate)

    model = GIN(10, 32, len(FAMILIES))
    loss_fn = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5, gamma=0.5)
    for epoch in range(1, 16):
        model.train()
        loss_sum = 0.0
        for b in train_loader:
            optimizer.zero_grad()
            loss = loss_fn(model(b), b.y)
            loss.backward()
            optimizer.step()
            loss_sum += loss.item() * b.num_graphs
        scheduler.step()
        print(f"epoch {epoch:02d}, loss {loss_sum / len(train_graphs):.4f}, val {accuracy(model, val_loader):.4f}")
    print(f"test accuracy {accuracy(model, test_loader):.4f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
