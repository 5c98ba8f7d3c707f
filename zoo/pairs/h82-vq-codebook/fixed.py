"""Vector-quantised autoencoder: straight-through gradient, codebook moved by running means and not by the optimizer."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset


class Codebook(nn.Module):
    def __init__(self, codes, dim, decay=0.97):
        super().__init__()
        self.decay = decay
        self.register_buffer("code", torch.randn(codes, dim))
        self.register_buffer("count", torch.ones(codes))
        self.register_buffer("total", self.code.clone())

    @torch.no_grad()
    def move(self, flat, pick):
        onehot = F.one_hot(pick, len(self.code)).float()
        self.count.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
        self.total.mul_(self.decay).add_(onehot.T @ flat, alpha=1 - self.decay)
        self.code.copy_(self.total / (self.count.unsqueeze(1) + 1e-5))
        dead = self.count < 0.05
        if dead.any():
            fresh = flat[torch.randint(len(flat), (int(dead.sum()),))]
            self.code[dead], self.total[dead], self.count[dead] = fresh, fresh, 1.0

    def forward(self, z):
        flat = z.reshape(-1, z.shape[-1])
        pick = torch.cdist(flat.detach(), self.code).argmin(1)
        quantised = self.code[pick].view_as(z)
        if self.training:
            self.move(flat.detach(), pick)
        commit = F.mse_loss(z, quantised.detach())
        return z + (quantised - z).detach(), commit, pick


class VQ(nn.Module):
    def __init__(self, parts=12, dim=6, codes=96):
        super().__init__()
        self.parts, self.dim = parts, dim
        self.encoder = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, parts * dim))
        self.book = Codebook(codes, dim)
        self.decoder = nn.Sequential(nn.Linear(parts * dim, 128), nn.ReLU(), nn.Linear(128, 64))

    def forward(self, x):
        z = self.encoder(x).view(-1, self.parts, self.dim)
        q, commit, pick = self.book(z)
        return self.decoder(q.flatten(1)), commit, pick


@torch.no_grad()
def explained(model, x):
    model.eval()
    recon, _, pick = model(x)
    return 1 - ((recon - x) ** 2).sum().item() / ((x - x.mean(0)) ** 2).sum().item(), pick.unique().numel()


def main():
    torch.manual_seed(2)
    x, _ = load_digits(return_X_y=True)
    x_tr, x_va = (torch.tensor(a / 16.0, dtype=torch.float32) for a in train_test_split(x, test_size=0.25, random_state=2))
    loader = DataLoader(TensorDataset(x_tr), 64, shuffle=True)
    model = VQ()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(90):
        model.train()
        total = 0.0
        for (xb,) in loader:
            recon, commit, _ = model(xb)
            loss = F.mse_loss(recon, xb) * 10 + 0.25 * commit
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        if (epoch + 1) % 10 == 0:
            r2, used = explained(model, x_va)
            print(f"epoch {epoch + 1} loss {total / len(loader):.4f} val explained {r2:.4f} codes used {used}")
    print(f"final val explained {explained(model, x_va)[0]:.4f}")


if __name__ == "__main__":
    main()
