"""Batch-all triplet training of an embedding for digit retrieval (recall@1 on held-out images)."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

CFG = dict(dim=16, margin=0.3, classes_per_batch=10, per_class=4, steps=40, epochs=15, jitter=0.2, lr=1e-3, seed=4)


class Embedder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(),
                                 nn.Linear(64, dim))

    def forward(self, x):
        return F.normalize(self.net(x), dim=1)


class PKSampler:
    """P classes, K images of each."""

    def __init__(self, y, p, k, rng):
        self.by_class = {c: np.flatnonzero(y == c) for c in np.unique(y)}
        self.p, self.k, self.rng = p, k, rng

    def draw(self):
        classes = self.rng.choice(list(self.by_class), self.p, replace=False)
        return np.concatenate([self.rng.choice(self.by_class[c], self.k, replace=False) for c in classes])


def pairwise(emb):
    return 1.0 - emb @ emb.t()


def batch_all_triplet(emb, labels, margin):
    d = pairwise(emb)
    same = labels[:, None] == labels[None, :]
    eye = torch.eye(len(labels), dtype=torch.bool)
    valid = (same & ~eye)[:, :, None] & ~same[:, None, :]
    hinge = F.relu(d[:, :, None] - d[:, None, :] + margin)[valid]
    return hinge.mean()


@torch.no_grad()
def recall_at_1(model, gallery, gallery_y, query, query_y):
    model.eval()
    sims = model(query) @ model(gallery).t()
    return (gallery_y[sims.argmax(1)] == query_y).float().mean().item()


def main(cfg):
    torch.manual_seed(cfg["seed"])
    rng = np.random.default_rng(cfg["seed"])
    x, y = load_digits(return_X_y=True)
    x = (x / 16.0).astype(np.float32)
    x_tr, x_te, y_tr, y_te = train_test_split(x, y, test_size=0.3, stratify=y, random_state=cfg["seed"])
    x_tr, x_te = torch.from_numpy(x_tr), torch.from_numpy(x_te)
    sampler = PKSampler(y_tr, cfg["classes_per_batch"], cfg["per_class"], rng)
    y_tr, y_te = torch.from_numpy(y_tr), torch.from_numpy(y_te)

    model = Embedder(cfg["dim"])
    opt = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    for epoch in range(cfg["epochs"]):
        model.train()
        losses = []
        for _ in range(cfg["steps"]):
            idx = torch.from_numpy(sampler.draw())
            loss = batch_all_triplet(model(x_tr[idx] + cfg["jitter"] * torch.randn(len(idx), 64)), y_tr[idx], cfg["margin"])
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        r1 = recall_at_1(model, x_tr, y_tr, x_te, y_te)
        print(f"epoch {epoch + 1:2d}  triplet loss {np.mean(losses):.4f}  recall@1 {r1:.4f}")


if __name__ == "__main__":
    main(CFG)
