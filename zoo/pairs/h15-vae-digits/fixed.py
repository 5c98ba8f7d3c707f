import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(0)


class VAE(nn.Module):
    def __init__(self, d_in=64, hidden=128, z=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d_in, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.mu = nn.Linear(hidden, z)
        self.logvar = nn.Linear(hidden, z)
        self.dec = nn.Sequential(nn.Linear(z, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(),
                                 nn.Linear(hidden, d_in))

    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
        return self.dec(z), mu, logvar


def elbo_terms(logits, x, mu, logvar):
    rec = F.binary_cross_entropy_with_logits(logits, x, reduction="none").sum(1).mean()
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()
    return rec, kl


X = torch.tensor(load_digits().data, dtype=torch.float32) / 16.0
perm = torch.randperm(len(X), generator=torch.Generator().manual_seed(1))
train, test = X[perm[:1450]], X[perm[1450:]]

model = VAE()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
epochs, bs = 60, 64
for epoch in range(epochs):
    model.train()
    beta = min(1.0, (epoch + 1) / 20)
    order = torch.randperm(len(train))
    srec = skl = 0.0
    for i in range(0, len(train), bs):
        x = train[order[i:i + bs]]
        logits, mu, logvar = model(x)
        rec, kl = elbo_terms(logits, x, mu, logvar)
        loss = rec + beta * kl
        opt.zero_grad()
        loss.backward()
        opt.step()
        srec += rec.item() * len(x)
        skl += kl.item() * len(x)
    if (epoch + 1) % 10 == 0:
        model.eval()
        with torch.no_grad():
            logits, mu, logvar = model(test)
            r, k = elbo_terms(logits, test, mu, logvar)
        print(f"epoch {epoch + 1:3d}  beta {beta:.2f}  train rec {srec / len(train):.3f} kl {skl / len(train):.3f}"
              f"  test -elbo {(r + k).item():.3f}")

model.eval()
with torch.no_grad():
    _, mu, _ = model(test)
    mse = F.mse_loss(torch.sigmoid(model.dec(mu)), test).item()
    base = F.mse_loss(train.mean(0).expand_as(test), test).item()
    # 1-NN on the latent means against train labels as a check of the representation
    _, mtr, _ = model(train)
    y = torch.tensor(load_digits().target)[perm]
    nn_idx = torch.cdist(mu, mtr).argmin(1)
    acc = (y[:1450][nn_idx] == y[1450:]).float().mean().item()
print(f"test recon mse {mse:.4f} (mean image {base:.4f})  latent 1-NN acc {acc:.4f}")
