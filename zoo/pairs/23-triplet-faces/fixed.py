"""Metric learning for identity verification on generated 'face' vectors."""
import torch
from torch import nn
from torch.nn import functional as F


class Gallery:
    """Identities live on a nonlinear manifold; pose and lighting are nuisance factors."""

    def __init__(self, n_ids, seed, id_dim=8, nuisance=10, dim=48):
        g = torch.Generator().manual_seed(123)
        self.w1 = torch.randn(id_dim + nuisance, 64, generator=g) / 3
        self.w2 = torch.randn(64, dim, generator=g) / 6
        self.g = torch.Generator().manual_seed(seed)
        self.ids = torch.randn(n_ids, id_dim, generator=self.g)
        self.nuisance = nuisance

    def shots(self, labels):
        z = torch.cat([self.ids[labels], 1.3 * torch.randn(len(labels), self.nuisance, generator=self.g)], 1)
        return torch.tanh(z @ self.w1) @ self.w2 + 0.02 * torch.randn(len(labels), 48, generator=self.g)

    def triplets(self, n):
        a = torch.randint(len(self.ids), (n,), generator=self.g)
        b = (a + torch.randint(1, len(self.ids), (n,), generator=self.g)) % len(self.ids)
        return self.shots(a), self.shots(a), self.shots(b)


class Embedder(nn.Module):
    def __init__(self, dim=48, out=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, out))

    def forward(self, x):
        return F.normalize(self.net(x), dim=-1)


def triplet_loss(anchor, positive, negative, margin=0.3):
    s_pos = (anchor * positive).sum(-1)
    s_neg = (anchor * negative).sum(-1)
    return F.relu(margin + s_neg - s_pos).mean()


@torch.no_grad()
def verify(model, gallery, n=4000):
    """ROC AUC of same/different pairs by cosine similarity."""
    model.eval()
    a, p, q = (model(v) for v in gallery.triplets(n))
    same, diff = (a * p).sum(-1), (a * q).sum(-1)
    model.train()
    return (same[:, None] > diff[None, ::4]).float().mean().item()


def main():
    torch.manual_seed(0)
    train, unseen = Gallery(300, seed=1), Gallery(120, seed=2)
    model = Embedder()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    print(f"untrained AUC {verify(model, unseen):.3f}")
    window = 0.0
    for it in range(1, 901):
        a, p, n = train.triplets(96)
        loss = triplet_loss(model(a), model(p), model(n))
        opt.zero_grad()
        loss.backward()
        opt.step()
        window += loss.item()
        if it % 150 == 0:
            print(f"iter {it:5d} triplet loss {window / 150:.4f}")
            window = 0.0
    print(f"verification AUC on unseen identities: {verify(model, unseen):.3f}")


if __name__ == "__main__":
    main()
